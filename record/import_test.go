package record_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

const logs = "../internal/record/calllog/testdata"

// logOfCalls reads the first session of a sample of package calllog.
func logOfCalls(t *testing.T, path string) calllog.Session {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	log, err := calllog.Read(data)
	must(t, err)
	return log.Sessions[0]
}

// past returns the calls of a session as an Importer takes them.
func past(t *testing.T, s calllog.Session) (list []record.PastCall) {
	t.Helper()
	for i := range s.Calls {
		c, err := s.Calls[i].Load()
		must(t, err)
		p := record.PastCall{ID: c.ID, API: string(c.API), Host: c.Host, Path: c.Path, Header: c.Header, Body: c.Body,
			Status: c.Status, Answer: c.Answer, Started: c.Started, FirstByte: c.FirstByte, Ended: c.Ended,
			Rewrites: c.Rewrites}
		if p.Body == nil {
			p.Body, err = c.Whole()
			must(t, err)
		}
		list = append(list, p)
	}
	return list
}

// addAll imports calls under the name run and returns the names of the contexts.
func addAll(t *testing.T, s *pact.DB, calls []record.PastCall) (names []string, added int) {
	t.Helper()
	i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
	must(t, err)
	for _, p := range calls {
		isNew, err := i.Add(t.Context(), p)
		must(t, err)
		if isNew {
			added++
		}
	}
	return i.Contexts(), added
}

// Every request of every log comes back byte for byte: as the log has it, or as
// it was rebuilt.
func TestRequestsOfLogsComeBack(t *testing.T) {
	paths, err := filepath.Glob(logs + "/*")
	must(t, err)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			calls := past(t, logOfCalls(t, path))
			s := pact.NewDB(store.NewMemory())
			names, _ := addAll(t, s, calls)
			var got, want []string
			for _, name := range names {
				got = append(got, ownBodies(t, s, name)...)
			}
			for _, p := range calls {
				if p.Status < 400 { // a failed call shares the cycle of its retry
					want = append(want, string(p.Body))
				}
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%d bodies come back, %d were logged, and they differ", len(got), len(want))
			}
		})
	}
}

// digests returns the digest of each context's working state and how many
// attempts it has.
func digests(t *testing.T, s *pact.DB, names []string) (list []string) {
	for _, name := range names {
		c := opened(t, s, name)
		first, last := c.Info().First, c.Info().Cycle
		attempts, err := c.Attempts(t.Context(), first, last+1)
		must(t, err)
		list = append(list, name, c.Working().Digest(), strconv.Itoa(len(attempts)))
	}
	return list
}

// The same log again adds nothing, a grown log adds its new calls, and after
// each way of growing the contexts are the same.
func TestLogsThatGrow(t *testing.T) {
	for _, sample := range []string{"chat-pairs.jsonl", "exchanges.har", "conversations.json", "atif.json",
		"anthropic-requests.jsonl", "claude-code.jsonl"} {
		t.Run(sample, func(t *testing.T) {
			calls := past(t, logOfCalls(t, filepath.Join(logs, sample)))
			whole := pact.NewDB(store.NewMemory())
			names, added := addAll(t, whole, calls)
			if added != len(calls) {
				t.Fatalf("%d of %d calls were added", added, len(calls))
			}
			want := digests(t, whole, names)
			if again, added := addAll(t, whole, calls); added != 0 || !slices.Equal(digests(t, whole, again), want) {
				t.Errorf("again: %d calls were added, and the contexts are %v, not %v", added, digests(t, whole, again), want)
			}
			for n := 1; n < len(calls); n++ {
				s := pact.NewDB(store.NewMemory())
				addAll(t, s, calls[:n])
				names, added := addAll(t, s, calls)
				if got := digests(t, s, names); added != len(calls)-n || !slices.Equal(got, want) {
					t.Errorf("after %d calls %d were added, and the contexts are %v, not %v", n, added, got, want)
				}
			}
		})
	}
}

// Times, tokens, model and provider of the log stand in the attempts.
func TestAttemptsOfALog(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	addAll(t, s, past(t, logOfCalls(t, filepath.Join(logs, "litellm.jsonl"))))
	attempts, err := opened(t, s, "run").Attempts(t.Context(), 1, 1)
	must(t, err)
	if len(attempts) != 1 {
		t.Fatalf("%d attempts", len(attempts))
	}
	a := attempts[0]
	if a.StartedNS != 1777885200250000000 || a.EndedNS != 1777885201500000000 || a.Model != "gpt-5.5" ||
		a.Provider != "api.openai.com" || a.Status != history.Completed || *a.TokenIn != 210 || *a.TokenOut != 18 {
		t.Errorf("the attempt is %+v", a)
	}
}

// A failed call stays in its cycle, and the call after it is the retry.
func TestFailedCallsOfALog(t *testing.T) {
	calls := past(t, logOfCalls(t, filepath.Join(logs, "chat-pairs.jsonl")))[:1]
	failed := calls[0]
	failed.ID, failed.Status, failed.Answer = "failed", 500, []byte(`{"error":{"message":"overloaded"}}`)
	s := pact.NewDB(store.NewMemory())
	addAll(t, s, []record.PastCall{failed, calls[0]})
	attempts, err := opened(t, s, "run").Attempts(t.Context(), 1, 1)
	must(t, err)
	if len(attempts) != 2 || attempts[0].Status != history.Failed || attempts[1].Status != history.Completed {
		t.Errorf("the attempts are %+v", attempts)
	}
}

// Keys in the headers of a log are not stored, also where a body repeats them.
func TestAnImportStoresNoKeys(t *testing.T) {
	p := past(t, logOfCalls(t, filepath.Join(logs, "exchanges.har")))[0]
	p.Header.Set("Authorization", "Bearer sk-secret-of-a-log")
	p.Body = bytes.Replace(p.Body, []byte("Which book"), []byte("sk-secret-of-a-log, which book"), 1)
	s := pact.NewDB(store.NewMemory())
	addAll(t, s, []record.PastCall{p})
	body, err := record.Request(t.Context(), opened(t, s, "run"), 1, 0)
	must(t, err)
	if bytes.Contains(body.Bytes, []byte("sk-secret")) || body.Redacted != 1 {
		t.Errorf("%d values were removed of %s", body.Redacted, body.Bytes)
	}
}

// What no recorder made is not touched, and what is no request is refused.
func TestImportsThatCannotBe(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	_, err := pact.Create(t.Context(), s, "run", nil)
	must(t, err)
	_, err = record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("the error is %v", err)
	}
	i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "other"})
	must(t, err)
	if _, err := i.Add(t.Context(), record.PastCall{API: "openai.chat", Body: []byte("[]")}); fault.CodeOf(err) !=
		fault.DocumentInvalid {
		t.Errorf("the error is %v", err)
	}
}

// TestAnImporterRefusesTheContextOfAnotherLog: it leaves the context as it is, and goes on
// with one that has the first call of the log.
func TestAnImporterRefusesTheContextOfAnotherLog(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	add := func(first, text string) error {
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "log", First: first})
		if err != nil {
			return err
		}
		_, err = i.Add(t.Context(), record.PastCall{ID: first, API: "openai.chat",
			Body: []byte(`{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`)})
		return err
	}
	must(t, add("a", "Hi"))
	must(t, add("a", "Hi"))
	before := opened(t, s, "log").Working().Digest()
	if err := add("b", "Bye"); !errors.Is(err, fault.Conflict) {
		t.Errorf("another log: %v", err)
	}
	if opened(t, s, "log").Working().Digest() != before {
		t.Error("the refusal changed the context")
	}
	if _, err := s.Find(t.Context(), "log-2"); !errors.Is(err, fault.ContextNotFound) {
		t.Errorf("a second context: %v", err)
	}
}

// TestARewriteOfALogGoesOn: a request that shares nothing with the one before continues its
// context if the log says that the agent compacted it, also in a later import.
func TestARewriteOfALogGoesOn(t *testing.T) {
	body := func(text string) []byte {
		return []byte(`{"model":"m","messages":[{"role":"system","content":"Count."},{"role":"user","content":"` + text + `"}]}`)
	}
	calls := []record.PastCall{{ID: "1", API: "openai.chat", Body: body("One.")},
		{ID: "2", API: "openai.chat", Body: body("So far: one."), Rewrites: true}}
	for _, together := range []bool{true, false} {
		s := pact.NewDB(store.NewMemory())
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "log"})
		must(t, err)
		for n := range calls {
			_, err := i.Add(t.Context(), calls[n])
			must(t, err)
			if !together {
				i, err = record.NewImporter(t.Context(), s, record.ImportOptions{Context: "log"})
				must(t, err)
			}
		}
		if names := i.Contexts(); len(names) != 1 {
			t.Errorf("one importer %t: the log became %q", together, names)
			continue
		}
		request, err := record.Request(t.Context(), opened(t, s, "log"), 2, 0)
		must(t, err)
		if !bytes.Equal(request.Bytes, calls[1].Body) {
			t.Errorf("the call after the compaction sent %s", request.Bytes)
		}
	}
}

// A later import knows which context the log was in: not always the youngest.
func TestARewriteContinuesTheContextOfTheCallBefore(t *testing.T) {
	body := func(system, text string) []byte {
		return []byte(`{"model":"m","messages":[{"role":"system","content":"` + system + `"},{"role":"user","content":"` +
			text + `"}]}`)
	}
	calls := []record.PastCall{{ID: "1", API: "openai.chat", Body: body("Count.", "One.")},
		{ID: "2", API: "openai.chat", Body: body("Name it.", "A title for: One.")},
		{ID: "3", API: "openai.chat", Body: body("Count.", "One.")},
		{ID: "4", API: "openai.chat", Body: body("Count.", "So far: one."), Rewrites: true}}
	for n := range calls {
		s := pact.NewDB(store.NewMemory())
		addAll(t, s, calls[:n])
		addAll(t, s, calls)
		c := opened(t, s, "run")
		last := c.Info().Cycle
		request, err := record.Request(t.Context(), c, last, 0)
		must(t, err)
		if !bytes.Equal(request.Bytes, calls[3].Body) {
			t.Errorf("after %d calls: the first context ends with %s", n, request.Bytes)
		}
	}
}

// A compaction that a transcript tells of continues the context, and what the
// user edited is a fork.
func TestACompactionOfATranscript(t *testing.T) {
	calls := past(t, logOfCalls(t, filepath.Join(logs, "claude-code.jsonl")))
	s := pact.NewDB(store.NewMemory())
	if names, _ := addAll(t, s, calls); !slices.Equal(names, []string{"run", "run-2"}) {
		t.Fatalf("the contexts are %v", names)
	}
	fork := opened(t, s, "run-2")
	last := fork.Info().Cycle
	for cycle, says := range map[int64]string{last - 1: "Neverending", last: "Reserve it"} {
		request, err := record.Request(t.Context(), fork, cycle, 0)
		must(t, err)
		if !bytes.Contains(request.Bytes, []byte(says)) {
			t.Errorf("@c%d of the fork sent %s", cycle, request.Bytes)
		}
	}
}

func TestSourceOfAContext(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	byHand, err := pact.Create(t.Context(), s, "by hand", nil)
	must(t, err)
	if of := record.SourceOf(byHand.Working()); of != nil {
		t.Errorf("a context that no recorder made has the source %+v", of)
	}
	source := map[string]any{"format": "a log", "exact": "rebuilt", "missing": []string{"the tools"}}
	for name, want := range map[string]record.Source{"recorded": {Exact: "byte-exact"},
		"imported": {Exact: "rebuilt", Format: "a log", Missing: []string{"the tools"}}} {
		o := record.ImportOptions{Context: name, Source: map[string]map[string]any{"imported": source}[name]}
		i, err := record.NewImporter(t.Context(), s, o)
		must(t, err)
		_, err = i.Add(t.Context(), record.PastCall{ID: "1", API: "openai.chat",
			Body: []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`)})
		must(t, err)
		for id, want := range map[string]bool{"1": true, "2": false, "": false} {
			recorded, erased, err := i.Skips(t.Context(), id)
			must(t, err)
			if recorded != want || erased {
				t.Errorf("of call %q the importer says recorded %v, erased %v", id, recorded, erased)
			}
		}
		c, err := pact.Open(t.Context(), s, name, nil)
		must(t, err)
		if of := record.SourceOf(c.Working()); of == nil || !reflect.DeepEqual(*of, want) {
			t.Errorf("%s: the source is %+v, want %+v", name, of, want)
		}
	}
}
