package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// readStatus is an expression for the status of an answer that needs the token.
const readStatus = `fetch('/v1/contexts').then((answer) => answer.status)`

// cookies returns the cookies that the browser sends to the site.
func (b *tab) cookies() []*network.Cookie {
	b.t.Helper()
	answer, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{b.site.origin + "/"}})
	if err != nil {
		b.t.Fatal(err)
	}
	return answer.Cookies
}

// A person opens the printed address; the browser gets a cookie, and the token is nowhere on the page.
func TestThePrintedAddressLetsTheBrowserIn(t *testing.T) {
	db := sqliteFile(t)
	b := newTab(t, serve(t, db))
	b.signIn()
	if status := eval[int](b, readStatus); status != 200 {
		t.Errorf("after the address was opened the browser gets %d", status)
	}
	cookies := b.cookies()
	if len(cookies) != 1 || !cookies[0].HTTPOnly || cookies[0].SameSite != network.CookieSameSiteStrict {
		t.Errorf("want one cookie that scripts cannot read and other sites do not send, have %+v", cookies)
	}
	if steps := eval[int](b, `history.length`); steps > 2 {
		t.Errorf("the history has %d entries, so it keeps the address with the token", steps)
	}
	token := strings.TrimPrefix(b.site.address, b.site.origin+"/#token=")
	for _, place := range []string{`document.documentElement.outerHTML`, `document.cookie`, `location.href`,
		`JSON.stringify(localStorage)`, `JSON.stringify(sessionStorage)`, `JSON.stringify(history.state)`} {
		if strings.Contains(eval[string](b, place), token) {
			t.Errorf("the token is in %s", place)
		}
	}
}
