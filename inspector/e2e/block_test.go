package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A person clicks a block, then its bytes, sees them in the request, and goes back with the button of the browser.
func TestAClickLeadsToTheBytesAndTheBackButtonReturns(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "bytes")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/bytes?at=c8&node=task")
	b.clickRow("what step 2 printed")
	b.until("the block is selected", `location.search === '?at=c8&node=result2'`)
	b.until("it is beside the list", `document.querySelector('article.block .block-head b')?.innerText === 'result2'`)
	const link = `[...document.querySelectorAll('section[aria-label=Block] button')].find((e) => /^bytes/.test(e.innerText))`
	b.until("the bytes of the block are named", link)
	said := eval[string](b, link+`.innerText`)
	var from, to int
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("\u00a0\u2009\u202f ,", r) {
			return -1
		}
		return r
	}, said)
	if _, err := fmt.Sscanf(plain, "bytes%d–%dof@c8", &from, &to); err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	thread := command(t, db, "thread", "bytes", "@c8")
	if from < 1 || to > len(thread) || from >= to {
		t.Fatalf("%q are no bytes of the %d of the thread", said, len(thread))
	}
	block := strings.TrimRight(thread[from:to], ",")
	if !strings.HasPrefix(block, `{"id":"result2"`) || !strings.HasSuffix(block, "}") {
		t.Errorf("%q are %s", said, block)
	}
	b.clickOn("section[aria-label=Block] button.link")
	b.until("the request is shown", `location.search.includes('view=request')`)
	const marked = `[...document.querySelectorAll('.raw-text .selected')].map((e) => e.textContent).join('')`
	b.until("the bytes of the block are marked", marked+`.length > 0`)
	if got := eval[string](b, marked); !strings.HasPrefix(block, got[:min(len(got), 60)]) {
		t.Errorf("marked is %s, the block is %s", got, block)
	}
	b.do("go back", chromedp.NavigateBack())
	b.until("the thread is back, with the block", `location.search === '?at=c8&node=result2'`)
	b.do("go back", chromedp.NavigateBack())
	b.until("the block before is selected", `location.search === '?at=c8&node=task'`)
}
