package document_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// What a document leaves open or says wrongly is named, and is no reason to refuse it.
func TestFindings(t *testing.T) {
	turn := func(id, more string) string {
		return `{'id':'` + id + `','nodeType':'mt',` + more + `'children':[{'id':'b` + id + `','nodeType':'cb'}]}`
	}
	seq := func(turns ...string) string {
		return `{'root':{'children':[{'id':'s','nodeType':'^seq','children':[` + strings.Join(turns, ",") + `]}]}}`
	}
	block := func(headers string) string {
		return `{'root':{'children':[{'id':'h','nodeType':'^ah','children':[{'id':'b','nodeType':'cb',` + headers + `}]}]}}`
	}
	for _, c := range []struct{ name, doc, node, says string }{
		{"a turn with one block", seq(turn("t", "")), "", ""},
		{"a turn of pre-context (02 §4.2)", seq(`{'id':'t','children':[{'id':'p','nodeType':'cb','offset':-1}]}`), "t", "has no core"},
		{"a turn of a group (02 §4.2)", seq(`{'id':'t','nodeType':'mt','children':[{'id':'g','nodeType':'mc','offset':2,'children':[]}]}`), "t",
			"has no core"},
		{"a turn of nothing", seq(`{'id':'t','nodeType':'mt','children':[]}`), "t", "has no core"},
		{"a turn with an empty core", seq(`{'id':'t','nodeType':'mt','children':[{'id':'c','nodeType':'mc','children':[]}]}`), "", ""},
		{"two turns without stamps", seq(turn("t", ""), turn("u", "")), "s", "read oldest first"},
		{"two turns, one with a stamp", seq(turn("t", ""), turn("u", `'created_at_ns':1,`)), "", ""},
		{"a core with a ttl (02 §4.2)", seq(`{'id':'t','nodeType':'mt','children':[{'id':'c','nodeType':'mc','ttl':2,'children':[]}]}`), "c", "the core has a ttl"},
		{"a group with a ttl", seq(`{'id':'t','nodeType':'mt','children':[{'id':'b'},{'id':'c','nodeType':'mc','offset':1,'ttl':2}]}`), "", ""},
		{"a region without id, and a node that has its name", `{'edition':null,'root':{'children':[{'nodeType':'^sys','children':[{'id':'sys'},{'id':'root'}]}]}}`, "", ""},
		{"no cycle", `{'cycle':null,'root':{'children':[]}}`, "", ""},
		{"a time that is the stamp's", block(`'created_at_ns':1500000000,'created_at_iso':'1970-01-01T01:00:01.5+01:00'`), "", ""},
		{"one with fewer decimals", block(`'created_at_ns':1500000001,'created_at_iso':'1970-01-01T00:00:01.5Z'`), "", ""},
		{"one without", block(`'created_at_ns':1500000001,'created_at_iso':'1970-01-01T00:00:01Z'`), "", ""},
		{"another time", block(`'created_at_ns':1500000001,'created_at_iso':'1970-01-01T00:00:02Z'`), "b", "created_at_iso is not"},
		{"a time without a stamp", block(`'created_at_iso':'2026-01-01T00:00:00Z'`), "b", "created_at_iso is not"},
	} {
		d, err := read(t, c.doc, document.Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.says == "" && len(d.Findings) > 0:
			t.Errorf("%s: %v", c.name, d.Findings)
		case c.says != "" && (len(d.Findings) != 1 || d.Findings[0].Node != c.node || !strings.Contains(d.Findings[0].Message, c.says)):
			t.Errorf("%s: got %v, want %s of %s", c.name, d.Findings, c.says, c.node)
		}
	}
}

// A ttl that counts from the cycle of its node ends at a cycle that a header can hold (1.0 03 §3.2).
func TestTooLargeTTLOfALaterNode(t *testing.T) {
	block := `{'spec_version':'PACT/1.0.0','root':{'children':[{'id':'h','nodeType':'^ah','children':[{'id':'b','nodeType':'block',
		'ttl':TTL,'cycle':9223370937343148031}]}]}}` // tree.MaxInteger
	for ttl, want := range map[string]fault.Code{"0": "", "1": fault.Limit, "9223370937343148031": fault.Limit} {
		_, err := read(t, strings.Replace(block, "TTL", ttl, 1), document.Options{})
		if fault.CodeOf(err) != want {
			t.Errorf("a ttl of %s: %v", ttl, err)
		}
	}
}

// An empty list of tags or references is none, as in an edit.
func TestEmptyListsAreNone(t *testing.T) {
	d, err := read(t, `{'root':{'children':[{'id':'h','nodeType':'^ah','children':[{'id':'b','tags':[],'refs':[],'x:y':[]}]}]}}`, document.Options{})
	must(t, err)
	if out := export(t, d); strings.Contains(out, `"tags"`) || strings.Contains(out, `"refs"`) || !strings.Contains(out, `"x:y":[]`) {
		t.Error(out)
	}
}

// A document that names no canonical type is listed oldest first, in whatever edition it is read.
func TestUntimedListingWithoutTypesIsOldestFirst(t *testing.T) {
	doc := `{'root':{'children':[{'nodeType':'^seq','id':'s','children':[{'id':'one','children':[{'id':'a'}]},{'id':'two','children':[{'id':'b'}]}]}]}}`
	for _, e := range []selector.Edition{"", selector.V01, selector.Depth, selector.Canonical} {
		d, err := read(t, doc, document.Options{Edition: e})
		must(t, err)
		first, err := d.Tree.Region(tree.Seq).Children().At(0)
		if err != nil || first.Node().ID != "one" || len(d.Findings) != 1 {
			t.Errorf("%q: the oldest turn is %q, %v; %v", e, first.Node().ID, d.Findings, err)
		}
	}
}

// 07 §4.1 prints a flat log and what it is prior to the commit: ^sys, and one core of ^ah.
func TestFlatLog(t *testing.T) {
	log := `{'flat_log':[{'role':'user','content':'Hello'},{'role':'system','content':'You are helpful.'},{'role':'assistant','content':'Hi!','id':'mine','kind':'note'}]}`
	named := strings.Replace(log, "{", "{'edition':'canonical',", 1)
	for e, words := range map[selector.Edition][2]string{"": {"mc", "cb"}, selector.Canonical: {"cont", "block"}, "named": {"cont", "block"}} {
		text := log
		if e == "named" {
			e, text = "", named
		}
		d, err := read(t, text, document.Options{Edition: e})
		if err != nil || len(d.Findings) > 0 || d.Tree.Cycle() != 0 {
			t.Fatal(d, err)
		}
		var got []string
		for p, err := range d.Tree.All() {
			must(t, err)
			got = append(got, p.Node().Type+" "+p.Node().ID+" "+p.Node().Role+" "+p.Node().Kind)
		}
		want := []string{"^root root  ", "^sys sys  ", "B B:0-1 system text", "^seq seq  ", "^ah ah  ", "C C:0-3  ",
			"B B:0-0 user text", "B mine assistant note"}
		for i := range want {
			want[i] = strings.NewReplacer("C", words[0], "B", words[1]).Replace(want[i])
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("%q: got\n%s\nwant\n%s", e, g, w)
		}
	}
	d, err := read(t, `{'edition':null,'flat_log':[{'role':'user'},{'id':'cb:0-0','role':'user'},{'id':'ah','role':'user'}]}`, document.Options{})
	if err != nil || d.Edition != selector.V01 || d.Tree.Region(tree.Head).Node().ID != "ah-2" || d.Tree.Len() != 8 {
		t.Errorf("ids that a log takes: %v, %v", d, err)
	}
	for _, bad := range []string{`{'flat_log':[7]}`, `{'flat_log':[{'content':'x'}]}`, `{'flat_log':{'role':'user'}}`} {
		if _, err := read(t, bad, document.Options{}); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
