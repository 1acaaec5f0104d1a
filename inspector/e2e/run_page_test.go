package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/contexttree/pact"
)

// runPage writes the page of a run and opens it from the disk, in a tab without a network.
func runPage(t *testing.T, db, name string, flags ...string) (b *tab, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "run.html")
	command(t, db, append([]string{"open", name, "--export", file}, flags...)...)
	b = newTab(t, &site{t: t, db: db, origin: "file://"})
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{URLPattern: "http://*:*/*", Offline: true}}}); err != nil {
		t.Fatal(err)
	}
	b.open("file://" + file)
	b.until("the screen is there", `document.querySelector('h1')`)
	return b, file
}

// answers asks for paths of a page and returns what came.
func answers(b *tab, paths []string) []string {
	b.t.Helper()
	list, err := json.Marshal(paths)
	if err != nil {
		b.t.Fatal(err)
	}
	return eval[[]string](b, `(async () => { const all = []; for (const path of `+string(list)+
		`) all.push(await (await fetch(path)).text()); return all })()`)
}

// asked are requests of the inspector for everything that it shows of the story.
func asked(name string) (paths []string) {
	of := "/v1/contexts/" + url.PathEscape(name)
	add := func(form string, args ...any) { paths = append(paths, of+fmt.Sprintf(form, args...)) }
	add("")
	paths = append(paths, "/v1/policies?context="+url.QueryEscape(name))
	for _, unit := range []string{"bytes", "tokens"} {
		add("/calls?unit=%s&limit=4000", unit)
		add("/calls?unit=%s&limit=4000&from=@c3&to=@c9", unit)
		add("/strata?columns=800&rows=300&draft=true&unit=%s&from=@c1&to=@c%d", unit, storyCalls)
		add("/blocks?at=@c9&unit=%s", unit)
		add("/blocks?at=@c9&vs=@c4&unit=%s", unit)
		add("/blocks?at=@c7&order=carried&unit=%s", unit)
	}
	for cycle := 1; cycle <= storyCalls; cycle++ {
		at := fmt.Sprintf("@c%d", cycle)
		add("/blocks?at=%s&limit=1000", at)
		add("/blocks?at=%s&vs=@c2&limit=1", at)
		add("/blocks?at=%s&order=bytes&new=true&limit=3&after=1", at)
		add("/blocks?at=%s&kind=call,result&failed=true", at)
		add("/tree?at=%s&unit=bytes&limit=20&after=7", at)
		add("/attempts?from=%d&to=%d", cycle, cycle)
		add("/thread?at=%s&as=canonical", at)
		add("/nodes/rules?at=%s", at)
		add("/nodes/call1?at=%s", at)
		add("/select?q=%s&limit=1", url.QueryEscape(at+" [id='call3']"))
		add("/select?q=%s&limit=1", url.QueryEscape(at+" [id=call3]"))
		if cycle > 1 {
			add("/diff?from=@c%d&to=%s&content_mode=tokens", cycle-1, at)
		}
	}
	add("/blocks?at=working&vs=@c%d", storyCalls)
	add("/nodes/result3/life")
	add("/nodes/text12?at=working")
	return paths
}

// The page of a run has, without a server and a network, the answers of the server, and a person sees the
// picture, the threads, the changes and the requests in it.
func TestThePageOfARunAnswersAsTheServer(t *testing.T) {
	db := sqliteFile(t)
	name := "a run/ünï"
	alone := &pact.CommitOptions{Pruning: &pact.Pruning{IDs: []string{"result5"}}} // whose call stays
	if _, err := story(t, db, name).Commit(t.Context(), alone); err != nil {
		t.Fatal(err)
	}
	served := newTab(t, serve(t, db))
	served.signIn()
	b, file := runPage(t, db, name)
	paths := append(asked(name), "/v1/contexts/"+url.PathEscape(name)+"/blocks?limit=1000&at=@c"+strconv.Itoa(storyCalls+1))
	want, got := answers(served, paths), answers(b, paths)
	for i, path := range paths {
		var w, g any
		if err := json.Unmarshal([]byte(want[i]), &w); err != nil {
			t.Fatal(path, err)
		}
		if err := json.Unmarshal([]byte(got[i]), &g); err != nil {
			t.Errorf("%s: %v: %.200s", path, err, got[i])
		} else if !reflect.DeepEqual(without(w), without(g)) {
			t.Errorf("%s\nthe server says %.1500s\nthe page says   %.1500s", path, want[i], got[i])
		}
	}
	nowhere := "/v1/contexts/" + url.PathEscape(name) + "/tree?unit=bytes&at=@c" + strconv.Itoa(storyCalls+99)
	if got := answers(b, []string{nowhere})[0]; !strings.Contains(got, "E_FILE") {
		t.Errorf("%s: %.200s", nowhere, got)
	}
	for _, view := range []string{"thread", "tree", "changes", "request", "attempts", "cost"} {
		b.open("file://" + file + "#/c/" + url.PathEscape(name) + "?at=c9&view=" + view + "&node=rules")
		b.do("load it anew", chromedp.Reload())
		b.until("the screen is there", `document.querySelector('h1')`)
		b.settle()
		if text := eval[string](b, `document.querySelector('#pane').innerText`); len(text) < 20 {
			t.Errorf("%s shows %q", view, text)
		}
		if text := eval[string](b, `document.body.innerText`); strings.Contains(text, "no answer") || !strings.Contains(text, "brought in @c1") {
			t.Errorf("%s lacks an answer: %s", view, text)
		}
		if asks := eval[string](b, `[...document.querySelectorAll('button')].map((b) => b.textContent).find((text) =>
			/^(what if|draw|fork|sign out)/i.test(text)) ?? ''`); asks != "" {
			t.Errorf("%s has the button %q, which only a server answers", view, asks)
		}
	}
	b.until("it says where it is", `document.body.innerText.includes('All of this run is in this file')`)
	served.open("/c/" + url.PathEscape(name))
	const button = `[...document.querySelectorAll('#switch a[download]')].find((a) => a.textContent === 'Save as a page')`
	served.until("the page can be saved", button)
	saved := filepath.Join(t.TempDir(), "saved.html")
	text := eval[string](served, `(async () => (await fetch(`+button+`.href)).text())()`)
	if err := os.WriteFile(saved, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	before := command(t, db, "export", name, "--all")
	for as, from := range map[string]string{"back": file, "saved": saved} {
		command(t, db, "import", from, "--name", as)
		if command(t, db, "export", as, "--all") != before {
			t.Errorf("the run that was imported from the page %s is another one", as)
		}
	}
}

// without leaves out what differs between two stores: numbers of revisions and times of now, and the forms of a request, of which a page has
// one.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"revision", "changed", "forms"} {
			delete(v, name)
		}
		for name := range v {
			v[name] = without(v[name])
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}

// A run full of markup and scripts stays text in its page, which runs nothing and asks for nothing.
func TestAHostileRunStaysTextInItsPage(t *testing.T) {
	db := sqliteFile(t)
	name := hostile(t, db)
	b, file := runPage(t, db, name)
	for _, query := range []string{"?at=c1", "?at=c2", "?at=c2&view=tree", "?at=c2&view=changes", "?at=c2&view=request"} {
		b.open("file://" + file + "#/c/" + url.PathEscape(name) + query)
		b.do("load it anew", chromedp.Reload())
		b.until("the screen is there", `document.querySelector('h1')`)
		b.settle()
		if got := eval[string](b, harmedInFile); got != `[null,[],0]` {
			t.Errorf("%s: %s", query, got)
		}
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"<img", "</script><script>window", "data-hostile src", `" data-hostile`} {
		if bytes.Contains(page, []byte(text)) {
			t.Errorf("the page has %q as it is", text)
		}
	}
}

// harmedInFile is harmed for a page whose links lead to itself.
const harmedInFile = `JSON.stringify([window.hostile ?? null,
  [...document.querySelectorAll('[data-hostile], iframe, base, form[action], a[href*="hostile.invalid"], a[href^="javascript"]')]
    .map((e) => e.outerHTML), document.querySelectorAll('img').length])`

// What an expression matches is nowhere in a redacted page, and the page says that it was redacted.
func TestARedactedPageDoesNotHaveWhatWasRedacted(t *testing.T) {
	db := sqliteFile(t)
	story(t, db, "secret-run")
	b, _ := runPage(t, db, "secret-run", "--redact", "is nowhere")
	b.until("it does not say that all is there", `document.body.innerText.includes('Redacted: 0 places, and no recorded bytes.')`)
	b, file := runPage(t, db, "secret-run", "--redact", "careful|Monday|secret")
	b.until("it says so", `document.body.innerText.includes('Redacted: ')`)
	b.do("become a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulatePortrait, chromedp.EmulateMobile))
	b.until("all of it is in sight", `(() => {
		const note = document.querySelector('.in-file')
		return note.scrollWidth <= note.clientWidth && note.getBoundingClientRect().right <= 390
	})()`)
	whole := eval[string](b, `(async () => {
		const text = atob(document.getElementById('run').text)
		const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0))
		return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
	})()`)
	if !strings.Contains(whole, "what step 5 printed") {
		t.Error("the page lacks what was not redacted")
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"careful", "Monday", "secret"} {
		if strings.Contains(whole, word) || bytes.Contains(page, []byte(word)) {
			t.Errorf("the page has %q", word)
		}
	}
	command(t, db, "import", file, "--name", "redacted")
	if text := command(t, db, "thread", "redacted", "--as", "text"); !strings.Contains(text, "You are a ███████ engineer. It is ██████.") {
		t.Errorf("the import gives %s", text)
	}
}
