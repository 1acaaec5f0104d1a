package record

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// ShapeAlone shapes a result of a tool of which no request is known yet, as a recorder that manages would before its
// first request, by the rules of a policy with head, tail or once. It keeps the decision and the original in a context
// of a store before it returns, and makes the context with the first one; open is called only if there is something to
// keep or to compare with. raw has the bytes of the result as the client wrote them. It returns the JSON to send
// instead, nil for the result as it is. A reference leads to an earlier result that this function left whole. Errors are
// those of [pact.Open] and of a commit, and E_SELECTOR_INVALID. Cost: a commit, and with once the originals.
func ShapeAlone(ctx context.Context, open func() (*pact.DB, error), name string, p *lifecycle.Policy, r Result,
	raw []byte) (json.RawMessage, error) {
	policy := *p
	policy.When = lifecycle.WhenNow
	rules, err := manage.Compile(&policy)
	if err != nil || !rules.Change() {
		return nil, err
	}
	compares := slices.ContainsFunc(p.Rules, func(r lifecycle.Rule) bool { return r.Once })
	var e *decisions
	begin := func() error {
		s, err := open()
		if err != nil {
			return err
		}
		e = newDecisions(s, name, pact.OpenOptions{})
		return e.ready(ctx)
	}
	list, before := manage.NewList(), []deciding(nil)
	if compares {
		if err := begin(); err != nil {
			return nil, err
		}
		list = e.list
		if before, err = e.whole(ctx); err != nil {
			return nil, err
		}
	}
	m := ofOneAnswer(append(before, deciding{of: r, raw: raw}))
	if err := m.question.Follow(list); err != nil {
		return nil, err
	}
	last := &m.question.Parts[len(m.question.Parts)-1]
	if d := last.Form(); d != nil {
		return json.RawMessage(d.Text), nil
	}
	ledger := manage.NewLedger((*Prices)(nil).priceOf)
	ledger.Begin(m.question, time.Time{})
	made, err := rules.Decide(ctx, list, m.question, ledger, func() bool { return false })
	if err != nil {
		return nil, err
	}
	keep := []deciding{{Decision: manage.Decision{Action: manage.Raw, Key: r.key(), ID: list.ID(r.key(), r.Call)}, of: r, raw: raw}}
	text := canon.Value("")
	for _, d := range made {
		if d.Key == r.key() && d.Since == "" {
			keep[0].Decision, text = d, d.Text
			if d.Action == manage.Same {
				at := slices.IndexFunc(before, func(one deciding) bool { return one.of.key() == d.Of })
				keep[0].original = &before[at]
			}
		}
	}
	if text == "" && !compares {
		return nil, nil
	}
	if e == nil {
		if err := begin(); err != nil {
			return nil, err
		}
	}
	if text == "" {
		return nil, e.keepWhole(ctx, &keep[0])
	}
	return json.RawMessage(text), e.add(ctx, keep, func() error { return nil })
}

// keepWhole keeps a result as it came, for later ones to be compared with.
func (e *decisions) keepWhole(ctx context.Context, d *deciding) error {
	return e.persist(ctx, true, func() *pact.CommitOptions {
		return &pact.CommitOptions{Pruning: keepAll, Edit: func(b *pact.Batch) error { d.keepOriginal(b, d.ID); return nil }}
	})
}

// whole returns the originals that were sent as they came.
func (e *decisions) whole(ctx context.Context) (list []deciding, err error) {
	if e.c == nil {
		return nil, nil
	}
	t := tree.Of(e.c.Working())
	for at, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		n := at.Node()
		key, decided := n.Header(attrDecided).Text()
		if !decided || n.Kind != "result" || n.Has(attrWhat) || n.Has(attrSince) || e.list.Knows(key) {
			continue
		}
		content, err := contentOf(ctx, n)
		if err != nil {
			return nil, err
		}
		raw, err := originalOf(ctx, e.c.Working(), n.ID)
		if err != nil {
			return nil, err
		}
		call, _ := n.Header(attrCall).Text()
		list = append(list, deciding{of: Result{Call: call, Content: string(content)}, raw: raw})
	}
	return list, nil
}

// ofOneAnswer is a request that has nothing but calls and their results, all of the same answer.
func ofOneAnswer(results []deciding) *managing {
	q := &manage.Request{API: provider.Chat, Of: &provider.Request{API: provider.Chat}}
	for i := range results {
		one := &results[i]
		said := canon.Value(one.of.Content).Any()
		call := canon.Fields("name", one.of.Tool)
		q.Of.Parts = append(q.Of.Parts,
			provider.Part{Section: provider.Conversation, Kind: "call", Role: "assistant", Call: one.of.Call, Name: one.of.Tool, Content: call},
			provider.Part{Section: provider.Conversation, Kind: "result", Role: "tool", Call: one.of.Call, Content: said, Failed: one.of.Failed})
		q.Parts = append(q.Parts, manage.Part{}, manage.Part{Key: one.of.key(), Bytes: len(one.raw),
			Said: func() (canon.Any, error) { return said, nil }})
	}
	for i := range q.Parts {
		q.Parts[i].Part = &q.Of.Parts[i]
	}
	hashes := provider.Hashes{}
	q.Begin(0, func(string, string) bool { return false }, hashes.Of)
	return &managing{question: q}
}

// Forget lets no later result refer to one that [ShapeAlone] left whole in a context before: those no longer stand in
// front of the model. The log of the context has their originals. Errors are those of a commit.
func Forget(ctx context.Context, s *pact.DB, name string) error {
	e := newDecisions(s, name, pact.OpenOptions{})
	var failed error
	err := e.persist(ctx, false, func() *pact.CommitOptions {
		var ids []string
		for at, err := range tree.Of(e.c.Working()).Blocks(0) {
			if failed = err; err != nil {
				break
			}
			ids = append(ids, at.Node().ID)
		}
		return &pact.CommitOptions{Pruning: &pact.Pruning{WithoutKept: true, IDs: ids}}
	})
	if failed != nil {
		return failed
	}
	return err
}
