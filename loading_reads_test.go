package pact_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// settledBytes returns what a store holds of a context whose early turns stand in checkpoints, in
// batches that write it into another store.
func settledBytes(t *testing.T) []*store.Batch {
	t.Helper()
	medium := store.NewMemory()
	db := dbtest.Of(engine.NewHasty(medium, store.Packing{}))
	c := create(t, db)
	for i := range 12 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("hello-", i+1), Role: "user", Content: "hello", Key: "k"})
			call := b.Add("^ah", pact.Spec{ID: fmt.Sprint("call-", i+1), Role: "assistant", Kind: "call", Content: "look"})
			b.AddResult(call, pact.Spec{Content: "seen"})
			return nil
		}})
		must(t, err)
	}
	start(t, c)
	_, err := db.Compact(background)
	must(t, err)
	all, gaps := &store.Batch{}, &store.Batch{}
	for space := range store.Space(8) {
		last := int64(0)
		for p, err := range medium.Range(background, store.Span{Space: space, From: "", To: "\xff"}, store.Ascending) {
			must(t, err)
			all.Put = append(all.Put, p)
		}
		for r, err := range medium.Log(background, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
			must(t, err)
			for last++; last < r.Number; last++ { // a log has gaps where cycles were joined
				all.Append = append(all.Append, store.Record{Space: space, Number: last})
				gaps.Cut = append(gaps.Cut, store.Cut{Space: space, First: last, Last: last})
			}
			r.Decoded = nil
			all.Append = append(all.Append, r)
		}
	}
	return []*store.Batch{all, gaps}
}

// TestEveryReadThatFailsIsAnError makes every exported call on a store of which read n fails, for every
// n: the call returns that error, or what it returns while no read fails. Nothing panics.
func TestEveryReadThatFailsIsAnError(t *testing.T) {
	held := settledBytes(t)
	open := func() (*pact.Context, *pact.Snapshot, *dbtest.Failing) {
		medium := store.NewMemory()
		for _, b := range held {
			must(t, medium.Write(background, b))
		}
		s := &dbtest.Failing{Store: medium}
		c, err := pact.Open(background, pact.NewDB(s), "c", &pact.OpenOptions{Clock: steps()})
		must(t, err)
		older, err := c.At(background, pact.Cycle(3))
		must(t, err)
		return c, older, s
	}
	_, older, _ := open()
	for name := range callsOfAll(t, older) {
		c, older, _ := open()
		readable := callsOfAll(t, older)[name](c)
		for n := int64(1); ; n++ {
			c, older, s := open()
			s.From.Store(n)
			panicked, got := panicOf(func() error { return callsOfAll(t, older)[name](c) })
			if panicked != nil {
				t.Errorf("%s panics where read %d fails: %v", name, n, panicked)
			} else if s.Failed() && fault.CodeOf(got) != fault.Store {
				t.Errorf("%s returns %v where read %d fails, and %v of a store that can be read", name, got, n, readable)
			}
			if !s.Failed() {
				break
			}
		}
	}
}

// panicOf calls f and returns its error, or its panic.
func panicOf(f func() error) (panicked any, err error) {
	defer func() { panicked = recover() }()
	return nil, f()
}

var errUnread = fault.New(fault.Store, "the disk does not answer", "")

// unreadable is a store in memory of which one part cannot be read: what the method of
// this name returns or, for "turns", the turns of the trees that Load and History return.
// It counts how often that part was asked for.
type unreadable struct {
	engine.Contexts
	part   string
	failed int
}

func (s *unreadable) fails(part string) error {
	if s.part != part {
		return nil
	}
	s.failed++
	return errUnread
}

func (s *unreadable) List(ctx context.Context) ([]engine.Info, error) {
	if err := s.fails("List"); err != nil {
		return nil, err
	}
	return s.Contexts.List(ctx)
}

func (s *unreadable) Find(ctx context.Context, name string) (engine.Info, error) {
	if err := s.fails("Find"); err != nil {
		return engine.Info{}, err
	}
	return s.Contexts.Find(ctx, name)
}

func (s *unreadable) Info(ctx context.Context, key history.Key) (engine.Info, error) {
	if err := s.fails("Info"); err != nil {
		return engine.Info{}, err
	}
	return s.Contexts.Info(ctx, key)
}

func (s *unreadable) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	if err := s.fails("Load"); err != nil {
		return nil, err
	}
	st, err := s.Contexts.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	loaded := *st
	if loaded.Head, err = s.stubbed(st.Head); err == nil {
		loaded.Working, err = s.stubbed(st.Working)
	}
	return &loaded, err
}

func (s *unreadable) Deltas(ctx context.Context, key history.Key, from, to int64) iter.Seq2[engine.Delta, error] {
	if err := s.fails("Deltas"); err != nil {
		return func(yield func(engine.Delta, error) bool) { yield(engine.Delta{}, err) }
	}
	return s.Contexts.Deltas(ctx, key, from, to)
}

func (s *unreadable) History(ctx context.Context, key history.Key, from, to int64) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		if err := s.fails("History"); err != nil {
			yield(nil, err)
			return
		}
		for t, err := range s.Contexts.History(ctx, key, from, to) {
			if err == nil {
				t, err = s.stubbed(t)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

func (s *unreadable) Has(ctx context.Context, key history.Key, id string) (bool, error) {
	if err := s.fails("Has"); err != nil {
		return false, err
	}
	return s.Contexts.Has(ctx, key, id)
}

func (s *unreadable) Trace(ctx context.Context, key history.Key, id string) ([]history.Entry, error) {
	if err := s.fails("Trace"); err != nil {
		return nil, err
	}
	return s.Contexts.Trace(ctx, key, id)
}

func (s *unreadable) Log(ctx context.Context, key history.Key, from, to int64) ([]history.Entry, error) {
	if err := s.fails("Log"); err != nil {
		return nil, err
	}
	return s.Contexts.Log(ctx, key, from, to)
}

func (s *unreadable) Request(ctx context.Context, key history.Key, token string) (*history.Entry, error) {
	if err := s.fails("Request"); err != nil {
		return nil, err
	}
	return s.Contexts.Request(ctx, key, token)
}

func (s *unreadable) Attempts(ctx context.Context, key history.Key, from, to int64) ([]history.Attempt, error) {
	if err := s.fails("Attempts"); err != nil {
		return nil, err
	}
	return s.Contexts.Attempts(ctx, key, from, to)
}

// stubbed makes a tree again with a stub in the place of all turns, if these cannot be read.
func (s *unreadable) stubbed(of *tree.Tree) (*tree.Tree, error) {
	if s.part != "turns" {
		return of, nil
	}
	var nodes []tree.Placed
	at := map[string]int{"": -1}
	var add func(e *tree.Entry, parent string)
	add = func(e *tree.Entry, parent string) {
		at[e.Node().ID] = len(nodes)
		nodes = append(nodes, tree.Placed{Node: e.Node(), Parent: at[parent]})
		if e.Class() == tree.Seq {
			return
		}
		for k := range sure.All(e.Children().All()) {
			add(k, e.Node().ID)
		}
	}
	add(of.Root(), "")
	stub, _ := of.Region(tree.Seq).Children().Stub()
	run := stub.List(func(context.Context) (*tree.List, error) { return nil, s.fails("turns") })
	return tree.BuildAround(of.Cycle(), nodes, []tree.Between{{Run: run}}, &tree.Unloaded{
		Find:      func(string) (*tree.Node, string, error) { return nil, "", s.fails("turns") },
		Referrers: func(string) ([]string, error) { return nil, s.fails("turns") },
	})
}

// walks are the sequences of a tree that yield the error of a part that cannot be loaded.
var walks = []string{"All", "Visit", "Blocks", "Referrers"}

// TestNoWalkLeavesOutItsError reads the sources: a loop over such a sequence takes its error, which Go
// does not demand.
func TestNoWalkLeavesOutItsError(t *testing.T) {
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, path := range paths {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if loop, ok := n.(*ast.RangeStmt); ok && loop.Value == nil && isWalk(loop.X) && !strings.HasSuffix(path, "_test.go") {
					t.Errorf("%s: the loop leaves out the error of its sequence", files.Position(loop.Pos()))
				}
				return true
			})
		}
	}
}

// isWalk reports whether an expression calls a method with the name of a walk.
func isWalk(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(walks, method.Sel.Name) {
		return false
	}
	of, ok := method.X.(*ast.Ident)
	return !ok || !slices.Contains([]string{"sure", "slices", "maps"}, of.Name)
}
