package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// exports wants the exact bytes of a snapshot, those of another, or some of its members.
func (r *runner) exports(c Check) error {
	out, err := r.output(r.about("export", nil, c.At)...)
	if err != nil {
		return err
	}
	if c.To != "" {
		other, err := r.document(c.To)
		if err == nil && !bytes.Equal(out, other) {
			err = fmt.Errorf("export %s: wants the bytes of %s, %s, got %s", c.At, c.To, firstOf(other), firstOf(out))
		}
		return err
	}
	if c.Bytes == "" {
		return matches(c, "export "+c.At, out)
	}
	return r.sameBytes("export "+c.At, c.Bytes, out, "")
}

// stable exports the fixture, reads the export back in two ways, and wants the
// same document and the same thread every time.
func (r *runner) stable(Check) error {
	document, err := r.document("")
	if err != nil {
		return err
	}
	thread, err := r.something(r.about("thread", nil)...)
	if err != nil {
		return err
	}
	path, err := r.write("export.json", document)
	if err != nil {
		return err
	}
	db := filepath.Join(r.dir, "stable.db")
	if _, err := r.output("import", path, "--name", "case", "--db", db); err != nil {
		return err
	}
	for _, again := range []struct {
		what string
		args []string
		want []byte
	}{
		{"the same export once more", r.about("export", nil), document},
		{"the same thread once more", r.about("thread", nil), thread},
		{"an export of the export", []string{"export", "--file", path}, document},
		{"a thread of the export", []string{"thread", "--file", path}, thread},
		{"an export after import", []string{"export", "case", "--db", db}, document},
		{"a thread after import", []string{"thread", "case", "--db", db}, thread},
	} {
		out, err := r.output(again.args...)
		if err != nil {
			return err
		}
		if !bytes.Equal(out, again.want) {
			return fmt.Errorf("%s: wants %s, got %s", again.what, firstOf(again.want), firstOf(out))
		}
	}
	return nil
}

// document returns an export. It wants a root in it, because a program that always
// prints the same constant must not pass.
func (r *runner) document(at string) ([]byte, error) {
	out, err := r.output(r.about("export", nil, at)...)
	if err == nil {
		err = matches(Check{Present: []string{"root.id", "root.children", "cycle"}}, "export "+at, out)
	}
	return out, err
}

// something returns the output of a command and wants it not to be empty, because
// two empty outputs would be equal.
func (r *runner) something(args ...string) ([]byte, error) {
	out, err := r.output(args...)
	if err == nil && len(bytes.TrimSpace(out)) == 0 {
		err = fmt.Errorf("%s: printed nothing", line(args))
	}
	return out, err
}

// pure asks each question twice. It wants the same answer both times, and the same
// document before and after.
func (r *runner) pure(c Check) error {
	before, err := r.document(c.At)
	if err != nil {
		return err
	}
	questions := [][]string{r.about("thread", nil, c.At), r.about("diff", []string{"--json"}, c.At, c.At)}
	for _, s := range c.Selectors {
		questions = append(questions, r.asks(c, s))
	}
	if err := r.twice(questions); err != nil {
		return err
	}
	after, err := r.output(r.about("export", nil, c.At)...)
	if err == nil && !bytes.Equal(before, after) {
		err = fmt.Errorf("export: questions changed it from %s to %s", firstOf(before), firstOf(after))
	}
	return err
}

// repeats asks each selector twice and wants the same answer both times.
func (r *runner) repeats(c Check) error {
	var questions [][]string
	for _, s := range c.Selectors {
		questions = append(questions, r.asks(c, s))
	}
	return r.twice(questions)
}

// twice runs each command twice and wants the same bytes.
func (r *runner) twice(questions [][]string) error {
	for _, args := range questions {
		first, err := r.something(args...)
		if err != nil {
			return err
		}
		second, err := r.output(args...)
		if err != nil {
			return err
		}
		if !bytes.Equal(first, second) {
			return fmt.Errorf("%s: asked twice, got %s and %s", line(args), firstOf(first), firstOf(second))
		}
	}
	return nil
}

// exported returns the nodes of an export by id, in document order.
func (r *runner) exported(at string) (all map[string]json.RawMessage, order []string, err error) {
	out, err := r.output(r.about("export", nil, at)...)
	if err != nil {
		return nil, nil, err
	}
	all = make(map[string]json.RawMessage)
	if !eachNode(out, func(n *printed) { all[n.ID], order = n.raw, append(order, n.ID) }) || all[""] != nil {
		err = fmt.Errorf("export %s: wants a document whose nodes are objects with an id, got: %s", at, firstOf(out))
	}
	return all, order, err
}

// nodes wants some members of some nodes. A check that states null for a node
// wants the node to be absent.
func (r *runner) nodes(c Check) error {
	all, _, err := r.exported(c.At)
	if err != nil {
		return err
	}
	for id, want := range c.Nodes {
		got, there := all[id]
		if string(want) == "null" {
			if there {
				return fmt.Errorf("export %s: wants no node %s", c.At, id)
			}
			continue
		}
		if !there {
			return fmt.Errorf("export %s: there is no node %s", c.At, id)
		}
		if err := matches(Check{Result: want, Absent: c.Absent}, "node "+id, got); err != nil {
			return err
		}
	}
	return nil
}

// mandatory are the headers that every node must have, each with a test of its
// value (02 §3.2).
var mandatory = []struct {
	name string
	ok   func(json.RawMessage) bool
}{
	{"id", isText}, {"nodeType", isText}, {"offset", isInteger},
	{"ttl", func(v json.RawMessage) bool { return string(v) == "null" || isInteger(v) }},
	{"priority", isInteger}, {"cycle", isInteger}, {"created_at_ns", isInteger}, {"created_at_iso", isText},
	{"creation_index", isInteger},
}

func isText(v json.RawMessage) bool {
	var s string
	return len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &s) == nil && s != ""
}

func isInteger(v json.RawMessage) bool {
	var n int64
	return len(v) > 0 && string(v) != "null" && json.Unmarshal(v, &n) == nil
}

func (r *runner) headers(c Check) error {
	all, order, err := r.exported(c.At)
	if err != nil {
		return err
	}
	for _, id := range order {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(all[id], &members) // an object, as exported says
		for _, h := range mandatory {
			if !h.ok(members[h.name]) {
				return fmt.Errorf("export %s: node %s has no valid %s", c.At, id, h.name)
			}
		}
	}
	return nil
}

// stamps wants times that increase strictly with the creation index in each
// cycle, no index twice, and the same instant in both forms of the time.
func (r *runner) stamps(c Check) error {
	all, order, err := r.exported(c.At)
	if err != nil {
		return err
	}
	type stamp struct {
		ID    string `json:"id"`
		Cycle int64  `json:"cycle"`
		Index int64  `json:"creation_index"`
		Ns    int64  `json:"created_at_ns"`
		ISO   string `json:"created_at_iso"`
	}
	cycles := map[int64][]stamp{}
	for _, id := range order {
		var s stamp
		if err := json.Unmarshal(all[id], &s); err != nil {
			return fmt.Errorf("export %s: node %s: %w", c.At, id, err)
		}
		if t, err := time.Parse(time.RFC3339Nano, s.ISO); err != nil || t.UnixNano() != s.Ns {
			return fmt.Errorf("export %s: node %s says %d and %s, which is not one instant", c.At, id, s.Ns, s.ISO)
		}
		cycles[s.Cycle] = append(cycles[s.Cycle], s)
	}
	for cycle, list := range cycles {
		slices.SortFunc(list, func(a, b stamp) int { return int(a.Index - b.Index) })
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; a.Index == b.Index || a.Ns >= b.Ns {
				return fmt.Errorf("export %s: in cycle %d %s has index %d and time %d, %s index %d and time %d",
					c.At, cycle, a.ID, a.Index, a.Ns, b.ID, b.Index, b.Ns)
			}
		}
	}
	return nil
}
