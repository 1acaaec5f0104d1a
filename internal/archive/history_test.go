package archive_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// Histories that are none, each with the line that says so.
func TestBadHistoriesAreRefusedWithTheirLine(t *testing.T) {
	head := `{'edition':'v0.1','pact_history':1}`
	node := func(id, kind, parent string) string {
		return `{'node':{'id':'` + id + `','nodeType':'` + kind + `'},'parent':'` + parent + `'}`
	}
	first := `{'cycle':1,'born':[` + node("root", "^root", "") + `,` + node("sys", "^sys", "root") + `,` +
		node("seq", "^seq", "root") + `,` + node("ah", "^ah", "root") + `]}`
	line := func(born ...string) string { return `{'cycle':2,'born':[` + strings.Join(born, ",") + `]}` }
	group := node("g", "mc", "sys")
	for _, c := range []struct {
		name  string
		lines []string
		line  int
		code  fault.Code
	}{
		{"empty", nil, 0, fault.DocumentInvalid},
		{"another format", []string{`{'pact_history':2}`}, 1, fault.DocumentInvalid},
		{"no snapshot", []string{head}, 0, fault.DocumentInvalid},
		{"a gap between cycles", []string{`{'cycle':1,'root':{}}`, `{'cycle':3,'root':{}}`}, 2, fault.DocumentInvalid},
		{"another root, in snapshots", []string{`{'cycle':1,'root':{'id':'a'}}`, `{'cycle':2,'root':{'id':'b'}}`}, 2,
			fault.DocumentInvalid},
		{"the root below something", []string{head, first, line(node("root", "^root", "sys"))}, 3, fault.DocumentInvalid},
		{"a second root", []string{head, first, line(node("other", "^root", ""))}, 3, fault.DocumentInvalid},
		{"a parent that is not there", []string{head, first, line(node("b", "cb", "nobody"))}, 3, fault.DocumentInvalid},
		{"a first root that is removable", []string{head, strings.Replace(first, `'^root'`, `'^root','removable':true`, 1)},
			2, fault.PlacementInvalid},
		{"a root that becomes removable",
			[]string{head, first, line(`{'node':{'id':'root','nodeType':'^root','removable':true},'parent':''}`)}, 3,
			fault.PlacementInvalid},
		{"a node below itself", []string{head, first, line(group), strings.Replace(line(node("g", "mc", "g")), "2", "3", 1)},
			4, fault.PlacementInvalid},
		{"twice in a line", []string{head, first, line(group, group)}, 3, fault.NodeDuplicate},
		{"the end of a region", []string{head, first, `{'cycle':2,'born':[],'died':['seq']}`}, 3, fault.PlacementInvalid},
		{"the end of the root", []string{head, first, `{'cycle':2,'born':[],'died':['root']}`}, 3, fault.DocumentInvalid},
		{"a block in ^seq", []string{head, first, line(node("b", "cb", "seq"))}, 3, fault.PlacementInvalid},
		{"a child of a block", []string{head, first, line(node("b", "cb", "sys"), node("c", "cb", "b"))}, 3,
			fault.PlacementInvalid},
		{"a block that becomes the head", []string{head, first, line(node("b", "cb", "sys")), `{'cycle':3,'born':[` +
			node("b", "^ah", "root") + `],'died':['ah']}`}, 4, fault.DocumentInvalid},
		{"a block that becomes the head, in snapshots",
			[]string{`{'cycle':1,'root':{'children':[{'id':'s','nodeType':'^sys','children':[{'id':'x','nodeType':'cb'}]}]}}`,
				`{'cycle':2,'root':{'children':[{'id':'s','nodeType':'^sys','children':[]},{'id':'x','nodeType':'^ah'}]}}`}, 2,
			fault.DocumentInvalid},
		{"a group with a child that becomes a block", []string{head, first, line(group, node("k", "cb", "g")),
			`{'cycle':3,'born':[` + node("g", "cb", "sys") + `]}`}, 4, fault.PlacementInvalid},
		{"something after the working state", []string{head, first, `{'working':2,'born':[]}`, line(group)}, 4,
			fault.DocumentInvalid},
		{"no JSON", []string{head, first, `{`}, 3, fault.DocumentInvalid},
	} {
		text := strings.ReplaceAll(strings.Join(c.lines, "\n"), "'", `"`)
		_, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text),
			&pact.ImportOptions{Strict: true})
		f, ok := err.(*fault.Error)
		if !ok || f.Code != c.code || f.Line != c.line {
			t.Errorf("%s: got %v, want %s on line %d", c.name, err, c.code, c.line)
		}
	}
}

func TestImportedDocumentIsEditedAndCommitted(t *testing.T) {
	doc := strings.ReplaceAll(`{'cycle':41,'root':{'children':[{'id':'h','nodeType':'^ah','children':[{'id':'m','nodeType':'mc','children':[{'id':'u','nodeType':'cb','role':'user','content':'Hello'}]}]}]}}`, "'", `"`)
	c, findings, err := pact.Import(background, pact.NewDB(store.NewMemory()), "c", []byte(doc),
		&pact.ImportOptions{OpenOptions: pact.OpenOptions{Clock: steps()}})
	must(t, err)
	if len(findings) > 0 || c.Info().Edition != selector.V01 {
		t.Error(findings, c.Info().Edition)
	}
	update := func(text string) error {
		return c.Edit(background, func(b *pact.Batch) error {
			b.Update("u", func(s *pact.Spec) { s.Content = text })
			return nil
		}, nil)
	}
	must(t, update("x")) // nothing was sealed yet (03 §5.5)
	snapshot, err := c.Commit(background, nil)
	must(t, err)
	if err := update("y"); fault.CodeOf(err) != fault.Sealed {
		t.Errorf("a sealed node was updated: %v", err)
	}
	if snapshot.Cycle() != 42 {
		t.Errorf("cycle %d follows 41", snapshot.Cycle())
	}
	if got, err := c.Select(background, "@t0 ^seq .mt:depth(1) > .mc > .cb", nil); err != nil || len(got) != 1 || got[0] != "u" {
		t.Errorf("sealed as %v, %v", got, err)
	}
	first, err := c.At(background, pact.Cycle(41))
	must(t, err)
	before := exported(t, first)
	again, _, err := pact.ReadSnapshot([]byte(before), "")
	must(t, err)
	if after := exported(t, again); after != before {
		t.Errorf("\n%s\n%s", before, after)
	}
}
