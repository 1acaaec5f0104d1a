package e2e

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact"
)

// more commits a call of the story from this process, which is not that of the server.
func more(t testing.TB, c *pact.Context, cycle int) {
	t.Helper()
	commit(t, c, pact.Note{Actor: "another process"}, func(b *pact.Batch) { storyStep(b, cycle) })
}

// A person reads that the server is gone, goes on when it is back, and is told of new calls and that the context was deleted.
func TestAServerThatIsGoneIsSaidToBeAndComesBack(t *testing.T) {
	db := sqliteFile(t)
	c := story(t, db, "gone")
	s := serve(t, db, "--no-token")
	b := newTab(t, s)
	b.openStory("/c/gone")
	b.call(12)
	b.see("live")
	b.expect(`ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE`)
	s.stop()
	b.see("The server does not answer.")
	b.wait("the browser asked again", func() bool { return len(b.faults()) > 0 })
	if !eval[bool](b, painted) || !b.sees("Call 12 ") {
		t.Error("the last state is not kept")
	}
	b.press("ArrowLeft")
	b.call(11)
	b.see("Is pact still running?") // the messages of call 11 are not there
	more(t, c, 13)
	s.restart()
	b.see("1 new call ▸")
	b.until("what failed was asked again", `!document.querySelector('.problem')`)
	b.until("the messages are those of call 11", `document.querySelector('.pane [role=listbox]')?.ariaLabel === 'Messages of @c11' &&
		!document.body.innerText.includes('what step 12 printed')`)
	b.click("1 new call ▸")
	b.call(13)
	b.see("live")
	b.until("the block of the call is there, with its life", chosen+` && document.querySelector('.events li') &&
		document.querySelector('article.block .block-head b')?.innerText === 'result13'`)
	b.settle() // nothing is on its way
	command(t, db, "delete", "gone", "--yes")
	b.see("The context was deleted or renamed. This is its last state.")
}

// A browser opens at most six connections to a server, over all its tabs.
func TestPagesThatNobodySeesHoldNoConnection(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "connections")
	b := newTab(t, serve(t, db))
	b.signIn()
	for cycle := range 8 {
		b.openStory(fmt.Sprint("/c/connections?at=c", cycle+1)) // the browser keeps the page before, to go back to
		b.see("follow")
	}
	eval[bool](b, `window.isTheLast = true`)
	eval[bool](b, `setTimeout(() => history.back()), true`)
	b.until("the browser is back", `!window.isTheLast`)
	b.until("the picture is drawn", painted)
	b.see("follow")
}
