package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/wording"
)

// story is what open tells about one context in words.
type story struct {
	Calls   int          `json:"calls"` // of the model
	Models  []string     `json:"models,omitempty"`
	In      int64        `json:"tokens_in,omitempty"` // that providers counted
	Out     int64        `json:"tokens_out,omitempty"`
	Cached  int64        `json:"cached,omitempty"` // of the tokens in
	Tools   int          `json:"tool_calls"`
	Failed  []storyCall  `json:"failed"` // calls of tools that failed
	Breaks  []storyBreak `json:"breaks"`
	Carried []nodeFacts  `json:"carried"` // the blocks that took most bytes in all calls together
	Share   float64      `json:"share"`   // of what the threads repeat, what is a prefix of the thread before
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

// mostCarried is how many of the largest blocks a story names.
const mostCarried = 3

// tell collects the story of a context. Cost: the first snapshot and what
// changed from each to the next, and of a recorded context its threads.
func (a *app) tell(ctx context.Context, c *pact.Context) (*story, error) {
	first, last := c.Cycles()
	t := &story{Calls: int(last - first + 1), Failed: []storyCall{}, Breaks: []storyBreak{}, Carried: []nodeFacts{}}
	if last < first {
		return t, nil
	}
	calls, err := callsOf(ctx, c, first, last)
	if err != nil {
		return nil, err
	}
	for _, call := range calls {
		if call.Model != "" && !slices.Contains(t.Models, call.Model) {
			t.Models = append(t.Models, call.Model)
		}
		t.In, t.Out, t.Cached = t.In+valueOf(call.In), t.Out+valueOf(call.Out), t.Cached+valueOf(call.Cached)
	}
	slices.Sort(t.Models)
	if err := a.tellBreaks(ctx, c, t); err != nil {
		return nil, err
	}
	return t, t.tellBlocks(ctx, c)
}

func (a *app) tellBreaks(ctx context.Context, c *pact.Context, t *story) error {
	first, last := c.Cycles()
	none, no := "", false
	flags := callFlags{dialect: &none, file: &none, provider: &no}
	recorded, err := flags.read(ctx, a, c)
	if err != nil {
		return err
	}
	r, err := a.prefixes(ctx, c, pact.Cycle(first), pact.Cycle(last), recorded)
	if err != nil {
		return err
	}
	t.Share = r.Share
	for _, p := range r.Cycles {
		if !slices.Contains(r.Breaks, p.Cycle) {
			continue
		}
		t.Breaks = append(t.Breaks, storyBreak{p.Cycle, wording.Cut(&p, func(name string) string { return name })})
	}
	return nil
}

func (t *story) tellBlocks(ctx context.Context, c *pact.Context) error {
	_, last := c.Cycles()
	hits, err := c.Find(ctx, "@* ."+c.Edition().Traits().BlockType, nil)
	if err != nil {
		return err
	}
	for _, h := range hits {
		f, err := factsOfNode(ctx, h, nil, last)
		if err != nil {
			return err
		}
		if f.Kind == toolcall.Call {
			t.Tools++
			if f.Failed {
				t.Failed = append(t.Failed, storyCall{f.ID, f.Tool})
			}
		}
		t.Carried = append(t.Carried, f)
	}
	slices.SortStableFunc(t.Carried, func(a, b nodeFacts) int { return cmp.Compare(b.Bytes*b.Calls, a.Bytes*a.Calls) })
	t.Carried = t.Carried[:min(mostCarried, len(t.Carried))]
	return nil
}

// lines puts the story into words, without what the log does not say.
func (t *story) lines() (list []string) {
	line := plural(t.Calls, "call") + " of the model"
	if len(t.Models) > 0 {
		line = plural(t.Calls, "call") + " of " + strings.Join(cells(t.Models...), ", ")
	}
	if t.In+t.Out > 0 {
		line += ": " + strconv.FormatInt(t.In, 10) + " tokens in, " + strconv.FormatInt(t.Cached, 10) +
			" of them read from the provider's cache, " + strconv.FormatInt(t.Out, 10) + " out"
	} else {
		line += "; the log has no counts of tokens"
	}
	list = append(list, line+".")
	if t.Calls > 1 {
		list = append(list, t.breakLines()...)
	}
	if len(t.Carried) > 0 {
		list = append(list, "Carried most:")
		for _, f := range t.Carried {
			what := strings.Join(words(f.Role, f.Kind, f.Tool), " ")
			if what != "" {
				what += ", "
			}
			list = append(list, "  "+visible(f.ID)+"  "+visible(what)+bytesText(f.Bytes)+" in "+
				plural(int(f.Calls), "call")+"  "+f.Begins)
		}
	}
	switch {
	case t.Tools == 0:
	case len(t.Failed) == 0:
		list = append(list, plural(t.Tools, "call")+" of tools, none marked as failed.")
	default:
		line := strconv.Itoa(len(t.Failed)) + " of " + plural(t.Tools, "call") + " of tools failed: "
		for i, f := range t.Failed[:min(mostCarried, len(t.Failed))] {
			if i > 0 {
				line += ", "
			}
			line += visible(strings.Join(words(f.Tool, f.ID), " "))
		}
		if more := len(t.Failed) - mostCarried; more > 0 {
			line += " and " + strconv.Itoa(more) + " more"
		}
		list = append(list, line+".")
	}
	return list
}

func (t *story) breakLines() (list []string) {
	line := percent(t.Share) + " of what the calls repeated was the prefix of the call before"
	if len(t.Breaks) == 0 {
		return []string{line + "; it never broke."}
	}
	list = append(list, line+"; it broke in "+plural(len(t.Breaks), "call")+":")
	for _, b := range t.Breaks[:min(mostBreaks, len(t.Breaks))] {
		list = append(list, "  @c"+strconv.FormatInt(b.Cycle, 10)+"  "+b.Why)
	}
	if more := len(t.Breaks) - mostBreaks; more > 0 {
		list = append(list, "  … and in "+strconv.Itoa(more)+" more: pact prefix shows all")
	}
	return list
}

// mostBreaks is how many breaks a story lists.
const mostBreaks = 5
