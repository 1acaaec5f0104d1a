package e2e

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/contexttree/pact"
)

// stopwatch runs before any script of the page. It notes when the picture is copied onto the
// canvas and the frame after it has been made, with the call that is chosen and the last one
// that the picture has, and when events arrive.
const stopwatch = `(() => {
  window.marks = { frames: [], events: [], first: null }
  let last = 0
  const json = Response.prototype.json
  Response.prototype.json = async function () {
    const value = await json.call(this)
    if (new URL(this.url).pathname.endsWith('/strata')) last = value.to
    return value
  }
  const draw = CanvasRenderingContext2D.prototype.drawImage
  CanvasRenderingContext2D.prototype.drawImage = function (...given) {
    draw.apply(this, given)
    if (!(this.canvas instanceof HTMLCanvasElement) || !this.canvas.classList.contains('strata-canvas')) return
    const shown = last
    requestAnimationFrame(() => {
      const now = performance.now()
      marks.first ??= now
      marks.frames.push([now, Number(this.canvas.ariaValueNow), shown])
    })
  }
  window.EventSource = class extends EventSource {
    constructor(...given) {
      super(...given)
      this.addEventListener('commit', () => marks.events.push(performance.now()))
    }
  }
})()`

// TestMeasure measures what docs/benchmarks.md says of the inspector and prints it. It runs
// where PACT_MEASURE is set, as CONTRIBUTING.md says.
func TestMeasure(t *testing.T) {
	if os.Getenv("PACT_MEASURE") == "" {
		t.Skip("left out: PACT_MEASURE=1 measures")
	}
	db := sqliteFile(t)
	const calls = 1000
	grown(t, db, "large", calls, 102)
	c, err := pact.Open(t.Context(), openStore(t, db), "large", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the last call has %d nodes", c.Working().Len())
	b := newTab(t, serve(t, db))
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: stopwatch}); err != nil {
		t.Fatal(err)
	}
	b.signIn()
	b.patience = 3 * time.Minute
	b.openStory("/c/large") // from here on the server has the context open
	b.call(calls)
	firstPicture(t, b, calls)
	eventToPixel(t, b, c, calls)
}

func firstPicture(t *testing.T, b *tab, calls int) {
	var all []float64
	for range 7 {
		b.do("reload", chromedp.Reload())
		b.until("the picture is drawn", `marks.first`)
		b.call(calls)
		all = append(all, eval[float64](b, `marks.first`))
	}
	slices.Sort(all)
	t.Logf("from the request of the page to the first picture: least %.0f ms, median %.0f ms, most %.0f ms",
		all[0], all[len(all)/2], all[len(all)-1])
	requests(t, b, "0")
}

// requests prints what the page asked for since a moment, an expression in milliseconds.
func requests(t *testing.T, b *tab, since string) {
	for _, line := range eval[[]string](b, `(() => { const since = `+since+`
		return performance.getEntriesByType('resource').filter((e) => e.startTime >= since).map((e) => [
			e.name.replace(location.origin, '').replace(/\?.*/, ''), 'asked', (e.startTime - since).toFixed(0), 'answered',
			(e.responseStart - since).toFixed(0), 'whole', (e.responseEnd - since).toFixed(0) + ' ms', e.decodedBodySize,
			'bytes'].join(' ')) })()`) {
		t.Log(line)
	}
}

// eventToPixel commits from this process and measures in the page from the event of the
// server to the frame that shows the call.
func eventToPixel(t *testing.T, b *tab, c *pact.Context, calls int) {
	b.press("End")
	b.call(calls)
	var all []float64
	for i := 1; i <= 10; i++ {
		eval[bool](b, `marks.frames = [], marks.events = [], true`)
		more(t, c, calls+i)
		shown := fmt.Sprintf(`marks.events.length > 0 && marks.frames.find((f) => f[1] === %d && f[2] === %[1]d)`, calls+i)
		b.until("the call is drawn", shown)
		all = append(all, eval[float64](b, `(`+shown+`)[0] - marks.events[0]`))
	}
	requests(t, b, "marks.events[0]")
	t.Logf("each: %.0f", all)
	slices.Sort(all)
	t.Logf("from the event to the pixel: least %.0f ms, median %.0f ms, most %.0f ms",
		all[0], all[len(all)/2], all[len(all)-1])
}
