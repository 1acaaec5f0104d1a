package record

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/tree"
)

// ByHand is what a person decides about results of tools in a recorded conversation.
type ByHand string

// What can be decided by hand.
const (
	Drop ByHand = "drop" // a note stands in its place
	Pin  ByHand = "pin"  // it is sent as it came, and no policy takes it
	Undo ByHand = "undo" // it is no longer left out or pinned, and policies may take it
)

// DecidedByHand says what was decided by hand, in bytes of the last request as it was sent.
type DecidedByHand struct {
	Blocks  []string    `json:"blocks" nullable:"false"` // with results that it is about
	Calls   []string    `json:"calls" nullable:"false"`  // whose results they are: the next request may give blocks other ids
	Others  []LeftAlone `json:"others,omitempty"`        // that it leaves alone
	Bytes   int         `json:"bytes"`                   // that requests have less from now on, below 0 if they have more
	Behind  int         `json:"behind"`                  // that stand behind the first change, and are not read from the cache next time
	Of      int         `json:"of"`                      // of the whole request
	Attempt string      `json:"attempt"`                 // the id of the last request
	Model   string      `json:"model"`                   // that it asked
	// Counted is what the provider counted of it, nil for nothing.
	Counted *inspect.ProviderCache `json:"counted,omitempty"`
	In      string                 `json:"in"` // the context that keeps the decision
}

// LeftAlone is a block about which nothing is decided by hand.
type LeftAlone struct {
	Block string `json:"block"`
	Why   string `json:"why"` // in words
}

// DecideByHand decides about the results in some blocks of a recorded context, from the next request on. The decision is
// kept with those of policies. A recorder with Manage and a policy takes it up with its next request, any other that
// begins later too. What is no longer left out or pinned may be taken by the policy again, in the same request. With dry it
// only says what it would do. Bytes are the difference of the last request with all decisions before and after.
//
// E_NODE_NOT_FOUND if it can be about none of the blocks, an [Unmanaged] E_CONTEXT_NOT_FOUND if no recorder has managed requests
// of that conversation, E_SEALED if managing has ended for it, E_ATTEMPT_NOT_FOUND without a recorded request, and the errors of
// [Asked] and of a commit. Cost: that of the last request, and a commit.
func DecideByHand(ctx context.Context, s *pact.DB, c *pact.Context, what ByHand, ids []string, dry bool) (*DecidedByHand, error) {
	m, made, err := lastAsked(ctx, s, c)
	if err != nil {
		return nil, err
	}
	e := newDecisions(s, made.In, pact.OpenOptions{})
	if err := e.ready(ctx); err != nil {
		return nil, err
	}
	q := m.question
	if err := q.Follow(e.list); err != nil {
		return nil, err
	}
	if why := q.WhyEnded(); why != "" {
		return nil, fault.At(fault.Sealed, fault.NoOffset, c.Info().Name, "managing has ended for this conversation, which goes as it came: "+
			strings.TrimPrefix(why, endedBecause), "begin a new conversation")
	}
	if len(ids) == 0 {
		return nil, fault.New(fault.NodeNotFound, "nothing of the working state was named", "a block may have another id since the last request")
	}
	var list []deciding
	for _, id := range ids {
		n, err := tree.Of(c.Working()).Node(id)
		if err != nil {
			return nil, err
		}
		d, why, call := manage.Decision{}, "it is no result of a tool", ""
		if n != nil && n.Kind == "result" {
			call, _ = n.Header(attrCall).Text()
			d, why = q.ByHand(e.list, call, map[ByHand]manage.Action{Drop: manage.Left, Pin: manage.Pinned, Undo: manage.Raw}[what])
		}
		if why != "" {
			made.Others = append(made.Others, LeftAlone{id, why})
			continue
		}
		one, err := m.deciding(d)
		if err != nil {
			return nil, err
		}
		list, made.Blocks, made.Calls = append(list, one), append(made.Blocks, id), append(made.Calls, call)
	}
	if len(list) == 0 {
		return nil, fault.New(fault.NodeNotFound, "none of these blocks is the result of a tool in the last request that this can change: "+made.LeftAlone(),
			"a result leaves if it is longer than a note, is there once, and has no redacted text; what was left out or pinned comes back")
	}
	if err := made.compare(m, e.list, list); err != nil || dry {
		return made, err
	}
	return made, e.add(ctx, list, func() error { return nil })
}

// LeftAlone says why blocks are left alone, and names the first of them.
func (h *DecidedByHand) LeftAlone() string {
	var reasons []string
	blocks := map[string][]string{}
	for _, o := range h.Others {
		if blocks[o.Why] == nil {
			reasons = append(reasons, o.Why)
		}
		blocks[o.Why] = append(blocks[o.Why], o.Block)
	}
	const named = 3
	for i, why := range reasons {
		list := blocks[why]
		reasons[i] = strings.Join(list[:min(len(list), named)], ", ")
		if len(list) > named {
			reasons[i] += " and " + strconv.Itoa(len(list)-named) + " more"
		}
		reasons[i] += ": " + why
	}
	return strings.Join(reasons, "; ")
}

// compare fills in what some decisions change in the last request, as it is written with the list before and after.
func (h *DecidedByHand) compare(m *managing, l *manage.List, list []deciding) error {
	before, reads := m.sent(h.In)
	for _, d := range list {
		l.Add(d.Decision)
	}
	after := &managing{asked: m.asked, question: m.question.Clone()}
	if err := after.question.Follow(l); err != nil {
		return err
	}
	now, less := after.sent(h.In)
	h.Bytes = reads - less
	same := 0
	for same < min(len(before), len(now)) && before[same] == now[same] {
		same++
	}
	h.Behind = len(before) - same
	return nil
}

// sent returns the body with the parts in their forms, and how many of its bytes the model reads.
func (m *managing) sent(in string) (body []byte, reads int) {
	body = m.write(in, 0)
	if m.kept == nil {
		return body, len(m.asked)
	}
	return body, len(m.asked) - m.kept.Saved
}

// lastAsked reads the last request of a context as its program asked for it, and what is known of how it was sent.
func lastAsked(ctx context.Context, s *pact.DB, c *pact.Context) (*managing, *DecidedByHand, error) {
	last := c.Info().Cycle
	body, err := Request(ctx, c, last+1, 0)
	if errors.Is(err, fault.AttemptNotFound) {
		body, err = Request(ctx, c, last, 0)
	}
	if err != nil {
		return nil, nil, err
	}
	h := &DecidedByHand{Blocks: []string{}, Calls: []string{}, Attempt: body.Attempt.ID, Model: body.Attempt.Model}
	if h.In, err = managedIn(ctx, s, c.Info().Name, body.managed); err != nil {
		return nil, nil, err
	}
	about, err := aboutOf(body.Attempt)
	if err != nil {
		return nil, nil, err
	}
	h.Counted = reportedCache(body.Attempt, about)
	_, _, less, would := body.WasManaged()
	if body, err = Asked(ctx, s, body); err != nil {
		return nil, nil, err
	}
	if h.Of = len(body.Bytes); !would {
		h.Of -= less
	}
	q, ok := manage.NewMemory().Read(body.api, body.Attempt.Model, body.Bytes, func(string, string) bool { return false })
	if !ok {
		return nil, nil, notRequest(body.api)
	}
	q.Hides = func(v canon.Any) bool { return body.Redacted > 0 && strings.Contains(string(v.Value()), redacted) }
	return &managing{asked: body.Bytes, question: q}, h, nil
}

// managedIn returns the name of the context with the decisions about a conversation: the one that the last request names,
// or that of the recorder which numbers its contexts so: chat/originals for chat, chat-2 and chat/summary-1.
func managedIn(ctx context.Context, s *pact.DB, name string, last *managed) (string, error) {
	var names []string
	if last != nil && !last.Would {
		names = append(names, last.In)
	}
	of := cmp.Or(AsideOf(name), name)
	names = append(names, originalsOf(of))
	if at := strings.LastIndex(of, "-"); at > 0 {
		if n, err := strconv.Atoi(of[at+1:]); err == nil && n > 1 && of[at+1:] == strconv.Itoa(n) {
			names = append(names, originalsOf(of[:at]))
		}
	}
	for _, in := range names {
		if _, err := s.Find(ctx, in); err == nil {
			return in, nil
		} else if !errors.Is(err, fault.ContextNotFound) {
			return "", err
		}
	}
	return "", &Unmanaged{fault.At(fault.ContextNotFound, fault.NoOffset, name,
		"no recorder manages the requests of this conversation, so they go as they come", "record it with a policy that manages")}
}

// Unmanaged is the error of [DecideByHand] for a conversation whose requests no recorder has managed.
type Unmanaged struct{ Err error }

func (e *Unmanaged) Error() string { return e.Err.Error() }

// Unwrap returns E_CONTEXT_NOT_FOUND.
func (e *Unmanaged) Unwrap() error { return e.Err }
