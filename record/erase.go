package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// Erased says what [Erase] removed. Its Receipt and Remains are those of all contexts.
type Erased struct {
	*history.Erased                   // from the family of the context
	Originals       []*history.Erased `json:"originals,omitempty"` // from each context with originals that lost something
}

// Erase is [pact.Context.Erase] that reaches the originals too. A recorder or a hook that shapes results
// keeps the originals in a context beside the conversation, chat/originals. Erase removes there the
// original of each result that it removes from c, and what contains one of the texts. One receipt is that
// of all. s is the store with c.
//
// It erases the originals first: if a later step fails, the same call finishes. Errors are those of
// pact.Context.Erase. Cost: that of an erasure in each of these contexts; if the store has any, also a dry
// run, and the snapshots of the family if a removed node is in no working state.
func Erase(ctx context.Context, s *pact.DB, c *pact.Context, e pact.Erasure) (*Erased, error) {
	parts, err := planOriginals(ctx, s, c, e)
	if err != nil {
		return nil, err
	}
	if e.DryRun || len(parts) == 0 || e.Random == nil {
		done, err := c.Erase(ctx, e)
		return withOriginals(done, parts), err
	}
	salt, err := io.ReadAll(io.LimitReader(e.Random, saltBytes))
	if err != nil {
		return nil, fault.Wrap(fault.Store, err, "the source of random bytes failed",
			"try again, or set Random to another source")
	}
	if receipt := e.Receipt; receipt != nil {
		var once sync.Once
		var told error
		e.Receipt = func(text string) error {
			once.Do(func() { told = receipt(text) })
			return told
		}
	}
	for i := range parts {
		p := &parts[i]
		of := e
		of.IDs, of.Revisions, of.Random = p.ids, nil, bytes.NewReader(salt)
		if p.done, err = p.in.Erase(ctx, of); err != nil {
			return nil, err
		}
	}
	e.Random = bytes.NewReader(salt)
	done, err := c.Erase(ctx, e)
	return withOriginals(done, parts), err
}

// saltBytes is how many random bytes an erasure takes.
const saltBytes = 32

// originalsPart is a context with originals, and the ids of those to erase.
type originalsPart struct {
	in   *pact.Context
	ids  []string
	done *history.Erased
}

// withOriginals returns one answer for all contexts.
func withOriginals(done *history.Erased, parts []originalsPart) *Erased {
	if done == nil {
		return nil
	}
	all := &Erased{Erased: done}
	for _, p := range parts {
		if len(done.Contexts) == 0 { // else the last erasure cleaned up for all, or says why not
			done.Receipt, done.Remains = p.done.Receipt, p.done.Remains
		}
		p.done.Receipt, p.done.Remains = "", ""
		all.Originals = append(all.Originals, p.done)
	}
	return all
}

// planOriginals returns the contexts whose originals an erasure has to reach.
func planOriginals(ctx context.Context, s *pact.DB, c *pact.Context, e pact.Erasure) (parts []originalsPart,
	err error) {
	beside, err := besides(ctx, s, c.Info().Name)
	if err != nil || len(beside) == 0 || len(e.IDs)+len(e.Texts) == 0 {
		return nil, err
	}
	e.DryRun = true
	plan, err := c.Erase(ctx, e)
	if err != nil {
		return nil, err
	}
	calls, err := callsOf(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	family := append(slices.Clone(plan.Contexts), c.Info().Name)
	for _, name := range beside {
		if !slices.ContainsFunc(family, func(of string) bool { return keepsFor(name, of) }) {
			continue
		}
		o, err := pact.Open(ctx, s, name, nil)
		if err != nil {
			return nil, err
		}
		ids, err := decisionsOn(o, calls)
		if err != nil {
			return nil, err
		}
		e.IDs, e.Revisions = ids, nil
		if len(e.IDs)+len(e.Texts) == 0 {
			continue
		}
		of, err := o.Erase(ctx, e)
		if err != nil {
			return nil, err
		}
		if len(of.Contexts) > 0 {
			parts = append(parts, originalsPart{o, e.IDs, of})
		}
	}
	return parts, nil
}

// besides lists the contexts of a store that keep originals, except one.
func besides(ctx context.Context, s *pact.DB, but string) (names []string, err error) {
	list, err := pact.List(ctx, s)
	for _, i := range list {
		if strings.HasSuffix(i.Name, originalsOf("")) && i.Name != but {
			names = append(names, i.Name)
		}
	}
	return names, err
}

// keepsFor reports whether a context with originals has those of a conversation: chat/originals has
// them of chat, of its later recordings such as chat-2, and of what stands below it; chat/agent/originals
// has those of the sub-agent that a hook imported as part of chat.
func keepsFor(originals, of string) bool {
	base := strings.TrimSuffix(originals, originalsOf(""))
	rest, below := strings.CutPrefix(of, base)
	return below && (rest == "" || rest[0] == '/' || rest[0] == '-') || strings.HasPrefix(base, of+"/")
}

// callsOf returns the ids of the calls whose results are among the nodes of a plan.
func callsOf(ctx context.Context, s *pact.DB, plan *history.Erased) (calls map[string]bool, err error) {
	calls = map[string]bool{}
	open := map[string]bool{} // ids that no snapshot had so far
	for _, id := range plan.IDs {
		open[id] = true
	}
	look := func(from *pact.Snapshot) error {
		t := tree.Of(from)
		for id := range open {
			n, err := t.Node(id)
			if err != nil {
				return err
			}
			if n == nil {
				continue
			}
			delete(open, id)
			if call, _ := n.Header(attrCall).Text(); n.Kind == "result" && call != "" {
				calls[call] = true
			}
		}
		return nil
	}
	for _, whole := range []bool{false, true} {
		for _, name := range plan.Contexts {
			if len(open) == 0 {
				return calls, nil
			}
			c, err := pact.Open(ctx, s, name, nil)
			switch {
			case errors.Is(err, fault.ContextNotFound): // deleted, and only its forks have a name
			case err != nil:
				return nil, err
			case whole:
				first, last := c.Info().First, c.Info().Cycle
				for snapshot, err := range c.History(ctx, pact.Cycle(first), pact.Cycle(last)) {
					if err == nil {
						err = look(snapshot)
					}
					if err != nil {
						return nil, err
					}
				}
			default:
				if err := look(c.Working()); err != nil {
					return nil, err
				}
			}
		}
	}
	return calls, nil
}

// decisionsOn returns the ids of the blocks with which an Entry keeps the results of calls.
func decisionsOn(o *pact.Context, calls map[string]bool) (ids []string, err error) {
	for at, err := range tree.Of(o.Working()).Blocks(0) {
		if err != nil {
			return nil, err
		}
		n := at.Node()
		if call, _ := n.Header(attrCall).Text(); n.Has(attrDecided) && calls[call] {
			ids = append(ids, n.ID)
		}
	}
	return ids, nil
}
