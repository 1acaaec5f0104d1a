package librarytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
const unreadBlock, unreadTurn = "hello-1", "seg:1-3"

// failure drops the answer of a call.
func failure[T any](_ T, err error) error { return err }

func answer[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// extends is how many snapshots an extension adds.
func extends(cycles int64, _ func(context.Context) error, err error) (int64, error) {
	return cycles, err
}

// collected reads a sequence until it ends or fails.
func collected[T any](list iter.Seq2[T, error]) (any, error) {
	var all []T
	for v, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func drain[T any](list iter.Seq2[T, error]) error { return failure(collected(list)) }

// written returns what a call writes.
func written(f func(w io.Writer) error) (any, error) {
	var b bytes.Buffer
	err := f(&b)
	return b.String(), err
}

// shown is all that a person reads in the answer of a call.
func shown(v any) (string, error) {
	switch v := v.(type) {
	case *pact.Context:
		return shown(v.Working())
	case *pact.Sealed:
		return shown(v.Snapshot)
	case *pact.Snapshot:
		doc, err := documentOf(background, v)
		thread, failed := v.Thread(background)
		return string(doc) + string(thread), errors.Join(err, failed)
	case []byte:
		return string(v), nil
	case string:
		return v, nil
	case pact.Node:
		text, err := v.Text(background)
		data, failed := v.JSON(background)
		return text + string(data), errors.Join(err, failed)
	case pact.Hit:
		return shown(v.Node)
	case []*pact.Snapshot:
		return shownAll(v)
	case []pact.Node:
		return shownAll(v)
	case []pact.Hit:
		return shownAll(v)
	}
	return fmt.Sprintf("%+v", v), nil
}

func shownAll[T any](list []T) (text string, err error) {
	for _, v := range list {
		one, failed := shown(v)
		text, err = text+one, errors.Join(err, failed)
	}
	return text, err
}

// callsOfContext has a call of every exported method of Context.
var callsOfContext = map[string]func(c *pact.Context) (any, error){
	"At":       func(c *pact.Context) (any, error) { return answer(c.At(background, pact.Cycle(1))) },
	"Attempts": func(c *pact.Context) (any, error) { return answer(c.Attempts(background, 1, 9)) },
	"Export": func(c *pact.Context) (any, error) {
		return written(func(w io.Writer) error { return c.Export(background, w) })
	},
	"Blame": func(c *pact.Context) (any, error) { return answer(c.Blame(background, "latest")) },
	"Commit": func(c *pact.Context) (any, error) {
		return answer(c.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "r"}}))
	},
	"Copy": func(c *pact.Context) (any, error) {
		return answer(c.Copy(background, pact.NewDB(store.NewMemory()), "copy"))
	},
	"CycleAt": func(c *pact.Context) (any, error) { return answer(c.CycleAt("latest")) },
	"Diff": func(c *pact.Context) (any, error) {
		return answer(c.Diff(background, pact.Cycle(1), "latest", nil))
	},
	"Edit": func(c *pact.Context) (any, error) {
		return nil, c.Edit(background, func(b *pact.Batch) error {
			b.Add(unreadTurn, pact.Spec{Offset: 1, ID: "x"})
			return nil
		}, &pact.Note{Request: "r"})
	},
	"EndAttempt": func(c *pact.Context) (any, error) {
		return answer(c.EndAttempt(background, pact.Outcome{ID: "attempt:4-1", Status: history.Completed}))
	},
	"Erase": func(c *pact.Context) (any, error) {
		return answer(c.Erase(background, pact.Erasure{IDs: []string{unreadBlock}, Reason: "r", Random: chance()}))
	},
	"Explain": func(c *pact.Context) (any, error) { return answer(c.Explain(background, "@t0 [content~'hello']", nil)) },
	"ExportSnapshots": func(c *pact.Context) (any, error) {
		return written(func(w io.Writer) error { return c.ExportSnapshots(background, w, pact.Cycle(1), "latest") })
	},
	"Find": func(c *pact.Context) (any, error) { return answer(c.Find(background, ".block", nil)) },
	"Fork": func(c *pact.Context) (any, error) {
		return answer(c.Fork(background, pact.Cycle(1), "fork", &pact.Note{Request: "r"}))
	},
	"History": func(c *pact.Context) (any, error) {
		return collected(c.History(background, pact.Cycle(1), "latest"))
	},
	"Info": func(c *pact.Context) (any, error) { c.Info(); return nil, nil },
	"Log":  func(c *pact.Context) (any, error) { return collected(c.Log(background, 0)) },
	"Extension": func(c *pact.Context) (any, error) {
		var whole bytes.Buffer
		if err := c.Export(background, &whole); err != nil {
			return nil, err
		}
		return answer(extends(c.Extension(background, &whole, nil)))
	},
	"Occurrences": func(c *pact.Context) (any, error) {
		return answer(c.Occurrences(background, pact.Cycle(1), "latest", true, func(int64, string) bool { return true }))
	},
	"Migrate": func(c *pact.Context) (any, error) {
		to, _, err := c.Migrate(background, pact.NewDB(store.NewMemory()), "moved", selector.V1, true)
		return to, err
	},
	"Origins": func(c *pact.Context) (any, error) { return answer(c.Origins(background)) },
	"Prefixes": func(c *pact.Context) (any, error) {
		return collected(c.Prefixes(background, pact.Cycle(1), "latest"))
	},
	"Prepare": func(c *pact.Context) (any, error) { return answer(c.Prepare(background, nil)) },
	"PlanPruning": func(c *pact.Context) (any, error) {
		return answer(c.PlanPruning(background, "latest", &pact.Pruning{IDs: []string{unreadTurn}}))
	},
	"RangeDiffLatest": func(c *pact.Context) (any, error) {
		return answer(c.RangeDiffLatest(background, "@t-1..@t0 .block", nil))
	},
	"Refresh": func(c *pact.Context) (any, error) { return c, c.Refresh(background) },
	"Retain":  func(c *pact.Context) (any, error) { return answer(c.Retain(unreadBlock)) },
	"String":  func(c *pact.Context) (any, error) { _ = c.String(); return nil, nil },
	"RichDiff": func(c *pact.Context) (any, error) {
		return answer(c.RichDiff(background, pact.Cycle(1), "latest", nil))
	},
	"Select": func(c *pact.Context) (any, error) { return answer(c.Select(background, "@t0 [content~'hello']", nil)) },
	"Send": func(c *pact.Context) (any, error) {
		return written(func(w io.Writer) error { return failure(c.Send(background, w, nil)) })
	},
	"StartAttempt": func(c *pact.Context) (any, error) {
		return written(func(w io.Writer) error { return failure(c.StartAttempt(background, providerCall, w, nil)) })
	},
	"Timeline": func(c *pact.Context) (any, error) { return answer(c.Timeline(background, unreadBlock)) },
	"Undo":     func(c *pact.Context) (any, error) { return answer(c.Undo(background, &pact.Note{Request: "r"})) },
	"Working":  func(c *pact.Context) (any, error) { c.Working(); return nil, nil },
}

// callsOfSnapshot has a call of every exported method of Snapshot.
var callsOfSnapshot = map[string]func(s *pact.Snapshot) (any, error){
	"At":      func(s *pact.Snapshot) (any, error) { return answer(s.At("latest")) },
	"Cycle":   func(s *pact.Snapshot) (any, error) { s.Cycle(); return nil, nil },
	"Digest":  func(s *pact.Snapshot) (any, error) { s.Digest(); return nil, nil },
	"Edition": func(s *pact.Snapshot) (any, error) { s.Edition(); return nil, nil },
	"Explain": func(s *pact.Snapshot) (any, error) { return answer(s.Explain(background, "[content~'hello']", nil)) },
	"Export": func(s *pact.Snapshot) (any, error) {
		return written(func(w io.Writer) error { return s.Export(background, w) })
	},
	"Find":       func(s *pact.Snapshot) (any, error) { return answer(s.Find(background, ".block", nil)) },
	"Len":        func(s *pact.Snapshot) (any, error) { s.Len(); return nil, nil },
	"Node":       func(s *pact.Snapshot) (any, error) { return answer(s.Node(unreadBlock)) },
	"Nodes":      func(s *pact.Snapshot) (any, error) { return collected(s.Nodes()) },
	"Place":      func(s *pact.Snapshot) (any, error) { return answer(s.Place(unreadBlock)) },
	"Policy":     func(s *pact.Snapshot) (any, error) { return answer(s.Policy()) },
	"Select":     func(s *pact.Snapshot) (any, error) { return answer(s.Select(background, "[content~'hello']", nil)) },
	"Thread":     func(s *pact.Snapshot) (any, error) { return answer(s.Thread(background)) },
	"ThreadSize": func(s *pact.Snapshot) (any, error) { s.ThreadSize(); return nil, nil },
	"Tokens":     func(s *pact.Snapshot) (any, error) { return answer(s.Tokens(background, wordCounter{})) },
	"WriteThread": func(s *pact.Snapshot) (any, error) {
		return written(func(w io.Writer) error { return s.WriteThread(background, w) })
	},
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
	"MoveTo":      func(b *pact.Batch) { b.Move(unreadBlock, "(d0, end)", 0) },
	"MoveToDepth": func(b *pact.Batch) { b.MoveToDepth(0, unreadBlock) },
	"Remove":      func(b *pact.Batch) { b.Remove(unreadBlock) },
	"Replace":     func(b *pact.Batch) { b.Replace(unreadBlock, pact.Spec{Content: "x"}) },
	"Splice":      func(b *pact.Batch) { b.Splice(0, pact.Spec{Content: "x"}) },
	"Reorder":     func(b *pact.Batch) { b.Reorder(unreadBlock) },
	"Update":      func(b *pact.Batch) { b.Update(unreadBlock, func(s *pact.Spec) { s.Priority = 1 }) },
}

// callsOfAll has all these calls, under the names of type and method. older is a snapshot
// before the latest one.
func callsOfAll(t *testing.T, older *pact.Snapshot) map[string]func(c *pact.Context) (any, error) {
	t.Helper()
	all := map[string]func(*pact.Context) (any, error){
		"SharePrefix": func(c *pact.Context) (any, error) { return answer(pact.SharePrefix(background, older, c.Working())) },
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
		all["Snapshot."+name] = func(c *pact.Context) (any, error) { return call(c.Working()) }
	}
	for name, call := range callsOfBatch {
		all["Batch."+name] = func(c *pact.Context) (any, error) {
			return nil, c.Edit(background, func(b *pact.Batch) error { call(b); return nil }, nil)
		}
	}
	return all
}
