package manage

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// drawnAgain returns a conversation of calls of few files whose results repeat each other or refer back, and a list
// that took some of them, since drawn calls.
func drawnAgain(t *testing.T, r *rand.Rand) (*Request, *List) {
	said := []any{map[string]any{"role": "user", "content": "Look."}}
	calls := 3 + r.IntN(25)
	for n := range calls {
		text := []string{"a file", "another file", fmt.Sprintf("Chunk ID: %d\na file", n), "", fmt.Sprint("file ", n),
			"File unchanged since your last read, refer to the earlier result."}[r.IntN(6)]
		content := any(text)
		if r.IntN(4) == 0 {
			content = []any{map[string]any{"type": "text", "text": text}}
		}
		id, name := fmt.Sprint("c", n), []string{"read", "read", "read", "recall"}[r.IntN(4)]
		if r.IntN(20) == 0 {
			id = fmt.Sprint("c", r.IntN(n+1)) // it comes twice
		}
		call := map[string]any{"name": name, "arguments": fmt.Sprintf(`{"n":%d}`, r.IntN(3))}
		said = append(said, map[string]any{"role": "assistant", "tool_calls": []any{
			map[string]any{"id": id, "type": "function", "function": call}}})
		if r.IntN(10) > 0 {
			said = append(said, map[string]any{"role": "tool", "tool_call_id": id, "content": content})
		}
	}
	body, err := json.Marshal(map[string]any{"model": "m", "messages": said})
	must(t, err)
	q, ok := NewMemory().Read(provider.Chat, "", body, apart)
	if !ok {
		t.Fatalf("not read: %s", body)
	}
	l := NewList()
	for i := range q.Parts {
		for p := &q.Parts[i]; p.result() && r.IntN(3) > 0; {
			d := Decision{Key: p.Key, Text: canon.String("short"),
				Action: []Action{Left, Left, Shaped, Raw, Pinned, Whole, Cleared}[r.IntN(7)]}
			if r.IntN(4) > 0 {
				d.Since = fmt.Sprint("c", r.IntN(calls+1))
			}
			l.Add(d)
		}
	}
	return q, l
}

// Which calls repeat one whose result was taken, and to what a result refers, is what looking at all calls before each
// says.
func TestRepeatedCallsAgreeWithModel(t *testing.T) {
	some, meant := 0, 0
	for seed := range uint64(testrun.Size(t, 400, 3000, 50_000)) {
		r := rand.New(rand.NewPCG(35, seed))
		q, l := drawnAgain(t, r)
		must(t, q.Follow(l))
		for i := range q.Parts {
			p := &q.Parts[i]
			at, has := q.results[p.Call]
			if p.Kind != "call" || !has || at < 0 {
				continue
			}
			if want := takes(l) && (recalls(p) || lackedBefore(q, l, i, at)); p.again != want {
				t.Fatalf("seed %d: call %d, %s, is one made again: %v", seed, i, p.Call, p.again)
			}
			if !q.Parts[at].again {
				continue
			}
			some++
			of, want := q.refersTo(at), meantBy(q, at)
			if of != want {
				t.Fatalf("seed %d: the result %d refers to %+v, want %+v", seed, at, of, want)
			}
			if of != nil {
				meant++
			}
		}
	}
	if some == 0 || meant == 0 {
		t.Errorf("%d calls were made again, %d results refer to one that was taken", some, meant)
	}
}

func takes(l *List) bool {
	for _, list := range l.by {
		for _, d := range list {
			if d.hidesContent() {
				return true
			}
		}
	}
	return false
}

// earlierResults returns the results of the calls before one that ask the same.
func earlierResults(q *Request, call int) (list []int) {
	for k := range call {
		c := &q.Parts[k]
		if at, has := q.results[c.Call]; c.Kind == "call" && has && at >= 0 && c.asks == q.Parts[call].asks {
			list = append(list, at)
		}
	}
	return list
}

// lackedBefore reports whether a call got what an earlier one had got that it lacks, and none is whole.
func lackedBefore(q *Request, l *List, call, result int) (lacked bool) {
	text := func(i int) string { return textOf(q.Parts[i].Part.Content) }
	bare := func(i int) string {
		if of := text(i); strings.HasPrefix(of, "Chunk ID: ") {
			return of[strings.Index(of, "\n")+1:]
		}
		return text(i)
	}
	for _, at := range earlierResults(q, call) {
		var d *Decision
		for _, one := range l.by[q.Parts[at].Key] {
			raw := false
			for _, other := range l.by[q.Parts[at].Key] {
				raw = raw || other.Action == Raw && other.Since == ""
			}
			since, has := q.calls[one.Since]
			if one.Since == "" && (!raw || one.Action == Raw) || one.Since != "" && has && since < call {
				d = one
			}
		}
		if d == nil || d.Action != Left && d.Action != Shaped && d.Action != Cleared {
			if !strings.Contains(text(at), "unchanged") {
				return false
			}
			continue
		}
		same := q.Parts[at].Part.Content.Value() == q.Parts[result].Part.Content.Value()
		lacked = lacked || same || bare(at) != "" && bare(at) == bare(result) || strings.Contains(text(result), "unchanged")
	}
	return lacked
}

// meantBy returns the result to which one refers, if that was taken.
func meantBy(q *Request, result int) (of *Part) {
	if !strings.Contains(textOf(q.Parts[result].Part.Content), "unchanged") {
		return nil
	}
	for _, at := range earlierResults(q, q.calls[q.Parts[result].Call]) {
		if !strings.Contains(textOf(q.Parts[at].Part.Content), "unchanged") {
			of = &q.Parts[at]
		}
	}
	if of == nil || of.form == nil || of.form.Action != Left && of.form.Action != Shaped && of.form.Action != Cleared {
		return nil
	}
	return of
}

// Of many equal calls whose results were taken, each result is looked at when the next call comes and when its decision
// begins to hold: not at each later call.
func TestEqualCallsCostOneLookEach(t *testing.T) {
	const calls = 400
	looks := 0
	e := &answeredCalls{asked: map[string]*results{}, wakes: map[int][]func(){}, says: func(int) canon.Any { return canon.Text("a file") },
		look: func(at, before int) (presence, []int) {
			if looks++; before > at+20 {
				return lost, []int{at + 20}
			}
			return refers, []int{at + 20}
		}}
	for call := range calls {
		e.passes(call - 1)
		if r := e.lacked("the same", call); (r != nil && e.repeats(r, call)) != (call > 20) {
			t.Errorf("call %d is made again: %t", call, call <= 20)
		}
		e.add("the same", call)
	}
	if looks > 2*calls {
		t.Errorf("%d looks for %d calls", looks, calls)
	}
}
