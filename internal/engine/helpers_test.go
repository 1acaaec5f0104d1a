package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
)

var background = context.Background()

var must = testrun.Must

var words = tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"}

// writer commits turns to a context through one engine, as a process does.
type writer struct {
	*testing.T
	e     *engine.Engine
	key   history.Key
	clock int64
}

func begin(t *testing.T, e *engine.Engine, name string) *writer {
	t.Helper()
	w := &writer{T: t, e: e}
	first, stamps, err := tree.New(w.env(), nil)
	must(t, err)
	info, err := e.Create(background, engine.Creation{Name: name, Edition: "canonical", Tree: first, Stamps: stamps})
	must(t, err)
	w.key = info.Key
	return w
}

func (w *writer) env() tree.Env {
	return tree.Env{Vocabulary: words, Clock: func() int64 { w.clock++; return w.clock },
		Taken: func(id string) (bool, error) { return w.e.Has(background, w.key, id) }}
}

// change returns the next commit, with drafts of several texts before it.
func (w *writer) change(texts ...string) (engine.Guard, []engine.Change, error) {
	st, err := w.e.Load(background, w.key)
	if err != nil {
		return engine.Guard{}, nil, err
	}
	w.clock = max(w.clock, st.Stamps.LastNS)
	var list []engine.Change
	working, stamps := st.Working, st.Stamps
	for i, text := range texts {
		x := tree.Edit(background, working, st.Head, stamps, w.env())
		if _, err := x.Add("^ah", tree.Spec{Role: "user", Content: text, Offset: int64(i)}); err != nil {
			return engine.Guard{}, nil, err
		}
		list = append(list, engine.Change{Before: working, After: x.Tree(), Stamps: x.Stamps,
			Entry: history.Entry{Cycle: x.Stamps.Cycle}})
		working, stamps = x.Tree(), x.Stamps
	}
	sealed, next, err := tree.Seal(working, stamps, w.env())
	if err != nil {
		return engine.Guard{}, nil, err
	}
	list = append(list, engine.Change{Before: working, After: sealed.WithCycle(next.Cycle), Sealed: sealed, Stamps: next,
		Entry: history.Entry{Cycle: sealed.Cycle()}})
	return engine.Guard{Cycle: st.Cycle, Revision: st.Revision}, list, nil
}

func (w *writer) commit(texts ...string) error {
	g, list, err := w.change(texts...)
	if err != nil {
		return err
	}
	return w.e.Apply(background, w.key, g, list...)
}

// threads returns the threads of all snapshots.
func threads(e *engine.Engine, key history.Key) (list []string, err error) {
	info, err := e.Info(background, key)
	if err != nil {
		return nil, err
	}
	for t, err := range e.History(background, key, info.First, info.Cycle) {
		if err != nil {
			return nil, err
		}
		text, err := t.Thread(background)
		if err != nil {
			return nil, err
		}
		list = append(list, string(text))
	}
	return list, nil
}

// contents returns what each snapshot has other than the one before it.
func contents(e *engine.Engine, key history.Key) (list []string, err error) {
	for d, err := range e.Deltas(background, key, 1, 12) {
		if err != nil {
			return nil, err
		}
		list = append(list, d.Gone...)
		for _, v := range d.Born {
			text, err := v.Text(background)
			if err != nil {
				return nil, err
			}
			list = append(list, v.ID(), string(text))
		}
	}
	return list, nil
}

func said(i int) string { return fmt.Sprintf("turn %d says something of its own", i) }
