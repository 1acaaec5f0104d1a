package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// openStory opens the working screen of a context and waits for its picture.
func (b *tab) openStory(path string) {
	b.t.Helper()
	b.open(path)
	b.until("the picture is drawn", painted)
	b.until("the sentence is there", `document.querySelector('h1')?.innerText.length > 10`)
}

// painted is true once the canvas has more than a ground and a line: it counts colours.
const painted = `(() => {
  const data = ` + pixels + `
  if (!data) return false
  const colours = new Map()
  for (let i = 0; i < data.length; i += 4 * 7) {
    const colour = data[i] << 16 | data[i + 1] << 8 | data[i + 2]
    colours.set(colour, (colours.get(colour) ?? 0) + 1)
  }
  return [...colours.values()].filter((n) => n > 50).length > 3
})()`

// pixels are those of the picture, undefined before there is one. They come from a copy, so
// that reading them does not make the picture slower.
const pixels = `((picture) => {
  if (!picture || picture.width < 100) return undefined
  const copy = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true })
  copy.drawImage(picture, 0, 0)
  return copy.getImageData(0, 0, picture.width, picture.height).data
})(document.querySelector('canvas.strata-canvas'))`

// call waits until a call is shown.
func (b *tab) call(cycle int) {
	b.t.Helper()
	b.until(fmt.Sprintf("call %d is shown", cycle), fmt.Sprintf(
		`document.querySelector('[role=slider]')?.ariaValueNow === '%d' && document.querySelector('h1').innerText.startsWith('Call %d ')`,
		cycle, cycle))
}

// sentence returns the sentence of the screen about the call that is shown.
func (b *tab) sentence() string {
	b.t.Helper()
	return eval[string](b, `[...document.querySelector('h1').childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) =>
		n.data).join('').replace(/\s+/g, ' ')`)
}

// A person with a screen reader reads the table behind the picture, a sentence for each call.
func TestTheTableSaysOfEveryCallWhatTheScreenSays(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "table")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/table")
	said := eval[[]string](b, `[...document.querySelectorAll('.strata table tbody tr')].map((r) => r.lastChild.textContent.replace(/\s+/g, ' '))`)
	if len(said) != storyCalls {
		t.Fatalf("the table has %d calls: %q", len(said), said)
	}
	for cycle := storyCalls; cycle >= 1; cycle-- {
		b.call(cycle)
		if got := b.sentence(); got != said[cycle-1] {
			t.Errorf("of call %d the table says %q, the screen %q", cycle, said[cycle-1], got)
		}
		b.press("ArrowLeft")
	}
}

// canvas is where the picture is.
func (b *tab) canvas() place {
	b.t.Helper()
	return b.whereIs("there is a picture", `.css('canvas.strata-canvas')`)
}

// over moves the mouse over the picture until it is above a call, by halving, and then up
// until the tip names a block. It returns where that is.
func (b *tab) over(cycle int, node string) (x, y float64) {
	b.t.Helper()
	p := b.canvas()
	tip := func(x, y float64) string {
		b.hover(x, y)
		return eval[string](b, `new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() =>
			r(document.querySelector('.tip')?.innerText ?? ''))))`)
	}
	step := p.Height / 60
	for left, right := p.X, p.X+p.Width; right-left > 1; {
		x = (left + right) / 2
		said, at := "", 0
		for y = p.Y + p.Height - step; y > p.Y && at == 0; y -= step {
			said = tip(x, y)
			if i := strings.Index(said, "of call "); i >= 0 {
				_, _ = fmt.Sscanf(said[i:], "of call %d", &at)
			}
		}
		switch {
		case at == 0: // no call stands there: the picture begins further to the right
			left = x
		case at < cycle:
			left = x
		case at > cycle:
			right = x
		default:
			for y = p.Y + p.Height - 2; y > p.Y; y -= 2 {
				if strings.Contains(tip(x, y), node) {
					return x, y
				}
			}
			b.t.Fatalf("the picture of call %d has no block %s", cycle, node)
		}
	}
	b.t.Fatalf("the picture has no call %d", cycle)
	return 0, 0
}

// A person points at bands, clicks one, drags from call to call, and compares two.
func TestTheMouseNamesSelectsAndScrubs(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "mouse")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.openStory("/c/mouse")
	x, y := b.over(8, "result5")
	if tip := eval[string](b, `document.querySelector('.tip').innerText`); !strings.Contains(tip, "result") ||
		!strings.Contains(tip, "since call 5") || !strings.Contains(tip, "%") || !strings.Contains(tip, "agent") {
		t.Errorf("the tip of the block is %q", tip)
	}
	b.do("click the block", chromedp.MouseClickXY(x, y))
	b.call(8)
	b.until("the block is selected", `location.search.includes('node=result5')`)
	b.see("what step 5 printed")
	other, _ := b.over(3, "result3")
	b.do("drag from call 8 to call 3",
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, (x+other)/2, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, other, y, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, other, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	b.call(3)
	b.do("click call 8 with the shift key", chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(chromedp.ModifierShift)))
	b.call(3)
	b.until("the two are compared", `location.search.includes('vs=c8') && location.search.includes('view=changes') &&
		document.querySelector('.sides').textContent.includes('@c8')`)
}
