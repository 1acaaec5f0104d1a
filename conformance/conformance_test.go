package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/testrun"
)

// TestCases runs every case against this implementation. It asks only for the commands that its profile needs.
func TestCases(t *testing.T) {
	for _, c := range sample(t, 1) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			err := conformance.Run(t.Context(), c, t.TempDir(), func(ctx context.Context, args ...string) (conformance.Answer, error) {
				if !slices.Contains(c.Needs(), args[0]) {
					t.Errorf("of the profile %s, it runs %s", c.Profile(), args[0])
				}
				return command(ctx, args...)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Each profile has cases, and each case one of the profiles.
func TestProfiles(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases(t) {
		if seen[c.Profile()] = true; !slices.Contains(conformance.Profiles, c.Profile()) {
			t.Errorf("%s: there is no profile %q", c.ID, c.Profile())
		}
	}
	if len(seen) != len(conformance.Profiles) {
		t.Errorf("there are cases of %v", seen)
	}
}

// sample takes one of every so many cases, under the race detector one of ten: cases that run beside
// others share only what the process has once.
func sample(t *testing.T, every int) (some []conformance.Case) {
	t.Helper()
	if testrun.Raced {
		every = 10
	}
	for i, c := range cases(t) {
		if i%every == 0 {
			some = append(some, c)
		}
	}
	return some
}

func cases(t *testing.T) []conformance.Case {
	t.Helper()
	all, err := conformance.Cases()
	must(t, err)
	return all
}

// command is this implementation, in this process.
func command(ctx context.Context, args ...string) (conformance.Answer, error) {
	var out, errs bytes.Buffer
	exit := cli.Run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return conformance.Answer{Out: out.Bytes(), Err: errs.Bytes(), Exit: exit}, nil
}

// TestEveryCheckCanFail proves that each check of each case looks at the
// answer: the case has to fail where everything is as it was when it passed, but
// for what the command that the check is about answers.
func TestEveryCheckCanFail(t *testing.T) {
	kinds := map[string]bool{}
	for _, c := range sample(t, testrun.Size(t, 10, 1, 1)) {
		if len(c.Checks) == 0 {
			c.Checks = []conformance.Check{c.Check}
		}
		for _, check := range c.Checks {
			kinds[check.Kind] = true
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			checksCanFail(t, c)
		})
	}
	if len(kinds) != 20 && !testrun.Raced && !testing.Short() {
		t.Errorf("the cases are of the %d kinds %v", len(kinds), kinds)
	}
}

// checksCanFail records the answers to a case and plays them back with lies.
func checksCanFail(t *testing.T, c conformance.Case) {
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
	from, checks := 0, c.Checks
	if checks[0].Kind != "refused" { // which is about what is given
		prepared := &playback{calls: calls}
		c.Checks = []conformance.Check{{Kind: "nothing"}}
		_ = conformance.Run(t.Context(), c, dir, prepared.answer)
		from = prepared.next
	}
	for i, check := range checks {
		c.Checks = checks[:i+1]
		honest := &playback{calls: calls}
		if err := conformance.Run(t.Context(), c, dir, honest.answer); err != nil {
			t.Fatalf("check %d fails where the same answers are played back: %v", i+1, err)
		}
		for name, lie := range lies(check) {
			p := &playback{calls: calls, check: check, from: from, lie: lie}
			if conformance.Run(t.Context(), c, dir, p.answer) == nil {
				t.Errorf("check %d (%s) passes against %s", i+1, check.Kind, name)
			}
		}
		from = honest.next
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
	if len(c.Error) == 0 {
		return all
	}
	all["success"] = func(conformance.Answer, int) conformance.Answer { return conformance.Answer{Out: []byte("[]\n")} }
	all["an error with exit code 0"] = func(a conformance.Answer, _ int) conformance.Answer { a.Exit = 0; return a }
	delete(all, "another answer")
	all["another code"] = func(a conformance.Answer, _ int) conformance.Answer {
		for _, code := range c.Error {
			a.Out = bytes.ReplaceAll(a.Out, []byte(code), []byte("E_OTHER"))
		}
		return a
	}
	return all
}

// other is an answer of the right form with other contents. What is to stay
// the same changes from call to call.
func other(c conformance.Check, out []byte, n int) []byte {
	var ids []string
	var object map[string]any
	switch {
	case slices.Contains([]string{"stable", "pure", "repeats", "immutable", "parses"}, c.Kind) || c.Kind == "export" && c.To != "":
		return []byte(strings.TrimSuffix(string(out), "\n") + strings.Repeat(" ", n) + "\n")
	case c.Kind == "cycles":
		return out[:bytes.LastIndexByte(bytes.TrimSuffix(out, []byte("\n")), '\n')+1]
	case slices.Contains([]string{"headers", "stamps", "nodes", "export"}, c.Kind):
		return bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(out, []byte(`"creation_index":`),
			[]byte(`"x":`)), []byte(`"created_at_ns":`), []byte(`"y":`)),
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

// playback answers what was recorded, but for the command that a check is about,
// from the first call of that check on.
type playback struct {
	calls []call
	check conformance.Check
	from  int
	lie   lie // nil to be honest

	next, lies int
}

func (p *playback) answer(context.Context, ...string) (conformance.Answer, error) {
	if p.next == len(p.calls) {
		return conformance.Answer{}, errors.New("there was no such call")
	}
	a := p.calls[p.next]
	p.next++
	before := p.check.Kind == "refused" && a.answer.Exit == 0 // the operations before the one that is to be refused
	if p.lie == nil || p.next <= p.from || !slices.Contains(verbs(p.check.Kind), a.verb) || before {
		return a.answer, nil
	}
	p.lies++
	return p.lie(a.answer, p.lies), nil
}

// verbs are the commands that a kind of check is about.
func verbs(kind string) []string {
	switch kind {
	case "same", "range", "repeats":
		return []string{"select"}
	case "rendered":
		return []string{"thread"}
	case "parses":
		return []string{"fmt"}
	case "nodes", "headers", "stamps":
		return []string{"export"}
	case "stable":
		return []string{"export", "thread"}
	case "pure":
		return []string{"select", "thread", "diff", "export"}
	case "cycles", "immutable":
		return []string{"apply"}
	case "refused":
		return []string{"apply", "import"}
	}
	return []string{kind}
}
