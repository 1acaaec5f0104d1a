package e2e

import (
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"

	"github.com/chromedp/chromedp"
)

// A person sees what each call cost, which result was carried for nothing and where it stands, and draws the rule that
// would have helped over the run as it was.
func TestAPersonDrawsAPolicyOverTheRun(t *testing.T) {
	db := sqliteFile(t)
	c := create(t, db, "cost")
	for cycle := range 14 {
		if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			if cycle == 0 { // as many tokens as the provider caches: no rule keeps a prompt below that
				b.Add("^sys", pact.Spec{ID: "rules", Role: "system", Kind: "text", Content: strings.Repeat("Work with care. ", 2000)})
			}
			storyStep(b, cycle+1)
			if cycle == 1 {
				b.Add("^ah", pact.Spec{ID: "long", Role: "tool", Kind: "result", Offset: 2, Refs: []string{"call2"},
					Content: strings.Repeat("some line of a long file\n", 400)})
			}
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := c.StartAttempt(t.Context(), pact.ProviderCall{Provider: "p", Model: "claude-opus-4-5"}, io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.EndAttempt(t.Context(), pact.Outcome{ID: a.ID, Status: history.Completed}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/cost")
	b.press("6")
	b.see("the result long of bash")
	b.see("A rule would have saved the run")
	b.accessible("the cost of a run")
	b.click("draw it")
	b.see("the second policy saves")
	b.until("two lines are drawn", `document.querySelectorAll('svg.lines polyline').length === 2 &&
		document.querySelector('.lines .line-0').getAttribute('points') !== document.querySelector('.lines .line-1').getAttribute('points')`)
	b.accessible("two policies")
	b.click("long")
	b.until("the block is selected in the call that brought it", `location.search.includes('at=c2') && location.search.includes('node=long')`)
	p := b.whereIs("the picture of both", `.css('svg.lines')`)
	b.do("click in the middle of the run", chromedp.MouseClickXY(p.X+p.Width*7/14, p.Y+p.Height/2))
	b.until("the call is shown", `location.search.includes('at=c8') && document.querySelector('tr[aria-current=true]').innerText.includes('@c8')`)
}
