package e2e

import (
	"fmt"
	"testing"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// focus returns the element that has the focus: its role or tag, and its name.
const focus = `(() => {
  const e = document.activeElement
  return (e?.role ?? '') + ' ' + e?.tagName + ' ' + (e?.ariaLabel ?? e?.innerText ?? '').slice(0, 40)
})()`

// tabTo presses the tabulator until something has the focus.
func (b *tab) tabTo(what, condition string) {
	b.t.Helper()
	seen := ""
	for range 60 {
		if eval[bool](b, `!!((e) => `+condition+`)(document.activeElement)`) {
			return
		}
		b.press("Tab")
		seen += eval[string](b, focus) + "\n"
	}
	b.t.Fatalf("the tabulator does not reach %s:\n%s", what, seen)
}

// A person without a mouse goes from the list to a block, its bytes and the help.
func TestTheWholeTourByKeyboardAlone(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "keyboard")
	s := serve(t, db)
	b := newTab(t, s)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		if _, err := chromedp.CallBrowser(b.ctx, permissions.SetPermission, permissions.SetPermissionParams{
			Permission: &permissions.PermissionDescriptor{Name: name, AllowWithoutSanitization: true},
			Setting:    permissions.PermissionSettingGranted, Origin: s.origin,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}); err != nil {
			t.Fatal(err)
		}
	}
	b.signIn()
	b.see("keyboard")
	b.tabTo("the context", `e.innerText === 'keyboard'`)
	b.press("Enter")
	b.until("the picture is drawn", painted)
	b.call(12)
	b.press("Shift+ArrowLeft")
	b.call(9)
	for i, view := range []string{"thread", "tree", "changes", "request", "attempts"} {
		b.press(fmt.Sprint(i + 1))
		b.until(view+" is shown", `document.querySelector('[role=tab][aria-selected=true]').id === 'tab-`+view+`'`)
	}
	b.press("1")
	b.until("the messages are there", `!!document.querySelector('[role=listbox] [role=option]')`)
	b.press("Escape") // the list keeps a selected block in sight, wherever an order puts it
	b.until("no block is selected", `!location.search.includes('node=')`)
	b.press("l")
	b.see("what step 9 printed")
	b.press("l")
	b.until("the messages stand as they were sent", `[...document.querySelectorAll('button')].find((e) => e.innerText === 'largest first').ariaPressed === 'false'`)
	b.tabTo("the list of messages", `e.role === 'listbox'`)
	b.press("Home", "ArrowDown", "ArrowDown")
	b.until("the arrows select rows", `location.search.includes('node=text1')`)
	b.press("o")
	b.until("the block has its page", `location.search.includes('view=block')`)
	b.press("1")
	b.until("the thread is back", `!location.search.includes('view=')`)
	b.press("Escape")
	b.until("nothing is selected", `!location.search.includes('node=')`)
	b.press("m", "ArrowLeft")
	b.until("a call is marked", `location.search.startsWith('?at=c8&vs=c9')`)
	b.press("m")
	b.press("/")
	b.until("the selector box has the focus", `document.activeElement?.role === 'combobox'`)
	b.enter("step 7")
	b.press("Enter")
	b.until("the text is in the address", `new URLSearchParams(location.search).get('q') === 'step 7'`)
	b.until("the first match is selected", `location.search.includes('node=')`)
	b.press("Escape")
	b.until("keys are keys again", `document.activeElement?.role !== 'combobox'`)
	// The address still changes while answers of the search come in: y copies the one of its moment.
	var copied, shown string
	for range 10 {
		b.press("y")
		b.until("the address is copied", `navigator.clipboard.readText().then(() => true)`)
		if copied, shown = eval[string](b, `navigator.clipboard.readText()`), eval[string](b, `location.href`); copied == shown {
			break
		}
	}
	if copied != shown {
		t.Errorf("copied was %q, and the page is %q", copied, shown)
	}
	b.press("?")
	b.see("it read less than was left")
	b.accessible("the keys and marks")
	b.until("the keys are listed", `document.querySelector('dialog[open]')`)
	if listed := eval[int](b, `document.querySelectorAll('dialog[open] dt').length`); listed < 23 {
		t.Errorf("the table lists %d keys and marks", listed)
	}
	b.press("Escape")
	b.until("the table is gone", `!document.querySelector('dialog[open]')`)
}
