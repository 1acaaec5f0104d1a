package e2e

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Where there are no contexts, a file that a user chooses becomes one: a history of pact and a
// log of another program alike, because the server finds out what it is.
func TestAFileThatIsChosenBecomesAContext(t *testing.T) {
	for file, want := range map[string]string{
		"../../examples/conversations/repair.jsonl":                  "/c/repair",
		"../../internal/record/calllog/testdata/codex-rollout.jsonl": "/c/codex-rollout",
	} {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		b := newTab(t, serve(t, sqliteFile(t)))
		b.signIn()
		b.see("Drop a conversation here")
		b.do("choose a file", chromedp.SetUploadFiles("input[type=file]", []string{path}))
		b.until("the context is open", `location.pathname === '`+want+`'`)
		b.until("its picture is there", `document.querySelector('canvas')`)
	}
}
