package e2e

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
)

// A person pastes the printed address into the field, looks around, and signs out again.
func TestAPersonSignsInAndOut(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "door")
	b := newTab(t, serve(t, db))
	b.expect(`network: .* 401 `)
	b.open("/c/door")
	b.clickOn(`.sign-in input`)
	b.enter("wrong")
	b.press("Enter")
	b.see("This token opens nothing here.")
	eval[bool](b, `document.querySelector('.sign-in input').select(), true`)
	b.enter(b.site.address)
	b.press("Enter")
	b.see("Call 12 repeats")
	b.clickOn(`.bar-name`)
	b.until("the menu lists the contexts, which push what is below them down", `document.querySelector('.switch li a')`)
	b.click("Sign out")
	b.wait("the cookie is gone", func() bool { return len(b.cookies()) == 0 })
	b.until("the page asks for a token", `document.querySelector('.sign-in')`)
	b.accessible("the field for a token")
	b.clickOn(`.sign-in input`)
	b.enter(b.site.address)
	b.press("Enter")
	b.until("the list is there", `document.querySelector('table a')`)
	b.click("Sign out")
	b.until("the page asks for a token and names no context",
		`document.querySelector('.sign-in') && !document.body.innerText.includes('door')`)
}

// A person looks for words: in the call, in all calls with the strip below the picture, and in all contexts.
func TestAPersonSearchesEverywhere(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "here")
	story(t, db, "there")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/here?at=c12")
	b.search("step 3 printed")
	b.see("0 in this call, 1 block in all calls")
	b.see("@c3–8")
	b.until("the calls that had it are marked", `document.querySelector('.mark-found')`)
	b.press("Enter", "P")
	b.until("the call that brought it is shown", `location.search.startsWith('?at=c3&node=result3')`)
	b.click("all contexts")
	b.see("2 contexts")
	b.accessible("what was found")
	b.clickOn(`.hits a[href^="/c/there"]`)
	b.until("the other context is shown", `location.pathname === '/c/there' && location.search.startsWith('?at=c8&node=result3')`)
	b.open("/")
	b.clickOn(`input[name=q]`)
	b.enter("step 3 printed")
	b.press("Enter")
	b.see("2 contexts")
}

// A person goes from a context to its fork and back, and to what a call of a tool began.
func TestAPersonGoesThroughAFamily(t *testing.T) {
	db := sqliteFile(t)
	c := story(t, db, "parent")
	if _, err := c.Fork(t.Context(), pact.Cycle(4), "child", nil); err != nil {
		t.Fatal(err)
	}
	begun := map[string]any{"wire:begun-by": map[string]any{"context": "parent", "block": "call5"}}
	if _, err := pact.Create(t.Context(), openStore(t, db), "helper", &pact.CreateOptions{Attrs: begun}); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/parent?at=c4")
	b.see("Here began fork child.")
	b.click("child")
	b.see("fork of parent @c4")
	b.click("parent @c4")
	b.until("the call of the parent is shown", `location.pathname === '/c/parent' && location.search.startsWith('?at=c4')`)
	b.openStory("/c/parent?at=c5&node=call5")
	b.see("Here began sub-agent helper.")
	b.click("↳ helper")
	b.see("sub-agent of parent @c5")
	b.clickOn(`.bar-name`)
	b.see("fork at @c4")
	b.accessible("the family")
}

// A person watches the working state grow while another process adds to it.
func TestTheWorkingStateIsTheLastColumn(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "draft")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/draft")
	b.until("the page listens", `document.querySelector('.live').dataset.state === 'live'`)
	command(t, db, "add", "draft", "--role", "user", "--content", "One more thing.")
	b.until("the working state is in the picture", `document.querySelector('.mark-draft')`)
	b.press("ArrowRight")
	b.until("it is shown", `location.search.startsWith('?at=working')`)
	b.see("it repeats all of call 12 and adds")
	b.see("One more thing.")
	command(t, db, "add", "draft", "--role", "user", "--content", "And another one.")
	b.see("And another one.")
	b.press("ArrowLeft")
	b.call(12)
}

// A person takes a result out to try, reads what that costs, and makes the fork; the context stays as it is.
func TestAPersonTriesACallWithoutABlock(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "whole")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/whole?at=c8&node=result5")
	b.press("x")
	b.see("Without 1 block (1 node go along)")
	b.see("The cut costs")
	b.accessible("what if")
	before := command(t, db, "thread", "whole", "@c8")
	b.click("Fork with this")
	b.until("the fork is shown", `decodeURIComponent(location.pathname) === '/c/whole, @c8 without 1 block'`)
	b.see("fork of whole @c8")
	b.see("−2 removed")
	if now := command(t, db, "thread", "whole", "@c8"); now != before {
		t.Error("the context that was tried has changed")
	}
	if fork := command(t, db, "thread", "whole, @c8 without 1 block", "@c9"); strings.Contains(fork, "what step 5 printed") {
		t.Error("the fork has what was taken out")
	}
}
