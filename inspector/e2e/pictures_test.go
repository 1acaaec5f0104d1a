package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// writePictures makes the test write what it sees into docs/inspector; who does that looks
// at the pictures.
const writePictures = "PACT_WRITE_PICTURES"

// The pictures of the documentation show a recorded run of an agent under a limit of 30 kB.
// The states that they show come about in the browser, whether they are written or not.
func TestPicturesOfTheDocumentation(t *testing.T) {
	run := filepath.Join(sharedData(), "swe-smith-pandas-53652.traj")
	if _, err := os.Stat(run); err != nil {
		t.Skip("left out: ", err)
	}
	db := sqliteFile(t)
	command(t, db, "import", run, "--name", "run-17", "--max-bytes", "30000")
	b := newTab(t, serve(t, db))
	b.signIn()
	b.do("see a small laptop", chromedp.EmulateViewport(1280, 720))
	const drawn = `document.querySelectorAll('.legend-list li').length > 3 && !document.querySelector('.waiting') &&
		document.querySelector('.strata-canvas').getAttribute('aria-valuetext').startsWith('Call ') && document.querySelectorAll('.strata tr').length > 1`
	for _, state := range []struct{ name, address, keys, scheme, shows string }{
		{"picture", "?at=c36&node=block%3A36-2", "", "light",
			`document.querySelector('.sentence').textContent.includes('21.4 kB behind it were sent anew')`},
		{"limit", "?at=c36&node=block%3A36-2", "-----", "light",
			`document.querySelector('.strata').textContent.includes('would go')`},
		{"changes", "?at=c36&view=changes&node=block%3A36-2", "", "light",
			`document.querySelector('.pane').textContent.includes('pruned')`},
		{"dark", "?at=c28&node=block%3A10-0&q=.block%5Btool%3D%27bash%27%5D", "", "dark", `document.querySelector('.sentence').textContent.includes('call 27')`},
	} {
		b.do("see it "+state.scheme, scheme(state.scheme))
		b.open("/c/run-17" + state.address)
		b.until("all is drawn", drawn)
		if state.keys != "" {
			b.do("press "+state.keys, strokes(state.keys, 0))
		}
		b.until(state.name, state.shows)
		eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
		if os.Getenv(writePictures) != "" {
			b.writePicture(filepath.Join(repository, "docs", "inspector", state.name+".webp"))
		}
	}
}

// sharedData is where tests look for recorded conversations.
func sharedData() string {
	if dir := os.Getenv("PACT_SHARED"); dir != "" {
		return filepath.Join(dir, "data")
	}
	return filepath.Join(repository, "..", "shared", "data")
}

// scheme makes pages light or dark.
func scheme(name string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
		return err
	})
}

// writePicture writes what the tab shows to a file.
func (b *tab) writePicture(path string) {
	b.t.Helper()
	quality := int64(88)
	b.do("take a picture", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		taken, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{
			Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, taken.Data, 0o644)
	}))
}
