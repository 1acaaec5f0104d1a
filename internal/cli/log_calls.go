package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// loggedCall says of a cycle what its call of the model was: what was new in the
// thread, and what the attempt recorded.
type loggedCall struct {
	Blocks int      `json:"blocks"`
	Bytes  int64    `json:"bytes"`
	Model  string   `json:"model,omitempty"`
	In     *int64   `json:"tokens_in,omitempty"`  // nil if nobody counted
	Out    *int64   `json:"tokens_out,omitempty"` // likewise
	Cached *int64   `json:"cached,omitempty"`     // of the tokens in, those that the provider read from its cache
	Took   *int64   `json:"took_ms,omitempty"`    // from request to the end of the answer; nil if unknown
	Tools  []string `json:"tools,omitempty"`      // names of the tools called by what is new, in document order
	Said   string   `json:"said,omitempty"`       // first words of the newest text of the user, else of the assistant

	attempt string // id of the last attempt
}

// took returns how long the call took, for a person.
func (c *loggedCall) took() string {
	return (time.Duration(*c.Took) * time.Millisecond).String()
}

// callsOf describes the cycles from one to another. Cost: the first snapshot,
// and what changed from each to the next.
func callsOf(ctx context.Context, c *pact.Context, from, to int64) (map[int64]*loggedCall, error) {
	first, last := c.Cycles()
	from, to = max(from, first), min(to, last)
	calls := map[int64]*loggedCall{}
	if to < from {
		return calls, nil
	}
	r := callReader{ctx: ctx, calls: calls, cached: map[string]int64{}}
	var before *pact.Snapshot
	// the cycle before says what is new; the cycle after has the answer
	for s, err := range c.History(ctx, pact.Cycle(max(from-1, first)), pact.Cycle(min(to+1, last))) {
		if err != nil {
			return nil, err
		}
		if err := r.take(before, s); err != nil {
			return nil, err
		}
		before = s
	}
	if to == last { // the answer to the last call is not committed yet
		if err := r.answers(c.Working().Tree()); err != nil {
			return nil, err
		}
	}
	attempts, err := c.Attempts(ctx, from, to)
	if err != nil {
		return nil, err
	}
	for _, a := range attempts {
		call := calls[a.Cycle]
		if call == nil {
			continue
		}
		call.Model, call.In, call.Out, call.attempt = a.Model, a.TokenIn, a.TokenOut, a.ID
		call.Took = nil
		if shortTime(a.StartedNS) != "-" && a.Status != store.Running && a.EndedNS > a.StartedNS {
			ms := time.Duration(a.EndedNS - a.StartedNS).Round(time.Millisecond).Milliseconds()
			call.Took = &ms
		}
	}
	for _, call := range calls {
		if n, ok := r.cached[call.attempt]; ok {
			call.Cached = &n
		}
	}
	return calls, nil
}

// callReader collects what a run of snapshots says of their calls.
type callReader struct {
	ctx    context.Context
	calls  map[int64]*loggedCall
	cached map[string]int64 // by the id of the attempt
}

func (r *callReader) take(before, s *pact.Snapshot) error {
	call := &loggedCall{}
	call.Blocks, call.Bytes = s.ThreadSize()
	r.calls[s.Cycle()] = call
	var fresh []*tree.Node
	if before == nil {
		for e := range s.Tree().All() {
			fresh = append(fresh, e.Node())
		}
	} else {
		d, err := pact.Diff(r.ctx, before, s, nil)
		if err != nil {
			return err
		}
		for _, id := range d.Added {
			fresh = append(fresh, s.Tree().Node(id))
		}
	}
	var user, assistant *tree.Node
	for _, n := range fresh {
		r.answer(n)
		role, _ := n.Header("role").Text()
		switch {
		case n.Kind == toolcall.Call:
			name, err := toolcall.Name(r.ctx, s.Tree(), n)
			if err != nil {
				return err
			}
			call.Tools = append(call.Tools, name)
		case n.Content.Size() == 0 || n.Kind != "text" && n.Kind != "":
		case role == "user":
			user = newer(s.Tree(), user, n)
		case role == "assistant":
			assistant = newer(s.Tree(), assistant, n)
		}
	}
	if user == nil {
		user = assistant
	}
	if user == nil {
		return nil
	}
	content, err := user.Content.Value(r.ctx)
	call.Said = excerpt(canon.Value(content), wordsSaid)
	return err
}

// wordsSaid is how many characters of a text the log shows.
const wordsSaid = 40

// newer returns the one of two nodes that was made later.
func newer(t *tree.Tree, a, b *tree.Node) *tree.Node {
	if a == nil || a.CreatedNS < b.CreatedNS || a.CreatedNS == b.CreatedNS && t.Order(a.ID, b.ID) < 0 {
		return b
	}
	return a
}

// answers reads what the working state has of the last answer.
func (r *callReader) answers(t *tree.Tree) error {
	for e := range t.All() {
		if e.Node().Cycle == t.Cycle() {
			r.answer(e.Node())
		}
	}
	return r.ctx.Err()
}

// answer remembers what the provider read from its cache, if a node begins an
// answer.
func (r *callReader) answer(n *tree.Node) {
	about := canon.Value(n.Header("wire:answer"))
	if about.Kind() != canon.KindObject {
		return
	}
	facts := about.Any()
	attempt, _ := facts.Get("attempt")
	cached, known := facts.Get("cached")
	if count, ok := cached.Value().Int64(); known && ok {
		r.cached[attempt.Text] = count
	}
}

// toolsText returns the names of called tools, each once, with how often it was
// called.
func toolsText(names []string) string {
	var list []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		count := 0
		for _, other := range names {
			if other == name {
				count++
			}
		}
		text := visible(name)
		if count > 1 {
			text += "×" + strconv.Itoa(count)
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}
