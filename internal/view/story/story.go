package story

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// Story sums up one context: its calls and tokens, where the prefix broke, which tools failed, and
// which blocks were carried most.
type Story struct {
	Calls   int            `json:"calls"` // of the model
	Models  []string       `json:"models,omitempty"`
	Totals  view.Totals    `json:"totals,omitzero"`     // that providers counted, and what it cost
	In      int64          `json:"tokens_in,omitempty"` // that providers counted, or the file of all calls together
	Out     int64          `json:"tokens_out,omitempty"`
	Cached  int64          `json:"cached,omitempty"` // of the tokens in
	Cost    float64        `json:"cost,omitempty"`   // in US dollars, if the file counts all calls together
	Filled  float64        `json:"filled,omitempty"` // the part of the model's window that the fullest call took; 0 if a list or the provider does not say
	Tools   int            `json:"tool_calls"`
	Failed  []storyCall    `json:"failed"` // calls of tools that failed
	Breaks  []storyBreak   `json:"breaks"`
	Carried []Facts        `json:"carried"`          // the blocks that took most bytes in all calls together
	Share   float64        `json:"share"`            // of the repeated bytes, those in a prefix of the thread before
	Differ  int            `json:"differ"`           // calls that do not repeat all of the one before, in the bytes that the log has
	Unsent  []Facts        `json:"unsent,omitempty"` // the blocks of the last answer, which no call has sent back yet
	less    int            // calls that read less than had been left
	least   inspect.Prefix // the one of these that misses most
}

// ReadLess says which calls read less than the calls before had left, as the provider counted, though too few tokens were
// sent again to be a break; "" if none did. Of several it names the one that misses most.
func (t *Story) ReadLess() string {
	if t.less == 0 {
		return ""
	}
	c := t.least.Call
	text := view.Cycle(c.Cycle) + " read " + strconv.FormatInt(*c.Provider.Read, 10) + " of the " +
		view.Plural(int(*c.Left), "token") + " that had been left (counted)"
	if t.less > 1 {
		text = strconv.Itoa(t.less) + " of " + view.Plural(t.Calls, "call") + " read less than had been left, most is missing where " + text
	}
	if why := view.Why(&t.least); why != "" {
		text += ": " + why
	}
	return text
}

// readLess counts a call that read less than had been left.
func (t *Story) readLess(p *inspect.Prefix) {
	missed := func(c *inspect.CallPrefix) int64 {
		if c == nil || c.Left == nil || c.Provider == nil || c.Provider.Read == nil {
			return 0
		}
		return *c.Left - *c.Provider.Read
	}
	now, most := missed(p.Call), missed(t.least.Call)
	if now <= 0 {
		return
	}
	t.less++
	if now > most || now == most && view.Why(&t.least) == "" {
		t.least = *p
	}
}

// storyCall is a failed call of a tool.
type storyCall struct {
	ID   string `json:"id"`
	Tool string `json:"tool,omitempty"`
}

// InShort says what broke, behind their number: of a single break all, of several what they cost and which was the
// dearest, by the tokens that were sent again; the first if none were counted.
func (t *Story) InShort() string {
	if len(t.Breaks) == 1 {
		return ": " + t.Breaks[0].Says
	}
	most, text := &t.Breaks[0], ", first "
	for i := range t.Breaks {
		if b := &t.Breaks[i]; ValueOf(b.Again) > ValueOf(most.Again) {
			most = b
		}
	}
	if again := t.Totals.Again; again > 0 {
		text = ", " + view.Plural(int(again), "token") + " sent again"
		if t.Totals.Paid != nil {
			text += " for " + view.Money(t.Totals.BreakCost) + " dollars"
		}
		text += " (" + string(most.Evidence) + "), most "
	}
	return text + "at " + view.Cycle(most.Cycle) + ": " + most.Why + " (" + string(most.Known) + ")"
}

// storyBreak is a cycle at which something broke.
type storyBreak struct {
	Cycle int64 `json:"cycle"`
	view.CacheBreak
	Says string `json:"says"` // in a sentence, without its end
}

// MostCarried is how many of the largest blocks a story names.
const MostCarried = 3

// Walk collects what the calls of a context say, without its blocks. each is called for every call, with its
// snapshots. Cost: that of [view.Walk].
func Walk(ctx context.Context, c *pact.Context, each func(*view.Step) error) (*Story, error) {
	first, last := c.Info().First, c.Info().Cycle
	t := &Story{Calls: int(last - first + 1), Failed: []storyCall{}, Breaks: []storyBreak{}, Carried: []Facts{}}
	if last < first {
		return t, nil
	}
	reuse := Reuse{}
	for s, err := range view.Walk(ctx, c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{Snapshots: true}) {
		if err == nil {
			err = each(s)
		}
		if err != nil {
			return nil, err
		}
		t.Totals.Add(s)
		t.readLess(&s.Prefix)
		reuse.Take(&s.Prefix)
		if call := s.Call; call != nil {
			if call.Model != "" && !slices.Contains(t.Models, call.Model) {
				t.Models = append(t.Models, call.Model)
			}
			if u := call.Provider; u != nil && u.In != nil && call.Window > 0 {
				t.Filled = max(t.Filled, float64(*u.In)/float64(call.Window))
			}
		}
		if s.Broke != nil {
			t.Breaks = append(t.Breaks, storyBreak{s.Cycle, *s.Broke, s.Broke.InWords(&s.Prefix, currencyOf(s))})
		}
	}
	t.In, t.Out, t.Cached = t.Totals.In, t.Totals.Out, t.Totals.Read
	t.Share, t.Differ = reuse.Share(), reuse.Differ
	if all, ok := transcript.TotalsOf(c.Working()); ok && t.In+t.Out == 0 {
		t.In, t.Out, t.Cost = all.TokensIn, all.TokensOut, all.Cost
	}
	if model := record.ModelOf(c.Working()); model != "" && len(t.Models) == 0 { // of a log that names one for all calls
		t.Models = []string{model}
	}
	slices.Sort(t.Models)
	return t, nil
}

func currencyOf(s *view.Step) string {
	if s.Call == nil || s.Call.Cost == nil {
		return ""
	}
	return s.Call.Cost.Currency
}

// TellBlocks adds the blocks of a context: those that were carried most, and the calls of tools. Cost: every block.
func (t *Story) TellBlocks(ctx context.Context, c *pact.Context) error {
	last := c.Info().Cycle
	tail, err := record.TailOf(ctx, c)
	if err != nil {
		return err
	}
	hits, err := c.Find(ctx, "@* ."+c.Info().Edition.Traits().BlockType, &pact.SelectOptions{Working: tail != record.NoTail})
	if err != nil {
		return err
	}
	for _, h := range hits {
		f, err := FactsOf(ctx, h, nil, last)
		if err != nil {
			return err
		}
		if tail == record.NoTail && f.First > last { // @* of edition 1.0 has the drafts too
			continue
		}
		if f.Kind == toolcall.Call {
			t.Tools++
			if f.Failed {
				t.Failed = append(t.Failed, storyCall{f.ID, f.Tool})
			}
		}
		if f.First <= last {
			t.Carried = append(t.Carried, f)
		} else if f.State = string(tail); tail == record.Unsent {
			t.Unsent = append(t.Unsent, f)
		}
	}
	slices.SortStableFunc(t.Carried, func(a, b Facts) int { return cmp.Compare(b.Bytes*b.Calls, a.Bytes*a.Calls) })
	t.Carried = t.Carried[:min(MostCarried, len(t.Carried))]
	return nil
}
