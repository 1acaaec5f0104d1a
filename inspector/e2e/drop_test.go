package e2e

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Where there are no contexts, a file that a user chooses becomes one.
func TestAFileThatIsChosenBecomesAContext(t *testing.T) {
	path, err := filepath.Abs("../../internal/record/calllog/testdata/codex-rollout.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, sqliteFile(t)))
	b.signIn()
	b.see("Drop a conversation here")
	b.do("choose a file", chromedp.SetUploadFiles("input[type=file]", []string{path}))
	b.until("the context is open", `location.pathname === '/c/codex-rollout'`)
	b.until("its picture is there", `document.querySelector('canvas')`)
}
