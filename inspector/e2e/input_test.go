package e2e

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keysByName are the keys of the keyboard by the name that a page sees, such as ArrowLeft.
var keysByName = func() map[string]rune {
	all := make(map[string]rune)
	for r, key := range kb.Keys {
		if len(key.Key) > 1 {
			all[key.Key] = r
		}
	}
	return all
}()

// press presses keys one after the other: characters such as "?", names such as "Enter",
// with "Shift+" or "Control+" before what is held.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		name, held := key, chromedp.Modifier(0)
		for prefix, modifier := range map[string]chromedp.Modifier{
			"Shift+": chromedp.ModifierShift, "Control+": chromedp.ModifierCtrl} {
			if rest, ok := strings.CutPrefix(name, prefix); ok {
				name, held = rest, held|modifier
			}
		}
		if r, ok := keysByName[name]; ok {
			name = string(r)
		} else if len([]rune(name)) != 1 {
			b.t.Fatalf("there is no key %q", key)
		}
		b.do("press "+key, strokes(name, held))
	}
}

// enter types a text into what has the focus.
func (b *tab) enter(text string) {
	b.t.Helper()
	b.do("type "+text, strokes(text, 0))
}

// strokes are the strokes of keys that write a text. A stroke carries its character itself,
// as that of a keyboard does: a page that takes the key for something else keeps the browser
// from writing the character. The characters of chromedp.KeyEvent come separately.
func strokes(text string, held chromedp.Modifier) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range text {
			down := *kb.Encode(r)[0]
			down.Modifiers |= int64(held)
			up := down
			up.Type = kb.KeyUp
			if key := kb.Keys[r]; key != nil && key.Print && held&chromedp.ModifierCtrl == 0 {
				down.Text, down.UnmodifiedText = key.Text, key.Unmodified
			}
			for _, stroke := range []input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, stroke); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// place is where something is on the screen, in pixels of the page.
type place struct{ X, Y, Width, Height float64 }

// find is JavaScript for the functions that look for things on the screen as a person does.
const find = `(() => {
  const shown = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
    e.getBoundingClientRect().width > 0
  const plain = (text) => text.replace(/\s+/g, ' ').trim()
  const name = (e) => plain(e.getAttribute('aria-label') ?? [...e.childNodes].filter((c) =>
    c.nodeName !== 'KBD' && c.ariaHidden !== 'true').map((c) => c.innerText ?? c.textContent).join(''))
  const actions = 'button, a[href], input, select, summary, label, [role=tab], [role=button], [role=option], ' +
    '[role=row], [role=treeitem], [role=link], [role=checkbox]'
  return {
    named: (text) => [...document.querySelectorAll(actions)].find((e) => shown(e) && name(e) === text),
    row: (text) => [...document.querySelectorAll('[role=option], [role=treeitem], [role=row]')].find((e) =>
      shown(e) && plain(e.innerText).includes(text)),
    css: (query) => [...document.querySelectorAll(query)].find(shown),
    place: (e) => {
      e.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
      const { x: X, y: Y, width: Width, height: Height } = e.getBoundingClientRect()
      return { X, Y, Width, Height }
    },
    text: () => plain(document.body.innerText),
  }
})()`

// click clicks what a person would call so: a button, a tab, a link or a row with this name.
func (b *tab) click(name string) {
	b.t.Helper()
	b.clickAt(b.whereIs("there is something to click named "+name, `.named(`+quoted(name)+`)`))
}

// clickRow clicks the first row of a list that shows a text.
func (b *tab) clickRow(text string) {
	b.t.Helper()
	b.clickAt(b.whereIs("there is a row with "+text, `.row(`+quoted(text)+`)`))
}

// clickOn clicks the first visible element of a selector of CSS.
func (b *tab) clickOn(css string) {
	b.t.Helper()
	b.clickAt(b.whereIs("there is "+css, `.css(`+quoted(css)+`)`))
}

// whereIs waits for an element and returns where it is, scrolled into view.
func (b *tab) whereIs(what, finder string) place {
	b.t.Helper()
	var p *place // the page may draw the element anew between two questions, so it is one
	b.wait(what, func() bool {
		p = eval[*place](b, `((f) => ((e) => e ? f.place(e) : null)(f`+finder+`))(`+find+`)`)
		return p != nil
	})
	return *p
}

// clickAt clicks the middle of a place.
func (b *tab) clickAt(p place) {
	b.t.Helper()
	b.do("click", chromedp.MouseClickXY(p.X+p.Width/2, p.Y+p.Height/2))
}

// hover moves the mouse to a point.
func (b *tab) hover(x, y float64) {
	b.t.Helper()
	b.do("move the mouse", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// see waits until a text is on the screen. Runs of spaces count as one.
func (b *tab) see(text string) {
	b.t.Helper()
	b.until("the screen shows "+text, find+`.text().includes(`+quoted(strings.Join(strings.Fields(text), " "))+`)`)
}

// sees reports whether a text is on the screen now.
func (b *tab) sees(text string) bool {
	b.t.Helper()
	return eval[bool](b, find+`.text().includes(`+quoted(strings.Join(strings.Fields(text), " "))+`)`)
}
