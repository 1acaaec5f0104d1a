package record_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// talked is a conversation in the form of Anthropic, whose calls an importer adds.
type talked struct {
	t        *testing.T
	store    *pact.DB
	importer *record.Importer
	sent     []string // the bodies, in canonical form
}

func newTalked(t *testing.T) *talked {
	t.Helper()
	s := pact.NewDB(store.NewMemory())
	importer, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
	must(t, err)
	return &talked{t: t, store: s, importer: importer}
}

// says returns the messages with some texts, of user and model in turns.
func says(texts ...string) (list []string) {
	for i, text := range texts {
		list = append(list, []func(string) string{apiForms[1].user, apiForms[1].model}[i%2](text))
	}
	return list
}

// add adds a call with messages, of which so many come first in the call before.
func (c *talked) add(p record.PastCall, before int, messages ...string) {
	c.t.Helper()
	body := func(list []string) []byte {
		value, err := canon.Parse([]byte(`{"messages":[` + strings.Join(list, ",") + `],"model":"m"}`))
		must(c.t, err)
		return []byte(value)
	}
	c.sent = append(c.sent, string(body(messages)))
	n := len(c.sent)
	p.ID, p.API, p.Body = fmt.Sprint(n), "anthropic.messages", body(messages[before:])
	if before > 0 {
		p.Whole = func() ([]byte, error) { return body(messages), nil }
	}
	p.Started, p.Ended = int64(n)*1e9, int64(n)*1e9+5e8
	if p.Status == 0 {
		p.Status, p.Answer = 200, []byte(apiForms[1].answer(fmt.Sprint("answer ", n)))
	}
	_, err := c.importer.Add(c.t.Context(), p)
	must(c.t, err)
}

// comesBack compares the requests of the context from a call on with those that were sent.
func (c *talked) comesBack(from int) {
	c.t.Helper()
	if names := c.importer.Contexts(); len(names) != 1 {
		c.t.Fatalf("the contexts are %v", names)
	}
	run, n := opened(c.t, c.store, "run"), 0
	first, last := run.Info().First, run.Info().Cycle
	attempts, err := run.Attempts(c.t.Context(), first, last+1)
	must(c.t, err)
	of, requests := map[int64]int64{}, record.NewRequests(run)
	for _, a := range attempts {
		of[a.Cycle]++
		if n++; n < from {
			continue
		}
		if body, err := record.Request(c.t.Context(), run, a.Cycle, of[a.Cycle]); err != nil {
			c.t.Errorf("call %d: %v", n, err)
		} else if string(body.Bytes) != c.sent[n-1] {
			c.t.Errorf("call %d gave\n%s, want\n%s", n, body.Bytes, c.sent[n-1])
		}
		if body, err := requests.Of(c.t.Context(), a.Cycle, of[a.Cycle]); err != nil || string(body.Bytes) != c.sent[n-1] {
			c.t.Errorf("after the calls before it call %d gave %v, %v; want\n%s", n, body, err, c.sent[n-1])
		}
	}
	if n != len(c.sent) {
		c.t.Errorf("%d attempts of %d calls", n, len(c.sent))
	}
}

// A call that is repeated after it failed has the frames of that one, not those of the last call with an answer.
func TestARepeatedCallHasTheFramesOfItsOwnMessages(t *testing.T) {
	c := newTalked(t)
	c.add(record.PastCall{}, 0, says("one")...)
	c.add(record.PastCall{}, 1, says("one", "answer 1", "two")...)
	rewritten := []string{`{"role":"user","content":"In short: one, two."}`, `{"role":"user","content":"three"}`}
	c.add(record.PastCall{Status: 529, Answer: []byte(`{"type":"error"}`), Rewrites: true}, 0, rewritten...)
	c.add(record.PastCall{}, 2, rewritten...)
	c.add(record.PastCall{}, 2, append(rewritten, says("", "answer 4", "four")[1:]...)...)
	c.comesBack(1)
}

// No record of a long conversation has the frames of all of it, and each request comes back; one that failed and is repeated,
// as it was or with more, does too.
func TestNoRecordIsAsLongAsTheConversation(t *testing.T) {
	const most = 8
	record.SetMostFrames(t, most)
	c := newTalked(t)
	all := says("question 0")
	c.add(record.PastCall{}, 0, all...)
	for n := 1; n <= 10*most; n++ {
		before := len(all)
		all = append(all, says("", fmt.Sprint("answer ", len(c.sent)), fmt.Sprint("question ", n))[1:]...)
		if n%7 == 3 {
			c.add(record.PastCall{Status: 529, Answer: []byte(`{"type":"error"}`)}, before, all...)
			if before = len(all); n%2 == 0 {
				all = append(all, says("go on")...)
			}
		}
		c.add(record.PastCall{}, before, all...)
	}
	c.comesBack(1)
	run := opened(t, c.store, "run")
	first, last := run.Info().First, run.Info().Cycle
	attempts, err := run.Attempts(t.Context(), first, last)
	must(t, err)
	for _, a := range attempts {
		kept, err := history.UnpackRequest(a.Request)
		must(t, err)
		if n := strings.Count(string(kept), `"role"`); n > 3*most {
			t.Errorf("the record of %s has the frames of %d messages", a.ID, n)
		}
	}
}

// An erasure of what an agent compacted, or put a note in the place of, leaves the requests without it as they were.
func TestAnErasureLeavesRequestsThatOnlyLookAlike(t *testing.T) {
	for how, then := range map[string][]string{
		"a compaction": says("In short.", "answer 4", "five"),
		"a stub":       says("Left out.", "answer 1", "two", "answer 2", "three", "answer 3", "four"),
	} {
		t.Run(how, func(t *testing.T) {
			c := newTalked(t)
			all := says("my secret", "answer 1", "two", "answer 2", "three")
			c.add(record.PastCall{}, 0, all[:1]...)
			c.add(record.PastCall{}, 1, all[:3]...)
			c.add(record.PastCall{}, 3, all...)
			c.add(record.PastCall{Rewrites: true}, 0, then...)
			for i := range 5 {
				before := len(then)
				then = append(then, says("", fmt.Sprint("answer ", i+4), fmt.Sprint("question ", i))[1:]...)
				c.add(record.PastCall{}, before, then...)
			}
			c.comesBack(1)
			run := opened(t, c.store, "run")
			first, err := run.At(t.Context(), pact.Cycle(1))
			must(t, err)
			var ids []string
			for n, err := range first.Nodes() {
				must(t, err)
				if n.Class == "block" && n.Role == "user" {
					ids = append(ids, n.ID)
				}
			}
			_, err = record.Erase(t.Context(), c.store, run, pact.Erasure{IDs: ids, Reason: "asked to", Random: rand.Reader})
			must(t, err)
			c.comesBack(4)
		})
	}
}

// Another process takes blocks out of the context between two calls of an import: the next call, which continues the one
// before, has them all.
func TestACallContinuesAContextThatAnotherProcessChanged(t *testing.T) {
	medium := store.NewMemory()
	importer, err := record.NewImporter(t.Context(), pact.NewDB(medium), record.ImportOptions{Context: "run"})
	must(t, err)
	c := &talked{t: t, store: pact.NewDB(medium), importer: importer}
	all := says("one", "answer 1", "two", "answer 2", "three")
	c.add(record.PastCall{}, 0, all[:1]...)
	c.add(record.PastCall{}, 1, all[:3]...)
	other := opened(t, c.store, "run")
	err = other.Edit(t.Context(), func(b *pact.Batch) error {
		for n := range other.Working().Nodes() {
			if n.Class == "block" && n.Role == "user" {
				b.Remove(n.ID)
			}
		}
		return nil
	}, nil)
	must(t, err)
	c.add(record.PastCall{}, 3, all...)
	c.comesBack(2)
}

// The record of a request may leave a text to an earlier one: once an erasure took that, no SHA-256 of a body with the
// text is left from which it could be guessed. A call that did not send it keeps its record.
func TestAnErasureTakesTheRecordsThatRestOnAnErasedOne(t *testing.T) {
	c := newTalked(t)
	all := says("one", "answer 1", "two", "answer 2", "three", "answer 3", "four")
	all[0] = strings.Replace(all[0], `"role"`, `"name":"Ada Lovelace","role"`, 1)
	for n := range 4 {
		c.add(record.PastCall{}, max(0, 2*n-1), all[:2*n+1]...)
	}
	c.add(record.PastCall{Rewrites: true}, 0, says("In short.")...)
	c.comesBack(1)
	run := opened(t, c.store, "run")
	_, err := record.Erase(t.Context(), c.store, run, pact.Erasure{Texts: []string{"Ada Lovelace"}, Reason: "asked to", Random: rand.Reader})
	must(t, err)
	attempts, err := run.Attempts(t.Context(), 1, 5)
	must(t, err)
	for i, a := range attempts {
		left, err := history.UnpackRequest(a.Request)
		must(t, err)
		if strings.Contains(string(left), "sha256") != (i == 4) || (a.Params == history.NoThread) != (i < 4) {
			t.Errorf("%s leaves %s, %v", a.ID, left, a.Params)
		}
	}
	c.comesBack(5)
}
