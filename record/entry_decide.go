package record

import (
	"context"
	"errors"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Decide decides about results, in their order, and keeps its decisions before it returns. raw has the bytes of
// each as the client wrote them. It returns nil for a result that is sent as it comes. An earlier decision stays.
func (e *Entry) Decide(ctx context.Context, results []Result, raw [][]byte) ([]*Shaped, error) {
	return e.decide(ctx, results, raw, func() error { return nil })
}

// decide does the work of Decide. It calls begin, maybe more than once, before it makes a decision durable, and
// makes none durable after begin fails.
func (e *Entry) decide(ctx context.Context, results []Result, raw [][]byte, begin func() error) ([]*Shaped, error) {
	e.io.Lock()
	defer e.io.Unlock()
	if err := errors.Join(e.load(ctx, false), e.shed()); err != nil {
		return nil, err
	}
	list := make([]*Shaped, len(results))
	var fresh []int
	for i := range results {
		s, known, err := e.known(ctx, results[i].key())
		if err != nil {
			return nil, err
		}
		if list[i] = s; !known && results[i].Call != "" {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 {
		return list, nil
	}
	if !e.once { // most results stay as they are: only those that a rule shapes are kept
		scratch, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "scratch", nil)
		if err != nil {
			return nil, err
		}
		made, err := e.commit(ctx, scratch, results, raw, fresh, nil)
		if err != nil {
			return nil, err
		}
		var some []int
		for k, i := range fresh {
			if made[k] != nil {
				some = append(some, i)
			} else {
				e.note(results[i].key(), nil)
			}
		}
		if fresh = some; len(fresh) == 0 {
			return list, nil
		}
	}
	if err := e.load(ctx, true); err != nil {
		return nil, err
	}
	made, err := e.commit(ctx, e.c, results, raw, fresh, begin)
	if errors.Is(err, fault.Conflict) { // another process decided meanwhile
		if err = e.c.Refresh(ctx); err == nil {
			err = e.load(ctx, true)
		}
		if err == nil {
			return e.again(ctx, results, raw, list, fresh, begin)
		}
	}
	if err != nil {
		return nil, err
	}
	e.noteAll(list, results, fresh, made)
	return list, nil
}

// again decides about the results that the other process left undecided.
func (e *Entry) again(ctx context.Context, results []Result, raw [][]byte, list []*Shaped, fresh []int,
	begin func() error) ([]*Shaped, error) {
	var left []int
	for _, i := range fresh {
		s, known, err := e.known(ctx, results[i].key())
		if err != nil {
			return nil, err
		}
		if list[i] = s; !known {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return list, nil
	}
	made, err := e.commit(ctx, e.c, results, raw, left, begin)
	if err != nil {
		return nil, err
	}
	e.noteAll(list, results, left, made)
	return list, nil
}

// noteAll notes the decisions about the fresh ones of some results, and adds them to list.
func (e *Entry) noteAll(list []*Shaped, results []Result, fresh []int, made []*Shaped) {
	for k, i := range fresh {
		list[i] = made[k]
		e.note(results[i].key(), made[k])
	}
	_, e.cycle = e.c.Cycles()
}

// note keeps the decision about the result with a key.
func (e *Entry) note(key string, s *Shaped) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.decided[key] = &decision{shaped: s}
	e.hold(s)
}

// commit adds results to a context that is about to be sent, and returns the form that the rules gave each. It
// calls begin first, unless that is nil.
func (e *Entry) commit(ctx context.Context, c *pact.Context, results []Result, raw [][]byte, which []int,
	begin func() error) ([]*Shaped, error) {
	ids := make([]string, len(which))
	t := tree.Of(c.Working())
	add := func(b *pact.Batch) error {
		if begin != nil {
			if err := begin(); err != nil {
				return err
			}
		}
		for k, i := range which {
			r := &results[i]
			call := pact.Spec{Kind: "call", Role: "assistant", Offset: 1, Content: map[string]any{"name": r.Tool},
				Attrs: map[string]any{attrCall: r.Call, attrName: r.Tool}}
			s := pact.Spec{Kind: "result", Role: "tool", Offset: 1, Content: canon.Value(r.Content),
				Attrs: map[string]any{attrCall: r.Call, attrDecided: r.key()}}
			if string(raw[i]) != r.Content {
				s.Attrs[attrRaw] = string(raw[i])
			}
			if r.Failed {
				s.Attrs[attrFailed] = true
			}
			node, err := t.Node(r.Call)
			if err != nil {
				return err
			}
			if node == nil && (k == 0 || !usedBefore(results, which[:k], r.Call)) {
				s.ID = r.Call // the text names the id that the program knows
			}
			ids[k] = b.AddResult(b.Add(activeHead, call), s)
		}
		return nil
	}
	snapshot, err := c.Commit(ctx, &pact.CommitOptions{Edit: add, Pruning: &e.pruning})
	if err != nil {
		return nil, err
	}
	made := make([]*Shaped, len(ids))
	for k, id := range ids {
		n, err := tree.Of(snapshot).Node(id)
		if err != nil {
			return nil, err
		}
		if made[k], err = shapedBlock(ctx, tree.Of(snapshot), n); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func usedBefore(results []Result, which []int, call string) bool {
	for _, i := range which {
		if results[i].Call == call {
			return true
		}
	}
	return false
}

// leave notes that results are sent as they come from now on, and why.
func (e *Entry) leave(ctx context.Context, results []Result, why string) error {
	e.mu.Lock()
	for i := range results {
		e.decided[results[i].key()] = &decision{mark: true} // also if the store fails
		e.ended[results[i].key()] = e.ended[results[i].key()] || strings.HasPrefix(why, endedBecause)
	}
	e.mu.Unlock()
	return e.persist(ctx, true, func() (*pact.CommitOptions, error) {
		return &pact.CommitOptions{Pruning: &e.pruning, Edit: func(b *pact.Batch) error {
			for i := range results {
				b.Add(activeHead, pact.Spec{Kind: kindRaw, Offset: 1, Content: why,
					Attrs: map[string]any{attrDecided: results[i].key()}})
			}
			return nil
		}}, nil
	})
}

// Forget lets no later result refer to an earlier one: the earlier ones no longer stand in front of the model. The
// decisions about them stay, and the log of the context has their originals.
func (e *Entry) Forget(ctx context.Context) error {
	return e.persist(ctx, false, func() (*pact.CommitOptions, error) {
		var ids []string
		for at, err := range tree.Of(e.c.Working()).Blocks(0) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, at.Node().ID)
		}
		return &pact.CommitOptions{Pruning: &pact.Pruning{WithoutKept: true, IDs: ids}}, nil
	})
}

// persist commits to the context, which it makes with create. If another process was faster, it asks again which
// options to commit.
func (e *Entry) persist(ctx context.Context, create bool, options func() (*pact.CommitOptions, error)) error {
	e.io.Lock()
	defer e.io.Unlock()
	for try := 0; ; try++ {
		err := e.load(ctx, create)
		if err == nil && e.c == nil {
			return nil
		}
		var o *pact.CommitOptions
		if err == nil {
			o, err = options()
		}
		if err == nil {
			if _, err = e.c.Commit(ctx, o); err == nil {
				_, e.cycle = e.c.Cycles()
			}
		}
		if try > 2 || e.c == nil || !errors.Is(err, fault.Conflict) {
			return err
		}
		if err := e.c.Refresh(ctx); err != nil {
			return err
		}
	}
}
