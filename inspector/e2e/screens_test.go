package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screens are addresses of a story under one name, and what is there once each is loaded.
func screens(name string) map[string]string {
	return map[string]string{
		"/":                                       `document.querySelector('a[href^="/c/"]')`,
		"/c/" + name:                              painted + ` && ` + chosen,
		"/c/" + name + "?at=c9&vs=c5&node=text4":  `document.querySelector('.cut-line') && ` + selected("text4"),
		"/c/" + name + "?at=working":              `document.querySelector('h1') && ` + chosen,
		"/c/" + name + "?at=c9&view=tree":         `document.querySelector('[role=treeitem]') && ` + chosen,
		"/c/" + name + "?at=c9&view=changes":      `document.querySelector('.change-removed') && ` + chosen,
		"/c/" + name + "?at=c9&view=request":      `document.querySelector('.raw-text') && ` + chosen,
		"/c/" + name + "?view=attempts":           `document.body.innerText.includes('No attempt was recorded') && ` + chosen,
		"/c/" + name + "?view=cost":               `document.querySelector('.lines') && document.querySelector('.findings') && ` + chosen,
		"/c/" + name + "?view=block&node=text4":   `document.body.innerText.includes('sealed into')`,
		"/c/" + name + "?at=c9&q=[kind='result']": `document.querySelectorAll('.lit').length > 0 && ` + chosen,
		"/c/" + name + "?q=@t-5..@t0 .block":      `document.querySelector('h1') && ` + chosen,
	}
}

// chosen is true once the screen has selected a block by itself, and written it into the address.
const chosen = `location.search.includes('node=')`

// shown describes what the screen shows, as far as a reload must bring it back.
const shown = `JSON.stringify({
  sentence: document.querySelector('h1')?.innerText,
  call: document.querySelector('[role=slider]')?.ariaValueNow,
  tab: document.querySelector('[role=tab][aria-selected=true]')?.id,
  row: document.querySelector('[role=option][aria-selected=true], [role=treeitem][aria-selected=true]')?.innerText,
  block: document.querySelector('article.block .block-head b')?.innerText,
  box: document.querySelector('[role=combobox]')?.value,
  matches: document.querySelector('.selector-count')?.innerText,
  lit: document.querySelector('.lit') !== null,
  address: location.href,
})`

// media sets what the browser tells pages of the wishes of its user.
func (b *tab) media(features ...string) {
	b.t.Helper()
	var all []*emulation.MediaFeature
	for i := 0; i < len(features); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	wishes := emulation.SetEmulatedMediaParams{Features: all}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, wishes); err != nil {
		b.t.Fatal(err)
	}
}

// A person with a screen reader opens every screen; axe-core finds nothing wrong with one. None scrolls in a window of
// 1,280 × 720.
func TestEveryScreenIsAccessible(t *testing.T) {
	for _, look := range []struct {
		name     string
		features []string
	}{
		{"light", []string{"prefers-color-scheme", "light"}},
		{"dark", []string{"prefers-color-scheme", "dark"}},
		{"forced colours", []string{"forced-colors", "active", "prefers-reduced-motion", "reduce"}},
	} {
		t.Run(look.name, func(t *testing.T) {
			db := sqliteFile(t)
			story(t, db, "accessible")
			b := newTab(t, serve(t, db))
			b.media(look.features...)
			b.signIn()
			for path, ready := range screens("accessible") {
				b.open(path)
				b.until(path+" is shown", ready)
				b.settle()
				b.accessible(path)
				if look.name == "light" { // a reload brings the same screen back
					before := eval[string](b, shown)
					b.do("reload "+path, chromedp.Reload())
					b.until(path+" is shown again", ready)
					b.settle()
					if after := eval[string](b, shown); after != before {
						t.Errorf("%s: a reload shows\n%s\nbefore it was\n%s", path, after, before)
					}
				}
				if size := eval[[]int](b, `[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`); size[0] > 1280 ||
					size[1] > 720 {
					t.Errorf("%s takes %d × %d", path, size[0], size[1])
				}
			}
		})
	}
}

// A person reads a run on a phone, where a tapped block opens as a sheet.
func TestAPhoneInPortraitIsEnoughForReading(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "phone")
	b := newTab(t, serve(t, db))
	b.do("become a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulatePortrait, chromedp.EmulateTouch,
		chromedp.EmulateMobile))
	b.signIn()
	for path, ready := range screens("phone") {
		b.open(path)
		b.until(path+" is shown", ready)
		b.settle()
		if width := eval[int](b, `document.documentElement.scrollWidth`); width > 390 {
			t.Errorf("%s is %d pixels wide", path, width)
		}
	}
	b.open("/")
	b.until("the list has the strip of the run", `document.querySelector('.sparkline')?.getBoundingClientRect().width > 20`)
	b.accessible("the list on a phone")
	b.open("/c/phone?at=c12")
	b.until("the picture is drawn", painted)
	b.settle()
	b.until("the legend explains the marks", `document.querySelector('.legend-marks').getBoundingClientRect().height > 10`)
	p := b.whereIs("there is a message", `.row('Step 12 is next.')`)
	b.do("touch the message", chromedp.TapXY(p.X+p.Width/2, p.Y+p.Height/2))
	b.until("the block is selected", `location.search.includes('node=text12')`)
	b.until("the block can be read", find+`.css('article.block')`)
	b.accessible("a phone")
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
