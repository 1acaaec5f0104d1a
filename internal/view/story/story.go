package story

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/transcript"
)

// Story sums up one context: its calls and tokens, where the prefix broke, which tools failed, and
// which blocks were carried most.
type Story struct {
	Calls   int          `json:"calls"` // of the model
	Models  []string     `json:"models,omitempty"`
	In      int64        `json:"tokens_in,omitempty"` // that providers counted
	Out     int64        `json:"tokens_out,omitempty"`
	Cached  int64        `json:"cached,omitempty"` // of the tokens in
	Cost    float64      `json:"cost,omitempty"`   // in US dollars, if the file counts all calls together
	Filled  float64      `json:"filled,omitempty"` // the part of the model's window that the fullest call took; 0 if a list or the provider does not say
	Tools   int          `json:"tool_calls"`
	Failed  []storyCall  `json:"failed"` // calls of tools that failed
	Breaks  []storyBreak `json:"breaks"`
	Carried []Facts      `json:"carried"`          // the blocks that took most bytes in all calls together
	Share   float64      `json:"share"`            // of the repeated bytes, those in a prefix of the thread before
	Unsent  []Facts      `json:"unsent,omitempty"` // the blocks of the last answer, which no call has sent back yet
}

// storyCall is a failed call of a tool.
type storyCall struct {
	ID   string `json:"id"`
	Tool string `json:"tool,omitempty"`
}

// storyBreak is a cycle that did not repeat all of the thread before it.
type storyBreak struct {
	Cycle int64  `json:"cycle"`
	Why   string `json:"why"`
}

// MostCarried is how many of the largest blocks a story names.
const MostCarried = 3

// Tell collects the story of a context. Cost: the first snapshot and what
// changed from each to the next, and of a recorded context its threads.
func Tell(ctx context.Context, c *pact.Context) (*Story, error) {
	first, last := c.Cycles()
	t := &Story{Calls: int(last - first + 1), Failed: []storyCall{}, Breaks: []storyBreak{}, Carried: []Facts{}}
	if last < first {
		return t, nil
	}
	calls, err := Calls(ctx, c, first, last)
	if err != nil {
		return nil, err
	}
	for cycle := first; cycle <= last; cycle++ {
		call := calls[cycle]
		if call.Model != "" && !slices.Contains(t.Models, call.Model) {
			t.Models = append(t.Models, call.Model)
		}
		if call.In != nil && call.Window > 0 {
			t.Filled = max(t.Filled, float64(*call.In)/float64(call.Window))
		}
		t.In, t.Out, t.Cached = t.In+ValueOf(call.In), t.Out+ValueOf(call.Out), t.Cached+ValueOf(call.Cached)
	}
	if all, ok := transcript.TotalsOf(c.Working()); ok && t.In+t.Out == 0 {
		t.In, t.Out, t.Cost = all.TokensIn, all.TokensOut, all.Cost
	}
	slices.Sort(t.Models)
	if err := t.tellBreaks(ctx, c); err != nil {
		return nil, err
	}
	return t, t.tellBlocks(ctx, c)
}

func (t *Story) tellBreaks(ctx context.Context, c *pact.Context) error {
	first, last := c.Cycles()
	recorded, err := view.Recorded(ctx, c, "", nil)
	if err != nil {
		return err
	}
	r, err := Prefixes(ctx, c, pact.Cycle(first), pact.Cycle(last), recorded, func(int, int) {})
	if err != nil {
		return err
	}
	t.Share = r.Share
	for _, p := range r.Cycles {
		if !slices.Contains(r.Breaks, p.Cycle) {
			continue
		}
		t.Breaks = append(t.Breaks, storyBreak{p.Cycle, view.CutInBrief(&p, func(name string) string { return name })})
	}
	return nil
}

func (t *Story) tellBlocks(ctx context.Context, c *pact.Context) error {
	_, last := c.Cycles()
	tail, err := record.TailOf(ctx, c)
	if err != nil {
		return err
	}
	blocks := selector.MustParse("@* ."+c.Edition().Traits().BlockType, c.Edition())
	hits, err := c.Find(ctx, blocks, &pact.SelectOptions{Working: tail != record.NoTail})
	if err != nil {
		return err
	}
	for _, h := range hits {
		f, err := FactsOf(ctx, h, nil, last)
		if err != nil {
			return err
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
