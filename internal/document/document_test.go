package document_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

func export(t testing.TB, d *document.Document) string {
	t.Helper()
	var out bytes.Buffer
	must(t, document.Write(context.Background(), &out, d.Tree, d.Edition))
	return out.String()
}

// read reads a document, written here with ' for ".
func read(t testing.TB, text string, o document.Options) (*document.Document, error) {
	t.Helper()
	return document.Read([]byte(strings.ReplaceAll(text, "'", `"`)), o)
}

func TestImportFillsWhatIsMissing(t *testing.T) {
	d, err := read(t, `{'cycle':4,'root':{'children':[{'nodeType':'^seq','children':[{'id':'t','children':[{'id':'b','content':'x','role':null,'ttl':2}]}]}]}}`, document.Options{Edition: selector.V01})
	must(t, err)
	want := `{"cycle":4,"edition":"v0.1","root":{"children":[` +
		`{"children":[],"created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":4,"cycle":4,"id":"sys","nodeType":"^sys","offset":0,"priority":0,"ttl":null},` +
		`{"children":[{"children":[{"content":"x","content_hash":"HASH","created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":3,"cycle":4,"id":"b","nodeType":"cb","offset":0,"priority":0,"ttl":2}],` +
		`"created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":2,"cycle":4,"id":"t","nodeType":"mt","offset":0,"priority":0,"ttl":null}],` +
		`"created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":1,"cycle":4,"id":"seq","nodeType":"^seq","offset":0,"priority":0,"ttl":null},` +
		`{"children":[],"created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":5,"cycle":4,"id":"ah","nodeType":"^ah","offset":0,"priority":0,"ttl":null}],` +
		`"created_at_iso":"1970-01-01T00:00:00.000000000Z","created_at_ns":0,"creation_index":0,"cycle":4,"id":"root","nodeType":"^root","offset":0,"priority":0,"ttl":null},"spec_version":"PACT/0.1.0"}`
	want = strings.Replace(want, "HASH", sure.Get(d.Tree.Node("b")).ContentHash(), 1)
	if got := export(t, d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEditionOfADocument(t *testing.T) {
	turn := func(word string) string {
		return `{'root':{'children':[{'nodeType':'^seq','id':'s','children':[{'id':'t','nodeType':'` + word + `'}]}]}}`
	}
	for _, c := range []struct {
		doc    string
		caller selector.Edition
		want   selector.Edition
	}{
		{turn("mt"), "", selector.V01},
		{turn("seg:x"), "", selector.Canonical},
		{turn("x:turn"), "", selector.Canonical},
		{strings.Replace(turn("seg"), "{'root'", "{'spec_version':'PACT/1.0.0','root'", 1), "", selector.V1},
		{strings.Replace(turn("seg"), "{'root'", "{'spec_version':'PACT/0.1.0','root'", 1), "", selector.Canonical},
		{strings.Replace(turn("mt"), "{'root'", "{'spec_version':'PACT/0.1.0','root'", 1), "", selector.V01},
		{turn("mt"), selector.Depth, selector.Depth},
		{strings.Replace(turn("mt"), "{'root'", "{'edition':'depth','root'", 1), "", selector.Depth},
		{strings.Replace(turn("mt"), "{'root'", "{'edition':'depth','root'", 1), selector.V01, selector.V01},
	} {
		d, err := read(t, c.doc, document.Options{Edition: c.caller})
		if err != nil || d.Edition != c.want {
			t.Errorf("%s as %q: got %v, %v, want %s", c.doc, c.caller, d, err, c.want)
		}
	}
}

func TestUntimedListingOfTheCanonicalEditionIsNewestFirst(t *testing.T) {
	doc := `{'root':{'children':[{'nodeType':'^seq','id':'s','children':[{'id':'new','nodeType':'seg','created_at_ns':null},{'id':'old','nodeType':'seg'}]}]}}`
	for edition, want := range map[selector.Edition]string{selector.Canonical: "old", selector.Depth: "new",
		selector.V01: "new"} {
		d, err := read(t, doc, document.Options{Edition: edition})
		must(t, err)
		if first := sure.Get(d.Tree.Region(tree.Seq).Children().At(0)).Node().ID; first != want {
			t.Errorf("%s: the oldest turn is %q, want %q", edition, first, want)
		}
	}
}

// What no context can have is refused by name, or reported by a lenient reader.
func TestShape(t *testing.T) {
	seq := func(turns string) string {
		return `{'root':{'children':[{'nodeType':'^seq','id':'s','children':[` + turns + `]}]}}`
	}
	for _, c := range []struct{ name, doc, node string }{
		{"second core", seq(`{'id':'t','nodeType':'mt','children':[{'id':'a','nodeType':'mc','children':[]},{'id':'b','nodeType':'mc','children':[]}]}`), "b"},
		{"block beside a core", seq(`{'id':'t','nodeType':'mt','children':[{'id':'a','nodeType':'mc','children':[]},{'id':'b','nodeType':'cb'}]}`), "b"},
		{"block in ^seq", seq(`{'id':'b','nodeType':'cb'}`), "b"},
		{"turn in a turn", seq(`{'id':'t','nodeType':'mt','children':[{'id':'k','nodeType':'cb'},{'id':'u','nodeType':'mt','offset':1}]}`), "u"},
		{"child of a block", seq(`{'id':'t','nodeType':'mt','children':[{'id':'b','nodeType':'cb','children':[{'id':'c','nodeType':'cb'}]}]}`), "c"},
		{"second ^ah", `{'root':{'children':[{'nodeType':'^ah','id':'h'},{'nodeType':'^ah','id':'i'}]}}`, "i"},
		{"fourth region", `{'root':{'children':[{'nodeType':'^other','id':'o'}]}}`, "o"},
		{"removable region", `{'root':{'children':[{'nodeType':'^seq','id':'s','removable':true,'children':[]}]}}`, "s"},
		{"removable root", `{'root':{'id':'r','removable':true,'children':[]}}`, "r"},
		{"removable core", seq(`{'id':'t','nodeType':'mt','children':[{'id':'a','nodeType':'mc','removable':true,'children':[]}]}`), "a"},
		{"region below", seq(`{'id':'t','nodeType':'mt','children':[{'id':'k','nodeType':'cb'},{'id':'h','nodeType':'^ah','offset':1}]}`), "h"},
	} {
		_, err := read(t, c.doc, document.Options{Edition: selector.V01})
		f, ok := err.(*fault.Error)
		if !ok || f.Code != fault.PlacementInvalid || f.Node != c.node {
			t.Errorf("%s: got %v, want E_PLACEMENT_INVALID on %s", c.name, err, c.node)
		}
		d, err := read(t, c.doc, document.Options{Edition: selector.V01, Lenient: true})
		if err != nil || len(d.Findings) != 1 || d.Findings[0].Node != c.node {
			t.Errorf("%s, lenient: got %v, %v", c.name, d, err)
		}
	}
}

// A context has to give later stamps; a question has not.
func TestLastStampIsReadLeniently(t *testing.T) {
	doc := `{'root':{'children':[{'nodeType':'^ah','id':'h','children':[{'id':'b','created_at_ns':9223372036854775807}]}]}}`
	d, err := read(t, doc, document.Options{Lenient: true})
	if err != nil || len(d.Findings) != 1 || d.Findings[0].Code != fault.Limit || d.Findings[0].Node != "b" {
		t.Fatalf("got %v, %v, want a finding for b", d, err)
	}
	if n := sure.Get(d.Tree.Node("b")); n == nil || n.CreatedNS != math.MaxInt64 {
		t.Errorf("got %+v", n)
	}
}

func TestRefused(t *testing.T) {
	node := func(members string) string {
		return `{'root':{'children':[{'nodeType':'^ah','id':'h','children':[{` + members + `}]}]}}`
	}
	for _, c := range []struct {
		name, doc string
		code      fault.Code
	}{
		{"not an object", `[]`, fault.DocumentInvalid},
		{"no root", `{}`, fault.DocumentInvalid},
		{"not JSON", `{'root':`, fault.DocumentInvalid},
		{"negative ttl", node(`'id':'b','ttl':-1`), fault.DocumentInvalid},
		{"fractional ttl", node(`'id':'b','ttl':1.5`), fault.DocumentInvalid},
		{"offset that is no number", node(`'id':'b','offset':'x'`), fault.DocumentInvalid},
		{"offset beyond 64 bits", node(`'id':'b','offset':99999999999999999999`), fault.DocumentInvalid},
		{"no id", node(`'content':'x'`), fault.DocumentInvalid},
		{"long id", node(`'id':'` + strings.Repeat("x", 1025) + `'`), fault.Limit},
		{"lone surrogate in an id", node(`'id':'\ud800'`), fault.DocumentInvalid},
		{"duplicate id", node(`'id':'h'`), fault.NodeDuplicate},
		{"children that are no list", node(`'id':'b','children':{}`), fault.DocumentInvalid},
		{"child that is no object", node(`'id':'b','children':[1]`), fault.DocumentInvalid},
		{"stamp without room after it", node(`'id':'b','created_at_ns':9223372036854775807`), fault.Limit},
		{"priority behind the range", node(`'id':'b','priority':9223370937343148032`), fault.Limit},
		{"offset before the range", node(`'id':'b','offset':-9223370937343148032`), fault.Limit},
		{"index behind the range", node(`'id':'b','creation_index':9223372036854775807`), fault.Limit},
		{"cycle of a node before the range", node(`'id':'b','cycle':-9223372036854775808`), fault.Limit},
		{"ttl behind the range", node(`'id':'b','ttl':9223370937343148032`), fault.Limit},
		{"cycle that none could follow", `{'cycle':9223370937343148031,'root':{}}`, fault.Limit},
		{"cycle at the end of 64 bits", `{'cycle':9223372036854775806,'root':{}}`, fault.Limit},
		{"negative cycle", `{'cycle':-1,'root':{}}`, fault.DocumentInvalid},
		{"unknown edition", `{'edition':'x','root':{}}`, fault.SelectorInvalid},
		{"too deep", `{'root':{'children':[` + strings.Repeat(`{'id':'X','nodeType':'mc','children':[`, 70) +
			strings.Repeat(`]}`, 70) + `]}}`, fault.Limit},
	} {
		for n := 0; strings.Contains(c.doc, "'X'"); n++ {
			c.doc = strings.Replace(c.doc, "'X'", "'x"+strings.Repeat("i", n)+"'", 1)
		}
		if _, err := read(t, c.doc, document.Options{}); fault.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %s", c.name, err, c.code)
		}
	}
}

func TestForeignAttributesAreKept(t *testing.T) {
	text := `{'cycle':1,'root':{'children':[{'nodeType':'^ah','id':'h','children':[{'id':'b','zz':{'b':1,'a':[1e3,2]},'role':7,'tags':'x','created_at_iso':'yesterday','x:y':null}]}]}}`
	d, err := read(t, text, document.Options{})
	must(t, err)
	out := export(t, d)
	for _, want := range []string{`"zz":{"a":[1000.0,2],"b":1}`, `"role":7`, `"tags":"x"`,
		`"created_at_iso":"yesterday"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is lost in %s", want, out)
		}
	}
	if len(d.Findings) != 3 || strings.Contains(out, "x:y") {
		t.Errorf("findings %v, document %s", d.Findings, out)
	}
	again, err := document.Read([]byte(out), document.Options{})
	if err != nil || export(t, again) != out {
		t.Errorf("read again: %v", err)
	}
}

func TestContentThatJSONCannotExpressHasTheEmptyHash(t *testing.T) {
	d, err := read(t, `{'root':{'children':[{'nodeType':'^ah','id':'h','children':[{'id':'b','content':[NaN,1e999]}]}]}}`,
		document.Options{})
	if err != nil || len(d.Findings) != 1 {
		t.Fatal(d, err)
	}
	if out := export(t, d); !strings.Contains(out, `"content":[NaN,Infinity],"content_hash":""`) {
		t.Error(out)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"root":{"children":[{"id":"s","nodeType":"^seq","children":[{"id":"t","nodeType":"mt","children":[{"id":"b","role":"user","content":"x","ttl":3}]}]}]}}`))
	f.Add([]byte(`{"cycle":7,"edition":"canonical","root":{"id":"r","x:y":[1.0,NaN],"children":[{"id":"h","nodeType":"^ah","children":[{"id":"c","nodeType":"cont","children":[{"id":"b"}]}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, lenient := range []bool{false, true} {
			d, err := document.Read(data, document.Options{Lenient: lenient})
			if err != nil {
				if fault.CodeOf(err) == "" {
					t.Fatalf("an error without a code: %v", err)
				}
				continue
			}
			out := export(t, d)
			again, err := document.Read([]byte(out), document.Options{Lenient: lenient})
			if err != nil {
				t.Fatalf("the export does not read: %v\n%s", err, out)
			}
			if twice := export(t, again); twice != out {
				t.Fatalf("exported again:\n%s\n%s", out, twice)
			}
			var thread bytes.Buffer
			must(t, d.Tree.WriteThread(context.Background(), &thread))
			if _, size := d.Tree.ThreadSize(); size != int64(thread.Len()) {
				t.Fatalf("the thread has %d bytes, the sums say %d:\n%s", thread.Len(), size, &thread)
			}
		}
	})
}

// What is sealed goes one level down, and must be read back.
func TestHeadLeavesALevelForSealing(t *testing.T) {
	nest := func(levels int) string {
		doc := `{'root':{'children':[{'id':'h','nodeType':'^ah','children':[`
		for i := range levels {
			doc += `{'id':'g` + strings.Repeat("i", i) + `','nodeType':'mc','offset':1,'children':[`
		}
		return doc + strings.Repeat(`]}`, levels) + `]}]}}`
	}
	if _, err := read(t, nest(tree.MaxDepth-3), document.Options{}); err != nil {
		t.Errorf("%d levels: %v", tree.MaxDepth-3, err)
	}
	if _, err := read(t, nest(tree.MaxDepth-2), document.Options{}); fault.CodeOf(err) != fault.Limit {
		t.Errorf("%d levels: %v", tree.MaxDepth-2, err)
	}
}

// The core of a turn is known without a search: reading a turn of many blocks
// must not take the square of their number.
func TestManyBlocksInOneTurn(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{'root':{'children':[{'id':'h','nodeType':'^ah','children':[`)
	const blocks = 100_000 // minutes, if every block looked at every other
	for i := range blocks {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(&doc, `{'id':'b%d'}`, i)
	}
	doc.WriteString(`]}]}}`)
	d, err := read(t, doc.String(), document.Options{})
	if err != nil || d.Tree.Root().Summary().Blocks != blocks {
		t.Error(err)
	}
}
