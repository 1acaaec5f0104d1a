package librarytest

import (
	"bytes"
	"io"
	"iter"
	"reflect"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// The ids of a block in the first turn of the contexts that are asked, and of that turn.
const unreadBlock, unreadTurn = "hello-1", "mt:1-1"

// drain reads a sequence until it ends or fails.
func drain[T any](list iter.Seq2[T, error]) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// failure drops the answer of a call.
func failure[T any](_ T, err error) error { return err }

// callsOfContext has a call of every exported method of Context.
var callsOfContext = map[string]func(c *pact.Context) error{
	"At":       func(c *pact.Context) error { return failure(c.At(background, pact.Cycle(1))) },
	"Attempts": func(c *pact.Context) error { return failure(c.Attempts(background, 1, 9)) },
	"Export":   func(c *pact.Context) error { return c.Export(background, io.Discard) },
	"Blame":    func(c *pact.Context) error { return failure(c.Blame(background, pact.Latest())) },
	"Commit": func(c *pact.Context) error {
		return failure(c.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "r"}}))
	},
	"Copy":    func(c *pact.Context) error { return failure(c.Copy(background, pact.NewDB(store.NewMemory()), "copy")) },
	"CycleAt": func(c *pact.Context) error { return failure(c.CycleAt(pact.Latest())) },
	"Cycles":  func(c *pact.Context) error { c.Cycles(); return nil },
	"Diff": func(c *pact.Context) error {
		return failure(c.Diff(background, pact.Cycle(1), pact.Latest(), nil))
	},
	"Edit": func(c *pact.Context) error {
		return c.Edit(background, func(b *pact.Batch) error {
			b.Add(unreadTurn, pact.Spec{Offset: 1, ID: "x"})
			return nil
		}, &pact.Note{Request: "r"})
	},
	"Edition": func(c *pact.Context) error { c.Edition(); return nil },
	"EndAttempt": func(c *pact.Context) error {
		return failure(c.EndAttempt(background, "attempt:4-1", pact.Outcome{Status: history.Completed}))
	},
	"Erase": func(c *pact.Context) error {
		return failure(c.Erase(background, pact.Erasure{IDs: []string{unreadBlock}, Reason: "r", Random: chance()}))
	},
	"Explain": func(c *pact.Context) error { return failure(c.Explain(background, ".block", nil)) },
	"ExportSnapshots": func(c *pact.Context) error {
		return c.ExportSnapshots(background, io.Discard, pact.Cycle(1), pact.Latest())
	},
	"Extension": func(c *pact.Context) error { return failure(c.Extension(background, c)) },
	"Find":      func(c *pact.Context) error { return failure(c.Find(background, ".block", nil)) },
	"Fork": func(c *pact.Context) error {
		return failure(c.Fork(background, pact.Cycle(1), "fork", &pact.Note{Request: "r"}))
	},
	"History": func(c *pact.Context) error { return drain(c.History(background, pact.Cycle(1), pact.Latest())) },
	"Log":     func(c *pact.Context) error { return drain(c.Log(background, 0)) },
	"HistoryExtension": func(c *pact.Context) error {
		var whole bytes.Buffer
		if err := c.Export(background, &whole); err != nil {
			return err
		}
		return failure(c.HistoryExtension(background, &whole, nil))
	},
	"ParseAddress": func(c *pact.Context) error { return failure(c.ParseAddress("@c1")) },
	"Name":         func(c *pact.Context) error { c.Name(); return nil },
	"String":       func(c *pact.Context) error { _ = c.String(); return nil },
	"Occurrences": func(c *pact.Context) error {
		return failure(c.Occurrences(background, pact.Cycle(1), pact.Latest(), true, func(int64, string) bool { return true }))
	},
	"Migrate": func(c *pact.Context) error {
		_, _, err := c.Migrate(background, pact.NewDB(store.NewMemory()), "moved", selector.Canonical, true)
		return err
	},
	"Origins":  func(c *pact.Context) error { return failure(c.Origins(background)) },
	"Prefixes": func(c *pact.Context) error { return drain(c.Prefixes(background, pact.Cycle(1), pact.Latest())) },
	"Prepare":  func(c *pact.Context) error { return failure(c.Prepare(background, nil)) },
	"PlanFork": func(c *pact.Context) error {
		return failure(c.PlanFork(background, pact.Latest(), &pact.Pruning{IDs: []string{unreadTurn}}))
	},
	"PlanPruning": func(c *pact.Context) error {
		return failure(c.PlanPruning(background, &pact.Pruning{IDs: []string{unreadTurn}}))
	},
	"RangeDiffLatest": func(c *pact.Context) error {
		return failure(c.RangeDiffLatest(background, "@t-1..@t0 .block", nil))
	},
	"Refresh":  func(c *pact.Context) error { return c.Refresh(background) },
	"Retain":   func(c *pact.Context) error { return failure(c.Retain(unreadBlock)) },
	"Revision": func(c *pact.Context) error { c.Revision(); return nil },
	"RichDiff": func(c *pact.Context) error {
		return failure(c.RichDiff(background, pact.Cycle(1), pact.Latest(), nil))
	},
	"Select": func(c *pact.Context) error { return failure(c.Select(background, ".block", nil)) },
	"Send":   func(c *pact.Context) error { return failure(c.Send(background, io.Discard, nil)) },
	"StartAttempt": func(c *pact.Context) error {
		return failure(c.StartAttempt(background, providerCall, io.Discard, nil))
	},
	"Timeline": func(c *pact.Context) error { return failure(c.Timeline(background, unreadBlock)) },
	"Undo":     func(c *pact.Context) error { return failure(c.Undo(background, &pact.Note{Request: "r"})) },
	"Working":  func(c *pact.Context) error { c.Working(); return nil },
}

// callsOfSnapshot has a call of every exported method of Snapshot.
var callsOfSnapshot = map[string]func(s *pact.Snapshot) error{
	"At":          func(s *pact.Snapshot) error { return failure(s.At(pact.Latest())) },
	"Cycle":       func(s *pact.Snapshot) error { s.Cycle(); return nil },
	"Digest":      func(s *pact.Snapshot) error { s.Digest(); return nil },
	"Edition":     func(s *pact.Snapshot) error { s.Edition(); return nil },
	"Explain":     func(s *pact.Snapshot) error { return failure(s.Explain(background, ".block", nil)) },
	"Export":      func(s *pact.Snapshot) error { return s.Export(background, io.Discard) },
	"Find":        func(s *pact.Snapshot) error { return failure(s.Find(background, ".block", nil)) },
	"Len":         func(s *pact.Snapshot) error { s.Len(); return nil },
	"Node":        func(s *pact.Snapshot) error { return failure(s.Node(unreadBlock)) },
	"Nodes":       func(s *pact.Snapshot) error { return drain(s.Nodes()) },
	"Place":       func(s *pact.Snapshot) error { return failure(s.Place(unreadBlock)) },
	"Policy":      func(s *pact.Snapshot) error { return failure(s.Policy()) },
	"Select":      func(s *pact.Snapshot) error { return failure(s.Select(background, ".block", nil)) },
	"Thread":      func(s *pact.Snapshot) error { return failure(s.Thread(background)) },
	"String":      func(s *pact.Snapshot) error { _ = s.String(); return nil },
	"ThreadSize":  func(s *pact.Snapshot) error { s.ThreadSize(); return nil },
	"Tokens":      func(s *pact.Snapshot) error { return failure(s.Tokens(background, wordCounter{})) },
	"WriteThread": func(s *pact.Snapshot) error { return s.WriteThread(background, io.Discard) },
}

// callsOfBatch has a call of every exported method of Batch.
var callsOfBatch = map[string]func(b *pact.Batch){
	"Add":         func(b *pact.Batch) { b.Add(unreadTurn, pact.Spec{Offset: 1}) },
	"AddAt":       func(b *pact.Batch) { b.Add("(d1, end)", "block") },
	"AddEvery":    func(b *pact.Batch) { b.AddEvery(9, pact.Spec{Key: "k"}) },
	"AddResult":   func(b *pact.Batch) { b.AddResult(unreadBlock, pact.Spec{}) },
	"Edition":     func(b *pact.Batch) { _ = b.Edition() },
	"Err":         func(b *pact.Batch) { _ = b.Err() },
	"Has":         func(b *pact.Batch) { b.Has(unreadBlock) },
	"KeepPolicy":  func(b *pact.Batch) { b.KeepPolicy(&lifecycle.Policy{MaxTurns: 1}) },
	"Move":        func(b *pact.Batch) { b.Move(unreadBlock, "^ah", 1) },
	"MoveTo":      func(b *pact.Batch) { b.MoveTo(unreadBlock, "(d0, end)") },
	"MoveToDepth": func(b *pact.Batch) { b.MoveToDepth(0, unreadBlock) },
	"Remove":      func(b *pact.Batch) { b.Remove(unreadBlock) },
	"Replace":     func(b *pact.Batch) { b.Replace(unreadBlock, pact.Spec{Content: "x"}) },
	"Splice":      func(b *pact.Batch) { b.Splice(0, pact.Spec{Content: "x"}) },
	"Reorder":     func(b *pact.Batch) { b.Reorder(unreadBlock) },
	"Update":      func(b *pact.Batch) { b.Update(unreadBlock, func(s *pact.Spec) { s.Priority = 1 }) },
}

// callsOfAll has all these calls, under the names of type and method. older is a snapshot
// before the latest one.
func callsOfAll(t *testing.T, older *pact.Snapshot) map[string]func(c *pact.Context) error {
	t.Helper()
	all := map[string]func(*pact.Context) error{
		"SharePrefix": func(c *pact.Context) error { return failure(pact.SharePrefix(background, older, c.Working())) },
	}
	list := func(of reflect.Type, called func(name string) bool) {
		for i := range of.NumMethod() {
			if name := of.Method(i).Name; !called(name) {
				t.Errorf("nothing calls %v.%s", of, name)
			}
		}
	}
	list(reflect.TypeFor[*pact.Context](), func(name string) bool { return callsOfContext[name] != nil })
	list(reflect.TypeFor[*pact.Snapshot](), func(name string) bool { return callsOfSnapshot[name] != nil })
	list(reflect.TypeFor[*pact.Batch](), func(name string) bool { return callsOfBatch[name] != nil })
	for name, call := range callsOfContext {
		all["Context."+name] = call
	}
	for name, call := range callsOfSnapshot {
		all["Snapshot."+name] = func(c *pact.Context) error { return call(c.Working()) }
	}
	for name, call := range callsOfBatch {
		all["Batch."+name] = func(c *pact.Context) error {
			return c.Edit(background, func(b *pact.Batch) error { call(b); return nil }, nil)
		}
	}
	return all
}
