package runfile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/internal/testrun"
)

// Every text comes back from its pieces, and a text that repeats another costs few of them.
func TestTextsComeBackFromTheirPieces(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	words := []string{"ünï", "a", "\"", "longer words ", "\n", "日本", strings.Repeat("x", 5000)}
	var p pieces
	text, texts, lists := "", []string{""}, []Runs{nil}
	for range 200 {
		for range 40 {
			text += words[draw.IntN(len(words)-1)]
		}
		if draw.IntN(50) == 0 {
			text += words[len(words)-1]
		}
		texts, lists = append(texts, text), append(lists, p.add([]byte(text)))
	}
	for i, want := range texts {
		got, err := join(t.Context(), p.list, lists[i], 1<<30)
		if err != nil || string(got) != want {
			t.Fatalf("text %d of %d bytes comes back with %d, %v", i, len(want), len(got), err)
		}
	}
	sum := 0
	for _, piece := range p.list {
		sum += len(piece)
	}
	// Each text ends in a piece of its own, because the next goes on where it ends.
	if most := len(text) + len(texts)*2*mostPiece; sum > most {
		t.Errorf("the pieces have %d bytes, and the longest text has %d", sum, len(text))
	}
	before := len(p.list)
	if p.add([]byte("before " + text)); len(p.list)-before > 5 {
		t.Errorf("a text that was moved has %d new pieces", len(p.list)-before)
	}
	if _, err := join(t.Context(), p.list, lists[200], int64(len(text))-1); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a text beyond the limit is %v", err)
	}
}

// Lists come back from what differs between them, and texts of a kind that go on cost what is new in them.
func TestTextsOfStatesComeBackFromTheirLists(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	f := &File{}
	var expand func(list int) []int
	expand = func(list int) (all []int) {
		runs := f.lists[list]
		if len(runs) > 0 && runs[0] < 0 {
			all, runs = expand(-1 - runs[0])[:runs[1]], runs[2:]
		}
		for ; len(runs) > 0; runs = runs[2:] {
			for k := range runs[1] {
				all = append(all, runs[0]+k)
			}
		}
		return all
	}
	text, rows, want := "", []int{}, map[string]string{}
	for i := range 300 {
		switch draw.IntN(12) {
		case 0:
			text, rows = text[:draw.IntN(len(text)+1)], rows[:draw.IntN(len(rows)+1)]
		case 1: // the same again
		default:
			text += strings.Repeat(fmt.Sprint("text ", i, " "), draw.IntN(200))
			rows = append(rows, draw.IntN(9), 10+i)
		}
		name := fmt.Sprintf("tree @c%d", i)
		f.SetText(name, []byte(text))
		f.AddState(name, rows)
		want[name] = text
		if got := expand(f.states[i].Rows); !slices.Equal(got, rows) {
			t.Fatalf("the rows of %s are %v, want %v", name, got, rows)
		}
	}
	for name, text := range want {
		got := ""
		for _, piece := range expand(f.texts[name]) {
			got += f.pieces.list[piece]
		}
		if got != text {
			t.Fatalf("%s comes back with %d bytes of %d", name, len(got), len(text))
		}
	}
	numbers := 0
	for _, list := range f.lists {
		numbers += len(list)
	}
	if most := 2*len(f.pieces.list) + 6*2*300; numbers > most {
		t.Errorf("%d numbers for %d pieces and 300 states", numbers, len(f.pieces.list))
	}
}

func pageOf(t testing.TB, archive string) []byte {
	t.Helper()
	f := &File{Name: "run"}
	f.SetArchive([]byte(archive))
	data, err := f.Encode()
	must(t, err)
	return []byte(Mark + "<html>" + Begin + "run\">" + data + End)
}

func TestTheArchiveComesBackFromThePage(t *testing.T) {
	for _, archive := range []string{"", "one\n", strings.Repeat(`{"a":"</script>\u2028"}`+"\n", 999)} {
		page := pageOf(t, archive)
		if got, err := Archive(t.Context(), page, 1<<20); err != nil || string(got) != archive || !IsPage(page) {
			t.Errorf("%d bytes come back as %d, %v", len(archive), len(got), err)
		}
	}
	page := pageOf(t, strings.Repeat("much ", 999))
	if _, err := Archive(t.Context(), page, 100); fault.CodeOf(err) != fault.Limit {
		t.Errorf("a page beyond the limit is %v", err)
	}
	for n := range len(page) - len(End) { // cut short anywhere
		if _, err := Archive(t.Context(), page[:n], 1<<20); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Fatalf("a page cut short at %d is %v", n, err)
		}
	}
}

// No page makes the reader panic or take more than it is allowed.
func FuzzArchive(f *testing.F) {
	f.Add(pageOf(f, "one\n"))
	f.Add([]byte(Mark + Begin + "x\">" + End))
	f.Fuzz(func(t *testing.T, page []byte) {
		const most = 1 << 16
		if text, err := Archive(t.Context(), page, most); err == nil && len(text) > most {
			t.Errorf("%d bytes", len(text))
		}
	})
}

func rules(expression string) redact.Rules {
	return redact.Rules{Expressions: []*regexp.Regexp{regexp.MustCompile(expression)}}
}

// Contents are redacted wherever they stand, names of the format are not, and what tells of the texts goes.
func TestRedactionKeepsTheFormAndLosesTheText(t *testing.T) {
	history := `{"edition":"canonical","pact_history":1}
{"born":[{"parent":"ah","node":{"id":"secret1","role":"user","nodeType":"block","content":"a secret","content_hash":"ab"}}],"entry":{"thread":"cd","message":"secret!"}}
{"attempts":[{"number":1,"model":"m","params":"ef","thread":"01","request":"c2VjcmV0","error":"no secret"}],"born":[{"node":{"data_x":{"role":"secret","k secret":[1.50,"secret"]},"content":{"request":"a secret","role":"user"}}}]}
`
	got, places, err := Redact([]byte(history), rules("secret|user"))
	must(t, err)
	zeros := strings.Repeat("0", 64)
	want := `{"edition":"canonical","pact_history":1}
{"born":[{"node":{"content":"a ██████","id":"██████1","nodeType":"block","role":"user"},"parent":"ah"}],"entry":{"message":"██████!"}}
{"attempts":[{"error":"no ██████","model":"m","number":1,"params":"` + zeros + `","thread":"` + zeros + `"}],"born":[{"node":{"content":{"request":"a ██████","role":"████"},"data_x":{"k ██████":[1.50,"██████"],"role":"██████"}}}]}
`
	if string(got) != want || places != 9 {
		t.Errorf("%d places:\n%s\nwant\n%s", places, got, want)
	}
	for _, all := range []string{".+", ".", `\S*`, "^"} { // they match what was put in place of texts, too
		got, _, err := Redact([]byte(history), rules(all))
		if err != nil || bytes.Contains(got, []byte("secret")) != (all == "^") {
			t.Errorf("%s: %s, %v", all, got, err)
		}
	}
	if _, _, err := Redact([]byte(`{"content":"ab"}`), rules("b?$")); err != nil {
		t.Errorf("an expression that matches nothing at the end: %v", err)
	}
}

// Of a recorded request stay its API and what the provider counted, unless a rule finds it there.
func TestRedactionLeavesWhatTheProviderCounted(t *testing.T) {
	pack := func(request string) string {
		packed, err := history.PackRequest(request)
		must(t, err)
		return base64.StdEncoding.EncodeToString([]byte(packed))
	}
	for request, want := range map[string]string{
		`{"about":{"cached":180,"id":"msg_1","secret":7,"written":4711},"api":"anthropic.messages","call":"secret","frame":"a secret","sha256":"ab"}`: `{"about":{"cached":180},"api":"anthropic.messages"}`,
		`{"about":{"id":"msg_1"},"api":"anthropic.messages"}`: "",
		`{"about":{"cached":180},"api":"secret"}`:             "",
	} {
		line := func(of string) string { return `{"attempts":[{"number":1` + of + "}]}\n" }
		got, _, err := Redact([]byte(line(`,"request":"`+pack(request)+`"`)), rules("secret|4711"))
		if want != "" {
			want = `,"request":"` + pack(want) + `"`
		}
		if err != nil || string(got) != line(want) {
			t.Errorf("of %s stays %s, %v; want %s", request, got, err, line(want))
		}
	}
}

// A number, an escape, a kind, the name of an attribute and a digest tell as much as a text.
func TestRedactionFindsWhatIsNoPlainText(t *testing.T) {
	history := `{"born":[{"node":{"id":"call-0123456789abcdef","kind":"jürgen","nodeType":"block:jürgen","content":{"n":4711,"arguments":"{\"a\":\"J\\u00fcrgen\",\"n\":4711,\"b\":\"{\\\"c\\\":\\\"J\\\\u00fcrgen\\\"}\"}"},"data_Jürgen":1,"acme:x":4711,"pactctx:digest":"ab"}}]}
{"born":[{"node":{"id":"call-0123456789abcdef-1","offset":4711,"kind":"call","refs":["call-0123456789abcdef"],"pact:pruned":["call-0123456789abcdef"],"content":"sha-0123456789abcdef"}}]}
`
	got, _, err := Redact([]byte(history), rules("(?i)jürgen|4711|call$"))
	must(t, err)
	want := `{"born":[{"node":{"acme:x":"████","content":{"arguments":"{\"a\":\"██████\",\"n\":\"████\",\"b\":\"{\\\"c\\\":\\\"██████\\\"}\"}","n":"████"},"data_██████":1,"id":"call-1","kind":"██████","nodeType":"block:██████"}}]}
{"born":[{"node":{"content":"sha-0123456789abcdef","id":"call-1-1","kind":"call","offset":4711,"pact:pruned":["call-1"],"refs":["call-1"]}}]}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got, _, err = Redact([]byte(`{"content":"log: {\"a\":\"J\\u00fcrgen\""}`), rules("Jürgen"))
	if want := `{"content":"log: {\"a\":\"██████\""}` + "\n"; string(got) != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// Pieces without a byte would have a short page cost any time.
func TestEmptyPiecesAreRefused(t *testing.T) {
	if _, err := join(t.Context(), []string{"", "a"}, Runs{1, 1}, 100); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("an empty piece gives %v", err)
	}
	if _, err := join(t.Context(), []string{"ab"}, Runs{0, 1, 0, 1, 0, 1}, 5); fault.CodeOf(err) != fault.Limit {
		t.Errorf("six bytes of five give %v", err)
	}
	if _, err := join(t.Context(), []string{"ab"}, Runs{0, 2}, 5); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a piece that is not there gives %v", err)
	}
	text, err := join(t.Context(), []string{"ab", "c"}, Runs{0, 2, 1, 1}, 5)
	if err != nil || string(text) != "abcc" {
		t.Errorf("%s, %v", text, err)
	}
}

var must = testrun.Must
