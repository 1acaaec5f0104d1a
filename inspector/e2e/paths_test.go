package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

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

// A person writes a number into the box and is at that call, or reads that there is none.
func TestAPersonGoesToACall(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "go")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/go")
	b.press("/")
	b.enter("@c7")
	b.see("goes to call 7")
	b.press("Enter")
	b.call(7)
	b.press("/")
	b.enter("20")
	b.see("There is no call 20: the calls are @c1 to @c12.")
	b.press("Enter")
	b.call(7)
	b.open("/c/go?at=c999")
	b.see("There is no call 999: the calls are @c1 to @c12.")
	if eval[bool](b, `[...document.querySelectorAll('h1')].some((h) => h.textContent.includes('Call 12 repeats'))`) {
		t.Error("another call is shown")
	}
	b.click("Latest call")
	b.call(12)
}

// A person sees on arrival what is the matter in the call of the address: its cut, else its largest new block.
func TestWhatIsTheMatterIsSelectedOnArrival(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "arrival")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/arrival?at=c6")
	b.until("what cut the prefix is selected", `location.search.includes('node=rules')`)
	b.press("ArrowRight")
	b.until("the largest new block of the next call is selected", `location.search === '?at=c7&node=result7'`)
	b.press("Escape")
	b.until("nothing is selected", `!location.search.includes('node=')`)
	b.press("ArrowLeft")
	b.call(6)
	b.see("Select a block")
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

// A person finds words inside one long block, however far down they are.
func TestAPersonFindsWordsInALongBlock(t *testing.T) {
	db := sqliteFile(t)
	c := create(t, db, "long")
	text := strings.Repeat("a line of no interest\n", 7000) + "the needle\n" + strings.Repeat("more lines\n", 500)
	if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "long", Role: "user", Content: text})
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	b.open("/c/long?node=long")
	b.click("find")
	b.until("the field has the keyboard", `document.activeElement.matches('.find input')`)
	b.enter("NEEDLE")
	b.until("it is counted", `document.querySelector('.find [role=status]')?.textContent === '1'`)
	b.press("Enter")
	b.until("it is in sight", `(() => {
		const range = [...CSS.highlights.get('chosen') ?? []][0]
		const box = document.querySelector('.right').getBoundingClientRect()
		return range && range.toString() === 'needle' && range.getBoundingClientRect().top > box.top &&
			range.getBoundingClientRect().bottom < box.bottom
	})()`)
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

// A person compares a call with one of a fork: in the sentence, in the picture and block by block.
func TestAPersonComparesTwoContexts(t *testing.T) {
	db := sqliteFile(t)
	c := story(t, db, "left")
	if _, err := c.Fork(t.Context(), pact.Cycle(4), "right", nil); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/left?at=c5")
	b.clickOn(`.bar-name`)
	b.click("Compare with the latest call of right")
	b.until("the other is in the address", `location.search.includes('vs=right%40c4')`)
	b.see("+3 added")
	b.see("It begins with all of right@c4.")
	b.see("right@c4")
	b.accessible("two contexts")
	b.click("Compare with the call before again")
	b.until("it is gone from the address", `!location.search.includes('vs=')`)
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

// A person sorts the contexts by size, and the blocks by what they cost in all calls.
func TestAPersonSorts(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "b-large")
	create(t, db, "a-empty")
	b := newTab(t, serve(t, db))
	b.signIn()
	names := `[...document.querySelectorAll('tbody th a')].map((a) => a.textContent).join()`
	b.until("the list is by name", names+` === 'a-empty,b-large'`)
	b.click("Size")
	b.until("the list is by size", names+` === 'b-large,a-empty' && document.querySelector('[aria-sort=descending]')`)
	b.openStory("/c/b-large?at=c12")
	b.click("carried")
	b.see("× 12 calls")
}

// A person who does not see the picture hears which call it shows, what that repeats, and a table of all calls.
func TestTheReadingOfThePicture(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "read")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/read?at=c6")
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, node := range tree.Nodes {
		if node.Role == nil || node.Name == nil {
			continue
		}
		role, name := text(node.Role), text(node.Name)
		said[role+" "+name] = ""
		if node.Value != nil {
			said[role+" "+name] += text(node.Value)
		}
		if node.Description != nil {
			said[role+" "+name] += " · " + text(node.Description)
		}
	}
	// The protocol of the browser does not pass on the words that stand for the value of a slider.
	slider := said["slider Call that is shown"] + eval[string](b, `document.querySelector('[role=slider]').ariaValueText`)
	for _, part := range []string{"Call 6 of 12", "its prefix was cut", "Call 6 repeats"} {
		if !strings.Contains(slider, part) {
			t.Errorf("the slider says %q, without %q", slider, part)
		}
	}
	for _, there := range []string{"region Calls", "table All calls", "rowheader @c6", "listbox Messages of @c6"} {
		if _, ok := said[there]; !ok {
			t.Errorf("nothing is said of %q", there)
		}
	}
}

// text returns the text of a value of the accessibility tree.
func text(v *accessibility.Value) string {
	var s string
	if json.Unmarshal(v.Value, &s) != nil {
		return string(v.Value)
	}
	return s
}
