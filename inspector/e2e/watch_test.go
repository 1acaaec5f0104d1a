package e2e

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// console collects what goes wrong in a tab.
type console struct {
	mu       sync.Mutex
	all      []string // in the order of the page
	expected []*regexp.Regexp
}

// reportViolations runs before any script of the page. The browser tells a page of every
// breach of its content security policy; this passes the news on to the console.
const reportViolations = `document.addEventListener('securitypolicyviolation', (e) => {
  console.error('content security policy: ' + e.effectiveDirective + ' forbids ' + (e.blockedURI || e.sample))
})`

// watch begins to collect. Requests may go to one origin.
func (c *console) watch(ctx context.Context, origin string) error {
	if err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if address := e.Request.URL; !ownAddress(address, origin) {
				c.add("a request to another origin: " + address)
			}
		case *network.EventWebSocketCreated:
			c.add("a web socket: " + e.URL)
		case *runtime.EventExceptionThrown:
			c.add("exception: " + describe(e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			switch e.Type {
			case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
				c.add("console: " + arguments(e.Args))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				c.add(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, withoutToken(e.Entry.URL)))
			}
		}
	}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: reportViolations})
	return err
}

// ownAddress reports whether a request stays on the machine of its page: it goes to the
// origin, or is made of data that the page has.
func ownAddress(address, origin string) bool {
	if address == origin || strings.HasPrefix(address, origin+"/") || address == "about:blank" {
		return true
	}
	return strings.HasPrefix(address, "data:") || strings.HasPrefix(address, "blob:"+origin+"/")
}

func describe(d *runtime.ExceptionDetails) string {
	text := d.Text
	if d.Exception != nil && d.Exception.Description != "" {
		text += " " + d.Exception.Description
	}
	return text
}

func arguments(all []*runtime.RemoteObject) string {
	var texts []string
	for _, a := range all {
		if a.Description != "" {
			texts = append(texts, a.Description)
		} else {
			texts = append(texts, string(a.Value))
		}
	}
	return strings.Join(texts, " ")
}

func (c *console) add(fault string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fault)
}

// faults returns what went wrong so far.
func (c *console) faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// expect says that a fault belongs to the test: something must go wrong whose description
// matches pattern, as often as it likes.
func (c *console) expect(pattern string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expected = append(c.expected, regexp.MustCompile(pattern))
}

// report fails the test for what went wrong and was not expected, and for what was
// expected and did not go wrong.
func (c *console) report(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	met := make([]bool, len(c.expected))
	for _, fault := range c.all {
		known := false
		for i, pattern := range c.expected {
			if pattern.MatchString(fault) {
				met[i], known = true, true
			}
		}
		if !known {
			t.Error("in the browser: " + fault)
		}
	}
	for i, pattern := range c.expected {
		if !met[i] && !t.Failed() {
			t.Errorf("nothing in the browser matches %s", pattern)
		}
	}
}
