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

// A person comes back after the server was started again and has to sign in anew.
func TestTheCookieOfAnEarlierRunIsWorthless(t *testing.T) {
	s := serve(t, sqliteFile(t))
	b := newTab(t, s)
	b.signIn()
	before := s.address
	b.do("leave the page", chromedp.Navigate("about:blank"))
	s.restart()
	if s.address == before {
		t.Fatal("two runs of the server have the same token")
	}
	b.expect(`network: .* 401 `)
	b.open("/")
	if status := eval[int](b, readStatus); status != 401 {
		t.Errorf("the cookie of the run before gets %d", status)
	}
	b.signIn()
	if status := eval[int](b, readStatus); status != 200 {
		t.Errorf("the token of this run gets %d", status)
	}
}

// TestANamedTokenOpensItsContextsUntilItIsRevoked signs in with a named token that has a pattern, and
// revokes it while the page follows a context. The cookie then opens nothing.
func TestANamedTokenOpensItsContextsUntilItIsRevoked(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "mine")
	story(t, db, "theirs")
	secret := strings.TrimSpace(command(t, db, "token", "add", "team", "--read", "--context", "mine*"))
	b := newTab(t, serve(t, db))
	b.open("/#token=" + secret)
	b.wait("the browser has its cookie", func() bool { return len(b.cookies()) == 1 })
	names := `fetch('/v1/contexts').then((answer) => answer.json()).then((page) => page.items.map((row) => row.name).join())`
	if got := eval[string](b, names); got != "mine" {
		t.Errorf("the token lists %q", got)
	}
	b.expect(`network: .* 40[13] `)
	if status := eval[int](b, `fetch('/v1/contexts/theirs').then((answer) => answer.status)`); status != 403 {
		t.Errorf("a context outside of the pattern gets %d", status)
	}
	b.openStory("/c/mine")
	b.see("live")
	command(t, db, "token", "revoke", "team")
	b.wait("the cookie opens nothing", func() bool { return eval[int](b, readStatus) == 401 })
	b.until("the page is no longer live", `!/\blive\b/.test(document.querySelector('header').innerText)`)
	b.do("reload", chromedp.Reload())
	if status := eval[int](b, readStatus); status != 401 {
		t.Errorf("after a reload the cookie gets %d", status)
	}
}
