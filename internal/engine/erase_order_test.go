package engine

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

func TestFinder(t *testing.T) {
	e := Erase{Texts: []string{`Jané "J" Doe`, "4711"}}
	f := newFinder(e.Texts)
	for v, want := range map[canon.Value]bool{
		`"Jan\u00e9 \"J\" Doe was here"`:                                      true,
		`{"a":[{"b":"Jan\u00e9 \"J\" Doe"}]}`:                                 true,
		`{"Jan\u00e9 \"J\" Doe":null}`:                                        true,
		`"{\"who\":\"Jan\\u00e9 \\\"J\\\" Doe\"}"`:                            true, // JSON in a string, as Python writes it
		`"{\"who\":\"Jan\u00e9 \\\"J\\\" Doe\"}"`:                             true, // as JavaScript does
		`"{\"a\":\"{\\\"who\\\":\\\"Jan\u00e9 \\\\\\\"J\\\\\\\" Doe\\\"}\"}"`: true, // twice
		`"a PIN: 4711."`:   true,
		`[12,4711.5]`:      true,
		`147112`:           true,
		`"Jane \"J\" Doe"`: false,
		`"47 11"`:          false,
		`""`:               false,
		``:                 false,
		`["u00e9","n\n"]`:  false,
	} {
		if f.inValue(v) != want {
			t.Errorf("%s: %v", v, !want)
		}
	}
	for id, want := range map[string]bool{"block:4711-0": false, "block:1-4711": false, "cb:4711-0-f2": false,
		"x:4711:1-0": true, "of 4711": true,
		"4711-0": true, "block:4711-x": true, "block:4711:1-0": true, "1-4711": true} {
		if f.inID(id) != want {
			t.Errorf("%s: %v", id, !want)
		}
	}
	e.Texts = []string{"ah", "root", "seg", "0"}
	for id, want := range map[string]bool{"ah:1-4": false, "ah": false, "root": false, "sys": false, "seg:10-0": false,
		"ah:1-4-f2": false,
		"rah:1-4":   true, "roots": true, "ah:x": true, "seg": true, "ah:x:1-0": true, "note:1-0": false} {
		if f := newFinder(e.Texts); f.inID(id) != want {
			t.Errorf("%s: %v", id, !want)
		}
	}
	// Escapes do not pass for letters.
	e.Texts = []string{"n", "u00e9"}
	if f := newFinder(e.Texts); f.inValue(`"\u00e9\n"`) {
		t.Error("an escape was taken for a text")
	}
	if f := newFinder(nil); f.inValue(`"a"`) || f.in("") {
		t.Error("nothing was found in something")
	}
	// What stays is not looked through.
	e.Texts = []string{"user", "text"}
	n := tree.NewNode(tree.Node{ID: "a", Type: "block", Headers: []tree.Header{{Name: "role", Value: `"user"`},
		{Name: "kind", Value: `"text"`}}}, nil)
	if goes, stays := newFinder(e.Texts).inNode(n, ""); goes || stays {
		t.Errorf("a role or a kind was found: %v, %v", goes, stays)
	}
}

// TestFinderDecodes has texts in JSON in strings, spelled in every way that JSON
// allows.
func TestFinderDecodes(t *testing.T) {
	within := func(text string) canon.Value { return canon.String(text) }
	e := Erase{Texts: []string{"José <jose@example.org>", "a/b", "😀 smith", "two\nlines", `C:\new`}}
	f := newFinder(e.Texts)
	for _, text := range []string{
		`{"to":"Jos\u00E9 <jose@example.org>"}`,
		`{"to":"Jos\u00e9 \u003cjose@example.org\u003E"}`,
		`{"to":"\u004aos\u00e9 \u003cjose@example.org>"}`,
		`Called with {"to":"José \u003cjose@example.org\u003e"} at C:\`,
		`"a\/b"`,
		`"a\u002Fb"`,
		`"\ud83d\uDE00 smith"`,
		`"two\u000alines"`,
		`"two\nlines"`,
		`"C:\\new"`,
		`C:\new`,
		`"C:\u005cnew"`,
	} {
		v := within(text)
		for level := range 7 { // JSON in a string in JSON in a string …
			if !f.inValue(v) {
				t.Errorf("level %d: nothing is found in %s", level, v)
			}
			if array := canon.Value("[1," + string(v) + "]"); !f.inValue(array) {
				t.Errorf("level %d: nothing is found in %s", level, array)
			}
			v = within(string(v))
		}
		slashed := strings.ReplaceAll(text, "/", `\/`)
		if !f.inValue(within(string(within(slashed)))) {
			t.Errorf("nothing is found in %s with its slashes escaped", text)
		}
	}
	for _, text := range []string{`\u00e`, `\ud83d smith`, `\uDE00\ud83d smith`, `\`, `\x`, `\u00zz`, `Jos\u00e8`,
		`a\\u002fb`[:3], `"two\\tlines"`, strings.Repeat(`\`, 4000)} {
		if f.in(text) {
			t.Errorf("something is found in %s", text)
		}
	}
}

// TestFinderIsBounded has texts that decode without end.
func TestFinderIsBounded(t *testing.T) {
	f := newFinder([]string{"Jane"})
	hostile := `\` + strings.Repeat("u005c", 200_000)
	if allocated := testing.AllocsPerRun(1, func() { f.in(hostile) }); allocated > 100 {
		t.Errorf("%v allocations", allocated)
	}
}

// An erasure leaves of a request the API and the provider's counts, unless they hold the text.
func TestWhatAnErasureLeavesOfARequest(t *testing.T) {
	const request = `{"about":{"cached":4711,"id":"resp_1","written":12},"api":"openai.chat","answer":"Jane",` +
		`"frame":[1],"sha256":"00"}`
	for name, c := range map[string]struct {
		texts []string
		sent  bool
		left  string
	}{
		"neither sent nor holding it": {[]string{"John"}, false, request},
		"by id":                       {nil, true, `{"about":{"cached":4711,"written":12},"api":"openai.chat","erased":true}`},
		"holding it":                  {[]string{"Jane"}, false, `{"about":{"cached":4711,"written":12},"api":"openai.chat","erased":true}`},
		"a count":                     {[]string{"4711"}, true, `{"about":{"written":12},"api":"openai.chat","erased":true}`},
		"the API":                     {[]string{"openai"}, true, `{"about":{"cached":4711,"written":12},"erased":true}`},
	} {
		packed, err := history.PackRequest(request)
		must(t, err)
		x := &erasure{finder: newFinder(c.texts)}
		a, _, err := x.erasedAttempt(history.Attempt{Request: packed}, c.sent, false, false)
		must(t, err)
		left, err := history.UnpackRequest(a.Request)
		if err != nil || left != c.left && c.left != request || c.left == request && a.Request != packed {
			t.Errorf("%s leaves %s, want %s; %v", name, left, c.left, err)
		}
		if again, changed, err := x.erasedAttempt(a, c.sent, false, false); err != nil || changed || again.Request != a.Request {
			t.Errorf("%s: a second erasure changes it", name)
		}
	}
	odd, _, _ := (&erasure{finder: newFinder(nil)}).erasedAttempt(history.Attempt{Request: "not packed"}, true, false, false)
	if left, err := history.UnpackRequest(odd.Request); err != nil || left != `{"erased":true}` {
		t.Errorf("a request that cannot be read leaves %s, %v", left, err)
	}
}

var must = testrun.Must
