package e2e

import (
	"path/filepath"
	"testing"
)

// TestWhatAProviderSaysStandsBesideWhatWasCut opens seven recorded calls. Their provider says
// of some that it read more of its cache, or less, than the calls let expect.
func TestWhatAProviderSaysStandsBesideWhatWasCut(t *testing.T) {
	db := sqliteFile(t)
	command(t, db, "import", filepath.Join(repository, "server", "testdata", "cached.har"), "--name", "cached")
	b := newTab(t, serve(t, db))
	b.signIn()
	for _, call := range []struct {
		at      string
		see     []string
		doubted bool
	}{
		{"c4", []string{"3 200 2 890 2 890 40", "what the shared prefix lets expect"}, false},
		{"c3", []string{"The provider read nothing from its cache; 2 590 were expected.", "it saw a cut elsewhere"}, true},
		{"c5", []string{"The provider read 3 190 tokens from its cache; 2 290 were expected.", "as if it were not"}, true},
		{"c7", []string{"4 100 3 840 3 790 40", "another one began the same"}, false},
	} {
		b.openStory("/c/cached?view=attempts&at=" + call.at)
		for _, text := range call.see {
			b.see(text)
		}
		if doubted := eval[bool](b, `document.querySelector('.doubt').textContent.trim() !== ''`); doubted != call.doubted {
			t.Errorf("that the sentence of %s doubts the picture is %t", call.at, doubted)
		}
	}
	b.see("read from the provider’s cache") // the legend names the marks
	b.see("it saw the cut elsewhere, or not")
	b.until("the table behind the picture says the same", `[...document.querySelectorAll('.unseen table tr')].some((row) =>
		row.textContent.includes('@c3') && row.textContent.includes('The provider read nothing'))`)
	b.accessible("calls of which a provider said something else")
}
