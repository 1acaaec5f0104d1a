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
		"/c/" + name:                              painted,
		"/c/" + name + "?at=c9&node=text4":        selected("text4"),
		"/c/" + name + "?at=c9&view=tree":         `document.querySelector('[role=treeitem]')`,
		"/c/" + name + "?at=c9&view=changes":      `document.querySelector('.change-removed')`,
		"/c/" + name + "?at=c9&view=request":      `document.querySelector('.raw-text')`,
		"/c/" + name + "?view=attempts":           `document.body.innerText.includes('No attempt was recorded')`,
		"/c/" + name + "?view=cost":               `document.querySelector('.lines') && document.querySelector('.findings')`,
		"/c/" + name + "?view=block&node=text4":   `document.body.innerText.includes('sealed into')`,
		"/c/" + name + "?at=c9&q=[kind='result']": `document.querySelectorAll('.lit').length > 0`,
		"/c/" + name + "?q=@t-5..@t0 .block":      `document.querySelector('h1')`,
	}
}

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

// ground is the brightness of the page behind everything, 0 to 255.
const ground = `(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number)
  return Math.round((r + g + b) / 3)
})()`

// middle is the mean brightness of the picture.
const middle = `(() => {
  const data = ` + pixels + `
  let sum = 0, n = 0
  for (let i = 0; i < data.length; i += 4 * 31) if (data[i + 3] > 0) { sum += data[i] + data[i + 1] + data[i + 2]; n += 3 }
  return Math.round(sum / Math.max(1, n))
})()`

// A person whose system is dark sees dark screens.
func TestTheScreenIsDarkForWhoWantsIt(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "dark")
	b := newTab(t, serve(t, db))
	b.media("prefers-color-scheme", "light")
	b.signIn()
	b.openStory("/c/dark")
	light, lightPicture := eval[int](b, ground), eval[int](b, middle)
	b.media("prefers-color-scheme", "dark") // while the page is open
	b.until("the ground becomes dark", ground+` < 100`)
	if light < 200 {
		t.Errorf("the light ground has a brightness of %d", light)
	}
	b.wait("the picture is drawn anew", func() bool { return eval[int](b, middle) < lightPicture })
}
