package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/tracing"
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
	scrubbing(t, b)
	t.Logf("tab: %s", memory(t, b))
	eventToPixel(t, b, c, calls)
	t.Logf("tab after %d more calls: %s", 10, memory(t, b))
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

// scrubbing holds an arrow key down for some seconds, and counts the frames that reach the
// screen, with the trace of the browser.
func scrubbing(t *testing.T, b *tab) {
	const seconds = 5
	events := b.trace(func() {
		end := time.Now().Add(seconds * time.Second)
		for i := 0; time.Now().Before(end); i++ {
			b.press(map[bool]string{true: "ArrowRight", false: "ArrowLeft"}[i%600 >= 300])
		}
	})
	var frames []float64
	for _, e := range events {
		if e.Name == "DrawFrame" {
			frames = append(frames, e.TS/1000)
		}
	}
	slices.Sort(frames)
	longest := 0.0
	for i := 1; i < len(frames); i++ {
		longest = max(longest, frames[i]-frames[i-1])
	}
	steps := eval[int](b, `marks.frames.length`)
	t.Logf("scrubbing: %.0f frames a second, the longest %.0f ms; the picture was drawn %d times",
		float64(len(frames))/seconds, longest, steps)
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

// traced is an event of the trace of the browser; TS is in microseconds.
type traced struct {
	Name string  `json:"name"`
	TS   float64 `json:"ts"`
}

// trace runs something while the browser writes its trace.
func (b *tab) trace(run func()) []traced {
	b.t.Helper()
	var all []traced
	done := make(chan struct{})
	if err := chromedp.ListenBrowser(b.ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, raw := range e.Value {
				var one traced
				if json.Unmarshal(raw, &one) == nil {
					all = append(all, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.CallBrowser(b.ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{
			"devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame", "devtools.timeline"},
	}}); err != nil {
		b.t.Fatal(err)
	}
	run()
	if _, err := chromedp.CallBrowser(b.ctx, tracing.End, struct{}{}); err != nil {
		b.t.Fatal(err)
	}
	<-done
	return all
}

// memory says how much memory the process of the tab has to itself, after a collection.
func memory(t *testing.T, b *tab) string {
	if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, struct{}{}); err != nil {
		t.Fatal(err)
	}
	info, err := chromedp.CallBrowser(b.ctx, systeminfo.GetProcessInfo, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	largest := 0
	for _, p := range info.ProcessInfo {
		if p.Type != "renderer" {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.ID))
		if err != nil {
			continue // it has ended meanwhile
		}
		sum := 0
		for line := range strings.Lines(string(text)) {
			var kB int
			if n, _ := fmt.Sscanf(line, "Private_Dirty: %d kB", &kB); n == 1 {
				sum += kB
			}
			if n, _ := fmt.Sscanf(line, "Private_Clean: %d kB", &kB); n == 1 {
				sum += kB
			}
		}
		largest = max(largest, sum)
	}
	heap := eval[int](b, `performance.memory.usedJSHeapSize`)
	return fmt.Sprintf("%d MB of its own, of that %d MB JavaScript", largest/1000, heap/1_000_000)
}
