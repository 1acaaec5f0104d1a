package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// kinds are the kinds of check, each with the commands that it needs.
var kinds = map[string]func(*runner, Check) error{
	"select":    (*runner).selects,   // select: ids, their number, or an error
	"same":      (*runner).same,      // select: several selectors, one answer
	"range":     (*runner).ranges,    // select: a RangeDiffLatestResult
	"diff":      (*runner).diffs,     // diff
	"fmt":       (*runner).formats,   // fmt
	"parses":    (*runner).parses,    // fmt: each has a normal form, which is its own
	"thread":    (*runner).threads,   // thread: exact bytes
	"rendered":  (*runner).rendered,  // thread --as openai: equal messages
	"export":    (*runner).exports,   // export: exact bytes, or some members
	"nodes":     (*runner).nodes,     // export: some headers of some nodes
	"headers":   (*runner).headers,   // export: the mandatory headers of all nodes
	"stamps":    (*runner).stamps,    // export: times and indexes of all nodes
	"hash":      (*runner).hashes,    // hash
	"stable":    (*runner).stable,    // import, export, thread: the same bytes again
	"cycles":    (*runner).cycles,    // apply: the cycles of all snapshots
	"immutable": (*runner).immutable, // apply: a published snapshot never changes
	"pure":      (*runner).pure,      // export, select, thread: a question changes nothing
	"repeats":   (*runner).repeats,   // select: the same question has the same answer
	"refused":   (*runner).refuses,   // apply or import: an error
	"attempts":  (*runner).attempts,  // attempts start, end, list: records beside the history
}

// asks returns the arguments that run a selector on the input of the case.
func (r *runner) asks(c Check, selector string) []string {
	extra := append([]string{"--json"}, flags(c.Flags)...)
	args := r.about("select", extra, selector)
	if c.Edition == "" {
		return args
	}
	for i, arg := range args { // the flag of the edition is there already, and a command takes it once
		if arg == "--edition" {
			args[i+1] = c.Edition
			return args
		}
	}
	return slices.Insert(args, 1, "--edition", c.Edition)
}

func (r *runner) selects(c Check) error {
	args := r.asks(c, c.Selector)
	if len(c.Error) > 0 {
		return r.refused(c.Error, args...)
	}
	out, err := r.output(args...)
	if err != nil {
		return err
	}
	var got []string
	if err := decode(out, &got); err != nil || got == nil {
		return fmt.Errorf("%s: wants an array of ids, got: %s", c.Selector, firstOf(out))
	}
	return ids(c, c.Selector, got)
}

// ids compares the selected ids with the expected ones.
func ids(c Check, selector string, got []string) error {
	if c.Count != nil {
		if len(got) != *c.Count {
			return fmt.Errorf("%s: wants %d nodes, got %d: %q", selector, *c.Count, len(got), got)
		}
		return nil
	}
	if !slices.Equal(got, c.Expect) {
		return fmt.Errorf("%s: wants %q, got %q", selector, c.Expect, got)
	}
	return nil
}

// same wants one answer to several selectors. It does not compare the text of the
// query, which the answer to a range repeats.
func (r *runner) same(c Check) error {
	var first any
	for i, selector := range c.Selectors {
		out, err := r.output(r.asks(c, selector)...)
		if err != nil {
			return err
		}
		var got any
		if err := decode(out, &got); err != nil {
			return fmt.Errorf("%s: %w", selector, err)
		}
		if object, ok := got.(map[string]any); ok {
			delete(object, "query")
		}
		if i == 0 {
			first = got
			if err := r.first(c, selector, out); err != nil {
				return err
			}
		} else if !reflect.DeepEqual(got, first) {
			return fmt.Errorf("%s: wants the same as %s, got: %s", selector, c.Selectors[0], firstOf(out))
		}
	}
	return nil
}

// first compares the first of several equal answers with the stated one, because
// several empty answers would also be equal.
func (r *runner) first(c Check, selector string, out []byte) error {
	if c.Result != nil {
		return matches(c, selector, out)
	}
	var got []string
	if err := decode(out, &got); err != nil {
		return fmt.Errorf("%s: %w", selector, err)
	}
	return ids(c, selector, got)
}

func (r *runner) ranges(c Check) error {
	out, err := r.output(r.asks(c, c.Selector)...)
	if err != nil {
		return err
	}
	return r.sortedFields(out, func(out []byte) error { return matches(c, c.Selector, out) })
}

// diffs wants exactly the three members, with any white space between them.
func (r *runner) diffs(c Check) error {
	args := r.about("diff", append([]string{"--json"}, flags(c.Flags)...), c.From, c.To, c.Selector)
	if len(c.Error) > 0 {
		return r.refused(c.Error, args...)
	}
	out, err := r.output(args...)
	if err != nil {
		return err
	}
	return r.sortedFields(out, func(out []byte) error { return equal(c.Result, out, "diff "+c.From+" "+c.To) })
}

// sortedFields compares an answer; that the fields of a change come sorted is a house rule.
func (r *runner) sortedFields(out []byte, compare func([]byte) error) error {
	err := compare(out)
	var answer any
	if err == nil || decode(out, &answer) != nil {
		return err
	}
	sortFields(answer)
	if sorted, failed := json.Marshal(answer); failed != nil || compare(sorted) != nil {
		return err
	}
	return r.falls(Shortfall{err, true, fieldsOfOurs})
}

// sortFields sorts every list called fields in an answer.
func sortFields(v any) {
	switch x := v.(type) {
	case []any:
		for _, each := range x {
			sortFields(each)
		}
	case map[string]any:
		for name, each := range x {
			if list, ok := each.([]any); ok && name == "fields" {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			sortFields(each)
		}
	}
}

// equal compares two JSON texts by value.
func equal(want, got []byte, what string) error {
	var a, b any
	if err := decode(want, &a); err != nil {
		return err
	}
	if err := decode(got, &b); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("%s: wants %s, got %s", what, compact(want), firstOf(got))
	}
	return nil
}

func compact(data []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data)
	}
	return b.String()
}

// formats wants a normal form. If the check does not state it, formats wants a
// text that is its own normal form and selects the same nodes.
func (r *runner) formats(c Check) error {
	format := func(selector string) (string, error) {
		out, err := r.output("fmt", "--edition", r.Case.Edition, "--", selector)
		return strings.TrimSuffix(string(out), "\n"), err
	}
	if len(c.Error) > 0 {
		args := append([]string{"fmt", "--json", "--edition", r.Case.Edition}, flags(c.Flags)...)
		return r.refused(c.Error, append(args, "--", c.Selector)...)
	}
	text, err := format(c.Selector)
	if err != nil {
		return err
	}
	if c.Bytes != "" && text != c.Bytes {
		return fmt.Errorf("fmt %s: wants %s, got %s", c.Selector, c.Bytes, text)
	}
	again, err := format(text)
	if err == nil && again != text {
		err = fmt.Errorf("fmt %s: wants its own normal form, got %s", text, again)
	}
	if err != nil || c.Bytes != "" {
		return err
	}
	c.Selectors = []string{c.Selector, text}
	return r.same(c)
}

// parses wants a normal form of each selector, which is its own normal form.
func (r *runner) parses(c Check) error {
	for _, selector := range c.Selectors {
		text := selector
		for range 2 {
			out, err := r.output("fmt", "--edition", r.Case.Edition, "--", text)
			again := strings.TrimSuffix(string(out), "\n")
			if err == nil && (again == "" || text != selector && again != text) {
				err = fmt.Errorf("fmt %s: wants its own normal form, got %s", text, again)
			}
			if err != nil {
				return err
			}
			text = again
		}
	}
	return nil
}

func (r *runner) threads(c Check) error {
	out, err := r.output(r.about("thread", nil, c.At)...)
	if err != nil {
		return err
	}
	return r.sameBytes("thread "+c.At, c.Bytes, out, threadOfOurs)
}

// sameBytes wants a JSON text and a newline; another text with the same value differs in form alone.
func (r *runner) sameBytes(what, want string, got []byte, form Origin) error {
	if string(got) == want+"\n" {
		return nil
	}
	if err := equal([]byte(want), got, what); err != nil {
		return err
	}
	return r.falls(Shortfall{fmt.Errorf("%s: wants the bytes %s, got %s", what, want, firstOf(got)), true, form})
}

func (r *runner) rendered(c Check) error {
	out, err := r.output(r.about("thread", []string{"--as", "openai"}, c.At)...)
	if err != nil {
		return err
	}
	return equal(c.Messages, out, "thread "+c.At)
}

func (r *runner) hashes(c Check) error {
	for i, h := range c.Hashes {
		file := []byte(h.Node)
		var text string
		if json.Unmarshal(h.Node, &text) == nil {
			file = []byte(text)
		}
		path, err := r.write("node.json", file)
		if err != nil {
			return err
		}
		out, err := r.output(append(append([]string{"hash"}, flags(c.Flags)...), "--file", path)...)
		if err != nil {
			return err
		}
		if got := strings.TrimSuffix(string(out), "\n"); got != h.Hash || len(out) == 0 {
			return fmt.Errorf("hash of node %d: wants %q, got %q", i+1, h.Hash, got)
		}
	}
	return nil
}
