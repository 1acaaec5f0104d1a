package record

import (
	"context"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// attrCleared is on a block with which an Entry keeps that the provider is asked to clear a result.
const attrCleared = "wire:cleared"

// attrSince is on a block with which an Entry keeps that a part left the requests of a conversation: the id of the
// newest call in the first request without it.
const attrSince = "wire:since"

// leaving is a result, or thinking, that is left out of later requests.
type leaving struct {
	Result                                     // the call is "" for thinking
	raw    []byte                              // the bytes that the client wrote
	calls  int64                               // with how many calls it was sent
	had    *Shaped                             // in which form it was sent, nil if as it came
	note   func(id string, calls int64) string // nil if the provider is asked to leave the result out
}

// cut is a decision to leave a part out of the requests that have a call.
type cut struct {
	since string
	of    string // the id of the block with the original
	*Shaped
}

// cutOf returns the replacement of a result, or of thinking, in the requests that have some calls; nil if it
// stays. asks says whether the request can ask the provider to clear results.
func (e *Entry) cutOf(key string, calls map[string]bool, asks bool) *Shaped {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended[key] {
		return nil
	}
	for _, c := range e.cuts[key] {
		if calls[c.since] && (asks || !c.cleared) {
			return c.Shaped
		}
	}
	return nil
}

// cut keeps the decision to leave parts out of the requests that have the call since, with their originals, before
// it returns. It returns the replacement of each. It calls begin first.
func (e *Entry) cut(ctx context.Context, list []leaving, since string, begin func() error) ([]*Shaped, error) {
	made, ids := make([]*Shaped, len(list)), make([]string, len(list))
	edit := func(b *pact.Batch) error {
		if err := begin(); err != nil {
			return err
		}
		used := map[string]bool{}
		for i := range list {
			ids[i] = e.keptAs(&list[i])
			made[i] = list[i].keep(b, since, &ids[i], func(id string) bool { return b.Has(id) || used[id] })
			used[list[i].Call] = true
		}
		return nil
	}
	err := e.persist(ctx, true, func() (*pact.CommitOptions, error) {
		return &pact.CommitOptions{Pruning: keepAll, Edit: edit}, nil
	})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range list {
		e.addCut(list[i].key(), cut{since, ids[i], made[i]})
	}
	return made, nil
}

// keptAs returns the id of the block that has the original already, "" for none.
func (e *Entry) keptAs(l *leaving) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.cuts[l.key()] {
		if c.of != "" {
			return c.of
		}
	}
	if l.had != nil {
		return l.had.ID
	}
	return ""
}

var keepAll = &pact.Pruning{WithoutKept: true, Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}

// addCut adds a decision, unless it is there. The caller holds e.mu.
func (e *Entry) addCut(key string, c cut) {
	if !slices.ContainsFunc(e.cuts[key], func(of cut) bool { return of.ID == c.ID }) {
		e.cuts[key] = append(e.cuts[key], c)
	}
}

// keep adds the blocks of a decision: the original, unless a block has it, and its replacement.
func (l *leaving) keep(b *pact.Batch, since string, id *string, taken func(id string) bool) *Shaped {
	attrs := map[string]any{attrDecided: l.key()}
	if string(l.raw) != l.Content {
		attrs[attrRaw] = string(l.raw)
	}
	if l.Call == "" {
		attrs[attrSince] = since
		return &Shaped{ID: b.Add(activeHead, pact.Spec{Kind: "thinking", Role: "assistant", Offset: 1,
			Content: canon.Value(l.Content), Attrs: attrs})}
	}
	attrs[attrCall] = l.Call
	if l.note == nil {
		return clearedAs(b.Add(activeHead, pact.Spec{Kind: "result", Role: "tool", Offset: 1, Content: canon.Value(provider.Cleared),
			Attrs: map[string]any{attrCall: l.Call, attrDecided: l.key(), attrSince: since, attrCleared: true}}))
	}
	if *id == "" {
		call := pact.Spec{Kind: "call", Role: "assistant", Offset: 1, Content: map[string]any{"name": l.Tool},
			Attrs: map[string]any{attrCall: l.Call, attrName: l.Tool}}
		s := pact.Spec{Kind: "result", Role: "tool", Offset: 1, Content: canon.Value(l.Content), Attrs: attrs}
		if !taken(l.Call) {
			s.ID = l.Call
		}
		*id = b.AddResult(b.Add(activeHead, call), s)
	}
	note := canon.String(l.note(*id, l.calls))
	s := pact.Spec{Kind: "result", Role: "tool", Offset: 1, Content: note, Refs: []string{*id},
		Attrs: map[string]any{attrCall: l.Call, attrDecided: l.key(), attrSince: since}}
	return &Shaped{ID: b.Add(activeHead, s), Content: string(note), value: note.Any(), cut: true}
}

// clearedAs is the decision that the provider is asked to clear a result, kept in a block.
func clearedAs(id string) *Shaped {
	return &Shaped{ID: id, Content: provider.Cleared, value: canon.Value(provider.Cleared).Any(), cleared: true}
}

// readCut reads a decision of cut from its block.
func readCut(ctx context.Context, n *tree.Node) (c cut, err error) {
	c.since, _ = n.Header(attrSince).Text()
	switch {
	case n.Has(attrCleared):
		c.Shaped = clearedAs(n.ID)
	case n.Kind != "result":
		c.Shaped = &Shaped{ID: n.ID}
	default:
		var note canon.Value
		note, err = contentOf(ctx, n)
		c.Shaped = &Shaped{ID: n.ID, Content: string(note), value: note.Any(), cut: true}
		if len(n.Refs) > 0 { // an edit may have removed the original
			c.of = n.Refs[0]
		}
	}
	return c, err
}
