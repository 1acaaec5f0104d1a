package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/cli"
)

// TestCases runs every case against this implementation.
func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if err := conformance.Run(t.Context(), c, t.TempDir(), command); err != nil {
				t.Error(err)
			}
		})
	}
}

func cases(t *testing.T) []conformance.Case {
	t.Helper()
	all, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// command is this implementation, in this process.
func command(ctx context.Context, args ...string) (conformance.Answer, error) {
	var out, errs bytes.Buffer
	exit := cli.Run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return conformance.Answer{Out: out.Bytes(), Err: errs.Bytes(), Exit: exit}, nil
}

// TestEveryCheckCanFail proves that each check of each case looks at the
// answer: it has to fail where everything is as it was when it passed, but for
// what the command that the check is about answers.
func TestEveryCheckCanFail(t *testing.T) {
	kinds := map[string]bool{}
	for _, c := range cases(t) {
		checks := c.Checks
		if len(checks) == 0 {
			checks = []conformance.Check{c.Check}
		}
		for i, check := range checks {
			kinds[check.Kind] = true
			t.Run(c.ID+"/"+strconv.Itoa(i+1)+check.Kind, func(t *testing.T) {
				t.Parallel()
				one := c
				one.Checks = []conformance.Check{check}
				checkCanFail(t, one, check)
			})
		}
	}
	if len(kinds) != 17 {
		t.Errorf("the cases are of the %d kinds %v", len(kinds), kinds)
	}
}

// checkCanFail records the answers to a case and plays them back with lies.
func checkCanFail(t *testing.T, c conformance.Case, check conformance.Check) {
	var calls []call
	dir := t.TempDir()
	err := conformance.Run(t.Context(), c, dir, func(ctx context.Context, args ...string) (conformance.Answer, error) {
		a, err := command(ctx, args...)
		calls = append(calls, call{args[0], a})
		return a, err
	})
	if err != nil {
		return // TestCases reports it
	}
	for name, lie := range lies(check) {
		if conformance.Run(t.Context(), c, dir, lying(check, calls, lie)) == nil {
			t.Errorf("passes against %s", name)
		}
	}
}

// call is a command that was run, and its answer.
type call struct {
	verb   string
	answer conformance.Answer
}

// lie turns the right answer of the n-th call into a wrong one.
type lie func(a conformance.Answer, n int) conformance.Answer

// lies are wrong answers to a check: other contents, a failure, silence, and
// success or another code where an error is due.
func lies(c conformance.Check) map[string]lie {
	all := map[string]lie{
		"silence": func(conformance.Answer, int) conformance.Answer { return conformance.Answer{} },
		"a failure": func(conformance.Answer, int) conformance.Answer {
			return conformance.Answer{Out: []byte("no"), Exit: 1}
		},
		"another answer": func(a conformance.Answer, n int) conformance.Answer {
			a.Out = other(c, a.Out, n)
			return a
		},
	}
	if c.Error == "" {
		return all
	}
	all["success"] = func(conformance.Answer, int) conformance.Answer { return conformance.Answer{Out: []byte("[]\n")} }
	all["an error with exit code 0"] = func(a conformance.Answer, _ int) conformance.Answer { a.Exit = 0; return a }
	delete(all, "another answer")
	if c.Error != "*" {
		all["another code"] = func(a conformance.Answer, _ int) conformance.Answer {
			a.Out = bytes.ReplaceAll(a.Out, []byte(c.Error), []byte("E_OTHER"))
			return a
		}
	}
	return all
}

// other is an answer of the right form with other contents. What is to stay
// the same changes from call to call.
func other(c conformance.Check, out []byte, n int) []byte {
	var ids []string
	var object map[string]any
	switch {
	case slices.Contains([]string{"stable", "pure", "immutable"}, c.Kind):
		return []byte(strings.TrimSuffix(string(out), "\n") + strings.Repeat(" ", n) + "\n")
	case c.Kind == "cycles":
		return out[:bytes.LastIndexByte(bytes.TrimSuffix(out, []byte("\n")), '\n')+1]
	case slices.Contains([]string{"headers", "stamps", "nodes", "export"}, c.Kind):
		return bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(out, []byte(`"creation_index":`), []byte(`"x":`)), []byte(`"created_at_ns":`), []byte(`"y":`)),
			[]byte(`"id":"`), []byte(`"id":"other-`)), []byte("PACT/"), []byte("other/"))
	case json.Unmarshal(out, &ids) == nil:
		text, _ := json.Marshal(append(ids, "wrong"))
		return append(text, '\n')
	case json.Unmarshal(out, &object) == nil && object["snapshots"] != nil:
		return []byte(`{"query":"","snapshots":[],"diffs":[],"mode":"pairwise"}`)
	case object["added"] != nil:
		object["added"] = append(object["added"].([]any), "wrong")
		text, _ := json.Marshal(object)
		return text
	}
	return append([]byte("x"), out...)
}

// lying answers what was recorded, but for the command that a check is about.
func lying(c conformance.Check, calls []call, f lie) conformance.Command {
	verbs := map[string][]string{"same": {"select"}, "range": {"select"}, "rendered": {"thread"}, "nodes": {"export"}, "headers": {"export"}, "stamps": {"export"},
		"stable": {"export", "thread"}, "pure": {"select", "thread", "diff", "export"}, "cycles": {"apply"}, "immutable": {"apply"}, "refused": {"apply", "import"}}[c.Kind]
	if verbs == nil {
		verbs = []string{c.Kind}
	}
	n, lies := 0, 0
	return func(context.Context, ...string) (conformance.Answer, error) {
		if n == len(calls) {
			return conformance.Answer{}, errors.New("there was no such call")
		}
		a := calls[n]
		n++
		before := c.Kind == "refused" && a.answer.Exit == 0 // the operations before the one that is to be refused
		if !slices.Contains(verbs, a.verb) || before {
			return a.answer, nil
		}
		lies++
		return f(a.answer, lies), nil
	}
}
