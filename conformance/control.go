package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A case that expects an error, nothing, or one id is also passed by a program that always answers so. So before
// its checks a case asks something that has another answer, which the runner reads out of the input.

// readsInput asks for what the checks of the case cannot show by themselves: that the program reads the input.
func (r *runner) readsInput() error {
	asks := map[string]bool{}
	for _, c := range r.whole {
		asks[controls[c.Kind]] = true
	}
	var err error
	if asks["fmt"] {
		err = r.controlFormat()
	}
	if err == nil && asks["hash"] {
		err = r.controlHash()
	}
	if r.from == nil { // a check of operations that are to be refused, or one without input
		return err
	}
	if err == nil && asks["select"] {
		err = r.controlSelect()
	}
	if err == nil && asks["export"] {
		err = r.controlExport()
	}
	return err
}

// controls says by which command a kind of check is controlled; the others compare whole bytes, or bring a control
// of their own.
var controls = map[string]string{
	"select": "select", "same": "select", "range": "select", "diff": "select", "pure": "select", "repeats": "select",
	"export": "export", "nodes": "export", "headers": "export", "stamps": "export", "stable": "export", "immutable": "export",
	"fmt": "fmt", "parses": "fmt", "hash": "hash",
}

// controlSelect wants exactly one node by its id, one that no check of the case expects alone.
func (r *runner) controlSelect() error {
	for _, id := range r.nodesOfInput() {
		if slices.ContainsFunc(r.whole, func(c Check) bool { return slices.Equal(c.Expect, []string{id}) }) {
			continue
		}
		if err := r.selects(Check{Selector: `@t0 *[id="` + id + `"]`, Expect: []string{id}}); err != nil {
			return fmt.Errorf("the control: %w", err)
		}
		return nil
	}
	return nil
}

// controlExport wants a node of the input in the answer.
func (r *runner) controlExport() error {
	ids := r.nodesOfInput()
	if len(ids) == 0 {
		return nil
	}
	out, err := r.output(r.about("export", nil)...)
	if err != nil {
		return err
	}
	if !slices.Contains(idsOf(out), ids[0]) {
		return fmt.Errorf("the control: export: wants a document with the node %s, got: %s", ids[0], firstOf(out))
	}
	return nil
}

// controlFormat wants one normal form of two spellings of a selector, and another of another selector.
func (r *runner) controlFormat() error {
	const one = `.sys[role="user"]`
	return r.distinguishes("a normal form", func(selector string) ([]byte, error) {
		return r.output("fmt", "--edition", r.Case.Edition, "--", selector)
	}, one, strings.Replace(one, "=", "  = ", 1), strings.Replace(one, "user", "tool", 1))
}

// controlHash wants one hash of two spellings of a node, and another of another node.
func (r *runner) controlHash() error {
	return r.distinguishes("a hash", func(node string) ([]byte, error) {
		path, err := r.write("control.json", []byte(node))
		if err != nil {
			return nil, err
		}
		return r.output("hash", "--file", path)
	}, `{"id":"n","nodeType":"cb","content":"a"}`, `{"content":"a", "nodeType":"cb", "id":"n"}`,
		`{"id":"n","nodeType":"cb","content":"b"}`)
}

// distinguishes wants the same answer about the first two texts, and another about the third.
func (r *runner) distinguishes(what string, ask func(string) ([]byte, error), one, same, other string) error {
	var answers [3][]byte
	for i, text := range []string{one, same, other} {
		out, err := ask(text)
		if err != nil {
			return fmt.Errorf("the control: %w", err)
		}
		answers[i] = bytes.TrimSpace(out)
	}
	if !bytes.Equal(answers[0], answers[1]) || bytes.Equal(answers[0], answers[2]) || len(answers[0]) == 0 {
		return fmt.Errorf("the control: wants %s that %s and %s share and %s has not, got %q", what, one, same, other, answers)
	}
	return nil
}

// nodesOfInput returns ids of the latest snapshot of the input, the last in the text first.
func (r *runner) nodesOfInput() []string {
	if r.made != nil {
		return idsOf(r.made)
	}
	return idsOf(r.input)
}

// plainID has no character that one of the editions would have to escape.
var plainID = regexp.MustCompile(`^[A-Za-z0-9:_-]+$`)

// idsOf returns the ids of the nodes in the last document of a file, the last first: those are most often blocks.
func idsOf(file []byte) (ids []string) {
	file = bytes.TrimSpace(file)
	if at := bytes.LastIndexByte(file, '\n'); at >= 0 && json.Valid(file[at:]) {
		file = file[at:]
	}
	eachNode(file, func(n *printed) {
		if plainID.MatchString(n.ID) {
			ids = append(ids, n.ID)
		}
	})
	slices.Reverse(ids)
	return ids
}

// printed is what the runner reads of a node.
type printed struct {
	ID       string
	Children []json.RawMessage
	raw      json.RawMessage
}

// eachNode calls f for each node of a document, and reports whether it is one.
func eachNode(document []byte, f func(*printed)) bool {
	var each func(text json.RawMessage) bool
	each = func(text json.RawMessage) bool {
		n := printed{raw: text}
		if json.Unmarshal(text, &n) != nil {
			return false
		}
		f(&n)
		return !slices.ContainsFunc(n.Children, func(child json.RawMessage) bool { return !each(child) })
	}
	var d struct{ Root json.RawMessage }
	return json.Unmarshal(document, &d) == nil && each(d.Root)
}

// isHistory wants what apply printed to be a document with the three regions on each line.
func isHistory(text []byte) error {
	for line := range bytes.Lines(text) {
		var d struct{ Root printed }
		if json.Unmarshal(line, &d) != nil || len(d.Root.Children) != 3 || !eachNode(line, func(*printed) {}) {
			return fmt.Errorf("apply: wants a document with three regions on each line, got: %s", firstOf(line))
		}
	}
	return nil
}
