package story

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// Call describes the call of the model of a cycle: the new part of the
// thread, and what the attempt recorded.
type Call struct {
	Blocks int              `json:"blocks"`
	Bytes  int64            `json:"bytes"`
	Model  string           `json:"model,omitempty"`
	In     *int64           `json:"tokens_in,omitempty"`      // nil if they were not counted
	Out    *int64           `json:"tokens_out,omitempty"`     // likewise
	Cached *int64           `json:"cached,omitempty"`         // of the tokens in, those that the provider read from its cache
	Cost   *float64         `json:"cost,omitempty"`           // by the built-in prices, in their currency; nil if the model has none or Cached is unknown
	Broke  *view.CacheBreak `json:"broke,omitempty"`          // nil if nothing broke
	Window int64            `json:"window,omitempty"`         // how many tokens a request to the model may have; 0 if no list says
	Took   *int64           `json:"took_ms,omitempty"`        // from request to the end of the answer; nil if unknown
	Tools  []string         `json:"tools,omitempty"`          // names of the tools called by what is new, in document order
	Said   string           `json:"said,omitempty"`           // first words of the newest text of the user, else of the assistant
	SaidBy string           `json:"said_by,omitempty"`        // role of what said those words
	Ended  string           `json:"managing_ended,omitempty"` // why managing ended with the call
	Failed int              `json:"failed,omitempty"`         // how many attempts the call had, if each failed

	Stat    Stat   `json:"-"`
	Earlier string `json:"-"` // names the call before, whose answer called the tools and has an assistant's words; "" without one
}

// Calls describes the cycles from one to another. Cost: that of [view.Walk].
func Calls(ctx context.Context, c *pact.Context, from, to int64) (map[int64]*Call, error) {
	first, last := c.Info().First, c.Info().Cycle
	from, to = max(from, first), min(to, last)
	r := callReader{ctx, map[int64]*Call{}}
	if to < from {
		return r.calls, nil
	}
	for s, err := range view.Walk(ctx, c, pact.Cycle(from), pact.Cycle(to), view.WalkOptions{Snapshots: true}) {
		if err == nil {
			err = r.add(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return r.calls, nil
}

// callReader collects facts about calls from a run of snapshots.
type callReader struct {
	ctx   context.Context
	calls map[int64]*Call
}

func (r *callReader) add(step *view.Step) error {
	before, s := step.Before, step.Now
	call := &Call{Blocks: step.Blocks, Bytes: step.Bytes, Broke: step.Broke}
	if t := step.Call; t != nil {
		call.Model, call.Window, call.Took, call.Ended = t.Model, t.Window, t.Took, t.ManagingEnded
		if t.Failed == t.Attempts {
			call.Failed = t.Failed
		}
		if u := t.Provider; u != nil {
			call.In, call.Out, call.Cached = u.In, u.Out, u.Read
		}
		if t.Cost != nil {
			call.Cost = &t.Cost.Paid
		}
	}
	r.calls[s.Cycle()] = call
	if before != nil {
		call.Earlier = view.Cycle(before.Cycle()) + ": "
	}
	fresh, err := step.Changes()
	if err != nil {
		return err
	}
	call.Stat = Stat{len(fresh.Added), len(fresh.Gone), fresh.Differ, call.Blocks, call.Bytes}
	var user, assistant *tree.Node
	for _, e := range fresh.Added {
		n := e.Node()
		role, _ := n.Header("role").Text()
		switch {
		case n.Kind == toolcall.Call:
			name, err := toolcall.Name(r.ctx, tree.Of(s), n)
			if err != nil {
				return err
			}
			call.Tools = append(call.Tools, name)
		case n.Content.Size() == 0 || n.Kind != "text" && n.Kind != "":
		case role == "user":
			var err error
			if user, err = newer(tree.Of(s), user, n); err != nil {
				return err
			}
		case role == "assistant":
			var err error
			if assistant, err = newer(tree.Of(s), assistant, n); err != nil {
				return err
			}
		}
	}
	call.SaidBy = "user"
	if user == nil {
		user, call.SaidBy = assistant, "assistant"
	}
	if user == nil {
		call.SaidBy = ""
		return nil
	}
	content, err := user.Content.Value(r.ctx)
	call.Said = view.FirstWords("", content, wordsSaid)
	return err
}

// wordsSaid is how many characters of a text the log shows.
const wordsSaid = 40

// newer returns the one of two nodes that was made later.
func newer(t *tree.Tree, a, b *tree.Node) (*tree.Node, error) {
	if a == nil || a.CreatedNS < b.CreatedNS {
		return b, nil
	}
	if a.CreatedNS == b.CreatedNS {
		if order, err := t.Order(a.ID, b.ID); order < 0 || err != nil {
			return b, err
		}
	}
	return a, nil
}
