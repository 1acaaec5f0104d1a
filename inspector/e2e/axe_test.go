package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// axePath is where make browser installs axe-core, which finds faults of accessibility.
var axePath = filepath.Join(repository, "build", "browser", "node_modules", "axe-core", "axe.min.js")

// violations returns what axe-core finds wrong with the screen, a line each. It leaves the
// test out if axe-core is not installed, or fails it where PACT_REQUIRE_BROWSER is set.
func (b *tab) violations() []string {
	b.t.Helper()
	source, err := os.ReadFile(axePath)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("PACT_REQUIRE_BROWSER") == "" {
		b.t.Skip("left out: make browser installs axe-core, with npm")
	}
	if err != nil {
		b.t.Fatal(err)
	}
	// The policy of the page binds the page, not what the protocol of the browser evaluates.
	if !eval[bool](b, `typeof axe === 'object'`) {
		eval[bool](b, string(source)+"\n;true")
	}
	return eval[[]string](b, `axe.run(document, { resultTypes: ['violations'] }).then((found) =>
		found.violations.flatMap((v) => v.nodes.map((n) =>
			v.id + ': ' + v.help + ' at ' + n.target.join(' ') + ' ' + n.html.slice(0, 200) + ' ' + n.failureSummary)))`)
}

// accessible fails the test if axe-core finds something wrong with the screen.
func (b *tab) accessible(screen string) {
	b.t.Helper()
	b.until("nothing fades in", `!document.querySelector('.waiting')`) // half faded in, words have too little contrast
	if found := b.violations(); len(found) > 0 {
		b.t.Errorf("%s:\n%s", screen, strings.Join(found, "\n"))
	}
}

// TestAxeFindsWhatIsWrong holds the tests below to an axe-core that works.
func TestAxeFindsWhatIsWrong(t *testing.T) {
	b := newTab(t, serve(t, sqliteFile(t)))
	b.signIn()
	eval[bool](b, `document.body.append(document.createElement('button')), true`)
	if found := b.violations(); len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), "button-name") {
		t.Errorf("a button without a name is fine with axe-core: %q", found)
	}
}
