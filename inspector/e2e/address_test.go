package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shown describes what the screen shows, as far as a reload must bring it back.
const shown = `JSON.stringify({
  sentence: document.querySelector('h1')?.innerText,
  call: document.querySelector('[role=slider]')?.ariaValueNow,
  tab: document.querySelector('[role=tab][aria-selected=true]')?.id,
  row: document.querySelector('[role=option][aria-selected=true], [role=treeitem][aria-selected=true]')?.innerText,
  block: document.querySelector('article.block .block-head b')?.innerText,
  box: document.querySelector('[role=combobox]')?.value,
  lit: document.querySelectorAll('.lit').length,
  address: location.href,
})`

// A person opens the address of each screen, reloads it, and sees the same screen again.
func TestAReloadOfEveryAddressBringsBackTheScreen(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "addresses")
	b := newTab(t, serve(t, db))
	b.signIn()
	for path, ready := range map[string]string{
		"/":                                              `document.body.innerText.includes('addresses')`,
		"/c/addresses":                                   painted,
		"/c/addresses?at=c9":                             `document.querySelector('.cut-line')`,
		"/c/addresses?at=c9&vs=c5":                       `document.querySelector('.cut-line')`,
		"/c/addresses?at=c9&node=text4":                  selected("text4"),
		"/c/addresses?at=c9&view=tree":                   `document.querySelector('[role=treeitem]')`,
		"/c/addresses?at=c9&view=changes":                `document.querySelector('.change-removed')`,
		"/c/addresses?at=c9&vs=c4&view=changes":          `document.querySelector('.change-removed')`,
		"/c/addresses?at=c9&view=request":                `document.querySelector('.raw-text')`,
		"/c/addresses?view=attempts":                     `document.body.innerText.includes('No attempt was recorded')`,
		"/c/addresses?at=c4&view=block&node=text4":       `document.body.innerText.includes('sealed into')`,
		"/c/addresses?at=c9&q=%5Bkind%3D%27result%27%5D": `document.querySelectorAll('.lit').length > 0`,
		"/c/addresses?at=working":                        `document.querySelector('h1')`,
	} {
		if path != "/" { // the screen selects a block by itself and writes it into the address a little later
			ready = "location.search.includes('node=') && " + ready
		}
		b.open(path)
		b.until(path+" is shown", ready)
		b.settle()
		before := eval[string](b, shown)
		b.do("reload "+path, chromedp.Reload())
		b.until(path+" is shown again", ready)
		b.settle()
		if after := eval[string](b, shown); after != before {
			t.Errorf("%s: a reload shows\n%s\nbefore it was\n%s", path, after, before)
		}
		// Where no block is named the screen selects one by itself.
		got := regexp.MustCompile(`[?&]node=[^&]*`).ReplaceAllString(b.path(), "")
		if got != strings.NewReplacer("&node=text4", "").Replace(path) {
			t.Errorf("%s became %s", path, got)
		}
	}
}

// selected is true once the list and the block beside it show a block.
func selected(id string) string {
	return `document.querySelector('[role=option][aria-selected=true]') &&
		document.querySelector('article.block .block-head b')?.innerText === ` + quoted(id)
}

// settle waits until what the screen shows has been the same for some frames.
func (b *tab) settle() {
	b.t.Helper()
	last := ""
	same := 0
	b.wait("the screen comes to rest", func() bool {
		now := eval[string](b, shown)
		if now != last {
			last, same = now, 0
		}
		same++
		return same > 20 && !eval[bool](b, `!!document.querySelector('[aria-busy=true]') || window.onTheWay > 0`)
	})
}
