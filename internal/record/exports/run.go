package exports

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// part is a block of a thread in the words of no API ([provider.Plain]). The same block is the same part in each call.
type part struct {
	provider.Part
	node  *tree.Node
	in    tree.Class   // its region
	raw   canon.Any    // as its API has it
	from  provider.API // that has it, Chat for what no recorder made
	plain bool         // false if only the API has words for it
	field bool         // a text beside the words of a message, such as the name of who says them
	about canon.Any    // on the first part of an answer: the report of its provider
}

// call is a call of a run.
type call struct {
	id            string
	name          string // of the context
	model         string
	api           provider.API
	tools, system []*part
	said          []*part
	same          int     // how many parts of said the call before has, from the first on
	answer        []*part // as the next call repeats it, or the working state has it
	usage         provider.Usage
	paid          *float64 // in dollars
	began, ended  int64    // nanoseconds since the epoch, 0 if unknown
	failure       string
	finish        string
	answeredBy    string // the model that the answer names
	attempts      int
}

// walk calls each for every call of a context up to an address, with its answer, and returns what stands behind the last of
// these answers, which no call has sent. Cost: that of [view.Walk] with
// snapshots, and the blocks of each thread; each content is read once.
func walk(ctx context.Context, c *pact.Context, to pact.Address, each func(*call) error, progress func(done, total int)) (unsent []*part, _ error) {
	first, last := c.Info().First, c.Info().Cycle
	until, err := c.At(ctx, to)
	if err != nil {
		return nil, err
	}
	attempts, err := c.Attempts(ctx, math.MinInt64, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	byID := map[string]*history.Attempt{}
	for i := range attempts {
		byID[attempts[i].ID] = &attempts[i]
	}
	r := &reader{ctx: ctx, known: map[string]*part{}}
	var before *call
	answered := func(s *pact.Snapshot) (*call, error) {
		now := &call{name: c.Info().Name, model: record.ModelOf(s)}
		if err := r.read(now, s); err != nil || before == nil {
			return now, err
		}
		unsent = before.findAnswer(now)
		return now, each(before)
	}
	total := int(until.Cycle() - int64(first) + 1)
	for s, err := range view.Walk(ctx, c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{Snapshots: true}) {
		if err != nil {
			return nil, err
		}
		if s.Call == nil && record.Recorded(s.Now) { // somebody edited the thread: the next call shows it
			continue
		}
		now, err := answered(s.Now)
		if err != nil || s.Cycle > until.Cycle() {
			return nil, err
		}
		now.addAttempts(s, byID)
		before = now
		progress(min(int(s.Cycle-int64(first))+1, total), total)
	}
	if before == nil {
		return nil, nil
	}
	_, err = answered(c.Working())
	return unsent, err
}

// addAttempts takes what is known of a call beside its thread.
func (c *call) addAttempts(s *view.Step, attempts map[string]*history.Attempt) {
	c.id = view.Cycle(s.Cycle)
	if s.Call == nil {
		return
	}
	c.id, c.model, c.api, c.attempts = s.Call.Attempt, s.Call.Model, provider.APINamed(s.Call.Dialect), s.Call.Attempts
	if u := s.Call.Provider; u != nil {
		c.usage = provider.Usage{In: u.In, Out: u.Out, Cached: u.Read, Written: u.Written, Written1h: u.Written1h}
	}
	if m := s.Call.Cost; m != nil && m.Currency == "USD" {
		c.paid = &m.Paid
	}
	if a := attempts[s.Call.Attempt]; a != nil {
		if s.Call.Started != "" {
			c.began = a.StartedNS
		}
		if c.began > 0 && a.Status != history.Running {
			c.ended = a.EndedNS
		}
		if a.Status == history.Failed || a.Status == history.Canceled {
			c.failure = a.Error
			if c.failure == "" {
				c.failure = string(a.Status)
			}
		}
	}
}

// reader reads threads.
type reader struct {
	ctx   context.Context
	known map[string]*part // the last version of each block, by id
	last  *call            // read before
	of    *tree.Tree       // of that call
}

// read reads the thread of a call. Cost: what differs from the thread read before, and ^sys if that differs.
func (r *reader) read(c *call, s *pact.Snapshot) error {
	t := tree.Of(s)
	_, system, _, err := t.ThreadPlace(t.Region(tree.Sys).Node().ID)
	if err != nil {
		return err
	}
	from := 0 // the first block to read
	if r.last == nil {
		r.last = &call{}
	} else if from, c.same, err = r.common(t, system); err != nil {
		return err
	}
	if from == system {
		c.tools, c.system = r.last.tools, r.last.system
	}
	if c.said = r.last.said[:c.same]; c.same < len(r.last.said) {
		c.said = slices.Clip(c.said) // what the last call says stays
	}
	ctx := tree.Asking(r.ctx, tree.AskerOf(s))
	for _, part := range [][2]int{{from, system}, {system + c.same, math.MaxInt}} {
		at := part[0]
		for b, err := range t.Blocks(at) {
			if err != nil {
				return err
			}
			if at++; at > part[1] {
				break
			}
			if err := r.block(ctx, c, t, b); err != nil {
				return err
			}
		}
	}
	for c.same < min(len(r.last.said), len(c.said)) && r.last.said[c.same] == c.said[c.same] {
		c.same++
	}
	r.last, r.of = c, t
	return nil
}

// common returns where reading begins, behind ^sys if nothing of it differs from the tree read before, and how many
// blocks the conversation has in common with that tree, from the first on. system is how many ^sys has.
func (r *reader) common(t *tree.Tree, system int) (from, said int, err error) {
	from, said = system, len(r.last.said)
	differ, err := tree.Differences(r.of.WithCycle(t.Cycle()), t) // of one cycle, as time that has passed is no change
	lead := len(r.last.tools) + len(r.last.system)
	place := func(in *tree.Tree, n *tree.Node, system int) {
		if n == nil || err != nil {
			return
		}
		var at int
		if at, _, _, err = in.ThreadPlace(n.ID); at < system {
			from = 0
		} else {
			said = min(said, at-system)
		}
	}
	for _, d := range differ {
		if d.New != nil && d.NewClass.Region() || d.New == nil && d.OldClass.Region() {
			continue
		}
		place(r.of, d.Old, lead)
		place(t, d.New, system)
	}
	return from, said, err
}

func (r *reader) block(ctx context.Context, c *call, t *tree.Tree, b tree.ThreadBlock) (err error) {
	n := b.Node()
	p := r.known[n.ID]
	if p == nil || p.node != n && !p.node.Equal(n) || p.in != b.Region {
		if p, err = partOf(ctx, t, n, b.Region); err != nil {
			return err
		}
		r.known[n.ID] = p
	}
	switch p.Section {
	case provider.Tools:
		c.tools = append(c.tools, p)
	case provider.System:
		c.system = append(c.system, p)
	default:
		c.said = append(c.said, p)
	}
	return nil
}

func partOf(ctx context.Context, t *tree.Tree, n *tree.Node, region tree.Class) (*part, error) {
	content, err := n.Content.Value(ctx)
	if err != nil {
		return nil, err
	}
	p := &part{node: n, in: region, from: provider.Chat}
	p.Part = provider.Part{Section: provider.Conversation, Kind: n.Kind, Role: n.RoleIn(region), Content: content.Any(),
		Failed: n.Header("wire:failed") == canon.True}
	by, _ := n.Header("provenance").Text()
	made := provider.FormOf(provider.API(by)) != "" // by a recorder
	if made {
		p.from = provider.API(by)
	}
	if p.Name, err = toolcall.Name(ctx, t, n); err != nil {
		return nil, err
	}
	switch {
	case region == tree.Sys && n.Kind == toolcall.Definition:
		p.Section = provider.Tools
	case region == tree.Sys:
		p.Section = provider.System
	case made:
	case n.Kind == toolcall.Call:
		if p.Role = "assistant"; p.Name == "" { // only the assistant can call
			p.Name, p.Content = cmp.Or(n.Key, toolcall.Call), canon.Fields("arguments", p.Content)
		}
	case p.Role == "tool":
		p.Kind = toolcall.Result
	case n.Kind == "image": // a conversation has the value of the field
		p.Content = canon.Fields("image_url", p.Content)
	}
	if kind := p.Content.Kind; kind == canon.KindAbsent || kind == canon.KindString {
		switch p.Kind {
		case toolcall.Definition, toolcall.Call, toolcall.Result, "image", "thinking", "refusal":
		case "text":
			p.Content = canon.Text(p.Content.Text)
		default: // a text of any other kind is a text, but for a field that an API has beside the words of a message
			if p.field = made; !made {
				p.Kind, p.Content = "text", canon.Text(p.Content.Text)
			}
		}
	}
	if p.Call, err = toolcall.ID(t, n, p.Kind); err != nil {
		return nil, err
	}
	p.about = n.Header("wire:answer").Any()
	p.raw = content.Any()
	p.Part, p.plain = provider.Plain(p.from, p.Part)
	return p, nil
}

// findAnswer finds the answer to a call in the thread that follows: what the assistant says behind the last part that
// both have, and returns what stands behind it. Of an answer that the next call leaves out nothing is known.
func (c *call) findAnswer(next *call) (behind []*part) {
	mine := map[*part]bool{} // behind what both begin with
	for _, p := range c.said[next.same:] {
		mine[p] = true
	}
	at := next.same + slices.IndexFunc(next.said[next.same:], func(p *part) bool {
		by, _ := p.about.Get("attempt")
		return by.Text == c.id && !mine[p]
	})
	if at < next.same {
		for at = len(next.said); at > next.same && !mine[next.said[at-1]]; {
			at--
		}
		if at == 0 && len(c.said) > 0 {
			return nil
		}
	}
	end := at
	for end < len(next.said) && next.said[end].Role == "assistant" {
		end++
	}
	c.answer = slices.Clip(next.said[at:end])
	if len(c.answer) == 0 {
		return next.said[end:]
	}
	about := c.answer[0].about
	finish, _ := about.Get("finish")
	model, _ := about.Get("model")
	reasoning, _ := about.Get("reasoning")
	c.finish, c.answeredBy, c.usage.Reasoning = finish.Text, model.Text, provider.Count(reasoning)
	return next.said[end:]
}
