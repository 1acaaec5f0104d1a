package record

import (
	"context"
	"errors"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/tree"
)

// ByHand is what a person decides about results of tools in a recorded conversation.
type ByHand string

// What can be decided by hand.
const (
	Drop ByHand = "drop" // a note stands in its place
	Pin  ByHand = "pin"  // no policy takes it
	Undo ByHand = "undo" // it is sent as it came
)

// Handed says what was decided by hand, in bytes of the last request.
type Handed struct {
	Blocks  []string `json:"blocks" nullable:"false"` // with results that it is about
	Others  []string `json:"others,omitempty"`        // blocks that it leaves alone: no results, or such that it cannot change
	Bytes   int      `json:"bytes"`                   // that requests have less from now on
	Behind  int      `json:"behind"`                  // that stand behind the first of them, and are not read from the cache next time
	Of      int      `json:"of"`                      // of the whole request
	Attempt string   `json:"attempt"`                 // the id of the last request
	Model   string   `json:"model"`                   // that it asked
	Tokens  *int64   `json:"tokens,omitempty"`        // of its input, if the provider counted them
	In      string   `json:"in"`                      // the context that keeps the decision
}

// DecideByHand decides about the results in some blocks of a recorded context, from the next request on. The decision is
// kept with those of policies. A recorder with Manage and a policy takes it up with its next request, any other that
// begins later too. With dry it only says what it would do.
//
// E_NODE_NOT_FOUND if it can be about none of the blocks, E_CONTEXT_NOT_FOUND if no recorder has managed requests under
// that name, E_ATTEMPT_NOT_FOUND without a recorded request, and the errors of [Asked] and of a commit. Cost: that of the
// last request, and a commit.
func DecideByHand(ctx context.Context, s *pact.DB, c *pact.Context, what ByHand, ids []string, dry bool) (*Handed, error) {
	q, made, err := lastAsked(ctx, s, c)
	if err != nil {
		return nil, err
	}
	e := newDecisions(s, "", pact.OpenOptions{})
	if e.name, err = managedIn(ctx, s, c.Name()); err != nil {
		return nil, err
	}
	made.In = e.name
	if err := e.ready(ctx); err != nil {
		return nil, err
	}
	if err := q.Follow(e.list); err != nil {
		return nil, err
	}
	m := &managing{question: q}
	var list []deciding
	first := made.Of
	for _, id := range ids {
		n, err := tree.Of(c.Working()).Node(id)
		if err != nil {
			return nil, err
		}
		d, part, ok := manage.Decision{}, 0, false
		if n != nil && n.Kind == "result" {
			call, _ := n.Header(attrCall).Text()
			d, part, ok = q.ByHand(e.list, call, map[ByHand]manage.What{Drop: manage.Left, Pin: manage.Pinned, Undo: manage.Raw}[what])
		}
		if !ok {
			made.Others = append(made.Others, id)
			continue
		}
		one, err := m.deciding(d)
		if err != nil {
			return nil, err
		}
		p := &q.Parts[part]
		list, made.Blocks = append(list, one), append(made.Blocks, id)
		switch was := p.Form(); {
		case what == Drop:
			made.Bytes += p.Bytes - len(d.Text)
		case what == Undo && was != nil:
			made.Bytes -= p.Bytes - len(was.Text)
		default:
			continue
		}
		first = min(first, p.Result.Content.Start)
	}
	if made.Behind = made.Of - first; len(list) == 0 {
		return nil, fault.New(fault.NodeNotFound, "none of these blocks is the result of a tool in the last request that this can change",
			"a result leaves if it is longer than a note, is there once, and has no redacted text")
	}
	if dry {
		return made, nil
	}
	return made, e.add(ctx, list, func() error { return nil })
}

// lastAsked reads the last request of a context as its program asked for it.
func lastAsked(ctx context.Context, s *pact.DB, c *pact.Context) (*manage.Request, *Handed, error) {
	_, last := c.Cycles()
	body, err := Request(ctx, c, last+1, 0)
	if errors.Is(err, fault.AttemptNotFound) {
		body, err = Request(ctx, c, last, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	if body, err = Asked(ctx, s, body); err != nil {
		return nil, nil, err
	}
	q, ok := manage.NewMemory().Read(body.api, "", body.Bytes, func(string, string) bool { return false })
	if !ok {
		return nil, nil, notRequest(body.api)
	}
	q.Hides = func(v canon.Any) bool { return body.Redacted > 0 && strings.Contains(string(v.Value()), redacted) }
	return q, &Handed{Blocks: []string{}, Of: len(body.Bytes), Attempt: body.Attempt.ID, Model: body.Attempt.Model,
		Tokens: body.Attempt.TokenIn}, nil
}

// managedIn returns the name of the context with the decisions about a conversation: chat/originals for chat, chat-2 and
// chat/summary-1.
func managedIn(ctx context.Context, s *pact.DB, name string) (string, error) {
	for of := name; of != ""; of = of[:max(0, strings.LastIndexAny(of, "/-"))] {
		if _, err := s.Find(ctx, originalsOf(of)); err == nil {
			return originalsOf(of), nil
		} else if !errors.Is(err, fault.ContextNotFound) {
			return "", err
		}
	}
	return "", fault.At(fault.ContextNotFound, fault.NoOffset, name, "no recorder manages the requests of this conversation, so they go as they come",
		"record it with a policy that manages")
}
