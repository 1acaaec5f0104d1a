package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for something on the screen before it fails. It is
// long because nothing else depends on it: a condition that holds ends the wait at once.
const patience = 30 * time.Second

// tab is a tab of the browser, with cookies of its own.
type tab struct {
	t    testing.TB
	ctx  context.Context
	site *site
	// patience is how long it waits for something on the screen.
	patience time.Duration
	console
}

// newTab opens a tab for the pages of a site and watches it until the test ends.
func newTab(t testing.TB, s *site) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	b := &tab{t: t, ctx: ctx, site: s, patience: patience}
	t.Cleanup(func() {
		if t.Failed() {
			b.keepPicture()
		}
		closeTab()
		b.report(t)
	})
	if err := b.watch(ctx, s.origin); err != nil {
		t.Fatal(err)
	}
	counts := page.AddScriptToEvaluateOnNewDocumentParams{Source: `window.onTheWay = 0
		const ask = window.fetch
		window.fetch = (...given) => { window.onTheWay++; return ask(...given).finally(() => window.onTheWay--) }`}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, counts); err != nil {
		t.Fatal(err)
	}
	b.do("take the size of a small notebook", chromedp.EmulateViewport(1280, 720))
	return b
}

// signIn opens the address that the server printed.
func (b *tab) signIn() {
	b.t.Helper()
	b.open(b.site.address)
	b.until("the token is out of the address bar", `location.hash === ''`)
	b.wait("the browser has the cookie", func() bool { return len(b.cookies()) > 0 })
}

// open goes to an address; one that begins with / is of the site.
func (b *tab) open(address string) {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.site.origin + address
	}
	b.do("open "+withoutToken(address), chromedp.Navigate(address))
}

// withoutToken is an address without its fragment, which may hold a token.
func withoutToken(address string) string {
	plain, _, _ := strings.Cut(address, "#")
	return plain
}

// do runs actions within the time that a test waits.
func (b *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.state())
	}
}

// eval evaluates an expression of JavaScript in the page.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression of JavaScript is true. The page may navigate meanwhile.
func (b *tab) until(what, condition string) {
	b.t.Helper()
	var last error
	b.wait(what+" ("+condition+")", func() bool {
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+condition+")"))
		last = err // a page that is about to go does not answer
		return ok && err == nil
	}, &last)
}

// wait waits until a condition holds. It looks again every few milliseconds. If the
// condition does not come about the test fails, with the errors that why points to.
func (b *tab) wait(what string, holds func() bool, why ...*error) {
	b.t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(b.patience); !holds(); <-look.C {
		if time.Now().After(end) {
			for _, err := range why {
				b.t.Log(*err)
			}
			b.t.Fatalf("not within %v: %s\n%s", b.patience, what, b.state())
		}
	}
}

// state describes the page for the message of a failed test.
func (b *tab) state() string {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](
		`location.pathname + location.search + '\n' + document.body.innerText.slice(0, 2000)`))
	if err != nil {
		return "the page does not answer: " + err.Error()
	}
	return "the page is " + text + "\n" + strings.Join(b.faults(), "\n")
}

// keepPicture keeps what a failed test saw, under build/browser.
func (b *tab) keepPicture() {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("no picture: %v", err)
		return
	}
	path := filepath.Join(repository, "build", "browser", strings.ReplaceAll(b.t.Name(), "/", "-")+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Logf("no picture: %v", err)
		return
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		b.t.Logf("no picture: %v", err)
		return
	}
	b.t.Logf("what the page looked like: %s", path)
}

// quoted writes a text as a string of JavaScript.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("%q cannot be written as JSON: %v", text, err))
	}
	return string(b)
}
