package e2e

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// harmed lists what a hostile text has done to the page: nothing.
const harmed = `JSON.stringify([
  window.hostile ?? null,
  [...document.querySelectorAll('[data-hostile], iframe, base, form[action], a[href*="hostile.invalid"], ' +
    'a[href^="javascript"]')].map((e) => e.outerHTML),
  [...document.querySelectorAll('img')].map((e) => e.src),
  [...document.links].filter((a) => a.origin !== location.origin).map((a) => a.href),
])`

// unharmed fails the test if a text of a conversation became more than text.
func (b *tab) unharmed(where string) {
	b.t.Helper()
	if got := eval[string](b, harmed); got != `[null,[],[],[]]` {
		b.t.Errorf("%s: %s", where, got)
	}
}

// dangerous are characters that hide, move or reorder others if they reach the screen as
// they are, beside those that end lines and indent.
const dangerous = `/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u`

// shownTexts is the text of all that is on the screen, and of all fields in it.
const shownTexts = `document.body.innerText + [...document.querySelectorAll('[title], [aria-label]')].map((e) =>
	e.title + (e.ariaLabel ?? '')).join() + document.title`

// showsPictures fails the test if a character that hides others is on the screen as it is,
// and not as a picture of itself.
func (b *tab) showsPictures(where string) {
	b.t.Helper()
	bad := eval[string](b, `(`+shownTexts+`).match(`+dangerous+`)?.[0].codePointAt(0).toString(16) ?? ''`)
	if bad != "" {
		b.t.Errorf("%q: the character U+%s is on the screen as it is", where, bad)
	}
}

// A person looks at a conversation full of markup and scripts, opens every block of it, one with a line of 16 MiB too, and
// pastes its texts into the selector box: all of it stays text, and the page goes on answering.
func TestAHostileConversationStaysText(t *testing.T) {
	db := sqliteFile(t)
	name := hostile(t, db)
	b := newTab(t, serve(t, db))
	b.signIn()
	b.see("data-hostile")
	b.unharmed("the list of contexts")
	at := "/c/" + url.PathEscape(name)
	look := func(query, ready string) {
		t.Helper()
		b.open(at + query)
		b.until(query+" is there", ready)
		b.settle()
		b.unharmed(query)
		b.showsPictures(query)
	}
	for _, query := range []string{"?at=c1", "?at=c2", "?at=c4", "?at=c2&view=tree", "?at=c2&view=changes",
		"?at=c4&view=changes", "?at=c2&view=request", "?at=c2&view=attempts"} {
		look(query, `document.querySelector('h1')`)
	}
	ids := append(slices.Sorted(maps.Keys(hostileTexts())), "deep", "names")
	for i, text := range hostileMarkup {
		ids = append(ids, text+rightToLeft, "markup"+string(rune('0'+i%10)))
	}
	for _, id := range ids {
		b.open(at + "?at=c4&node=" + url.QueryEscape(id))
		b.until("the block "+id+" is shown", `document.querySelector('article.block .content')`)
		b.unharmed("the block " + id)
		b.showsPictures(id)
	}
	// A reader sees what is there, and not what the override makes of it.
	b.open(at + "?at=c4&node=extension")
	b.until("the name is shown", `document.querySelector('article.block .content')?.innerText.includes('gnp.exe')`)
	for _, text := range append(slices.Clone(hostileMarkup), "["+rightToLeft, "#'"+rightToLeft+"'",
		"[content~'(a+)+$']", ".block[", "@c1:@c2 .block", strings.Repeat("(", 300)) {
		b.open(at + "?q=" + url.QueryEscape(text))
		b.until("the box has the text", `document.querySelector('[role=combobox]')?.value.length > 0`)
		b.settle()
		b.unharmed("the selector " + text)
	}
	// The longest time in which the page answers nothing, in milliseconds.
	const watchPauses = `new PerformanceObserver((list) => {
		for (const e of list.getEntries()) window.longestPause = Math.max(window.longestPause ?? 0, e.duration)
	}).observe({ type: 'longtask', buffered: true }) ?? true`
	for _, query := range []string{"?at=c3&node=long", "?at=c3&view=request&node=long", "?at=c3&view=changes"} {
		b.open(at + query)
		eval[bool](b, watchPauses)
		b.until("the screen is there", `document.querySelector('h1')`)
		b.settle()
		if pause := eval[float64](b, `window.longestPause ?? 0`); pause > 2000 {
			t.Errorf("%s: the page answers nothing for %.0f ms", query, pause)
		}
		if nodes := eval[int](b, `document.querySelectorAll('*').length`); nodes > 20_000 {
			t.Errorf("%s: the page has %d elements", query, nodes)
		}
	}
	b.open(at + "?at=c3&node=long")
	b.see("a long line a long line")
	b.press("ArrowLeft")
	b.call(2)
	b.do("leave", chromedp.Navigate("about:blank"))
}
