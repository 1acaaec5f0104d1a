package opened

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

// Report describes a file.
type Report struct {
	Sessions []sessions.Session `json:"sessions,omitempty"` // that were found on this machine, without a file
	File     string             `json:"file"`
	Kind     intake.Kind        `json:"kind"`
	Contexts []Context          `json:"contexts"`

	Store struct {
		Path  string `json:"path"`
		Bytes int64  `json:"bytes"` // size of the file
		Grew  int64  `json:"grew"`  // by how much this import grew the store, 0 if a context already existed
	} `json:"store"`

	ThreadBytes int64    `json:"thread_bytes"` // the threads of all cycles together, each once
	Next        []string `json:"next"`         // commands to try
}

// Context describes one context.
type Context struct {
	Name           string           `json:"name"`
	Edition        selector.Edition `json:"edition"`
	Existed        bool             `json:"existed"`         // the store had it before
	Added          int64            `json:"added,omitempty"` // how many cycles it has more now, because the file grew
	*record.Source                  // nil if it is not made of a log of calls
	view.Overlap
	ThreadBytes int64        `json:"thread_bytes"`
	Cycles      []Cycle      `json:"cycles"`
	Story       *story.Story `json:"story,omitempty"` // of the context that stands for all, nil for all others
	// Sentences say of that context what broke, what it cost and what would help.
	Sentences []string `json:"sentences,omitempty"`
	// Findings are what that context paid most for without use; none without a price for its model.
	Findings []simulate.Finding `json:"findings,omitempty"`

	// Unanswered is the call without a whole answer behind the cycles, in words; "" for none.
	Unanswered string `json:"unanswered,omitempty"`

	told *story.Story // without its blocks
}

// Own returns the bytes of the threads of its own calls, without those that it inherited.
func (f *Context) Own() (bytes int64) {
	for i := min(f.Inherited, len(f.Cycles)); i < len(f.Cycles); i++ {
		bytes += f.Cycles[i].Bytes
	}
	return bytes
}

// Cycle describes one cycle.
type Cycle struct {
	Cycle  int64                 `json:"cycle"`
	Turn   string                `json:"turn"` // id of the newest turn
	Nodes  int                   `json:"nodes"`
	Blocks int                   `json:"blocks"`
	Bytes  int64                 `json:"bytes"`            // size of the thread
	Prefix *inspect.SharedPrefix `json:"prefix,omitempty"` // nil in the first cycle
	Broke  *view.CacheBreak      `json:"broke,omitempty"`  // nil if nothing broke
	Step   *view.Step            `json:"-"`
}

// Main returns which context stands for all of them, and -1 if there is none.
func (f *Report) Main() int {
	names, own := make([]string, len(f.Contexts)), make([]int64, len(f.Contexts))
	for i := range f.Contexts {
		names[i], own[i] = f.Contexts[i].Name, f.Contexts[i].Own()
	}
	return view.Standing(names, own)
}

// Describe collects what the report says about a context.
func Describe(ctx context.Context, c *pact.Context, each func()) (Context, error) {
	f := Context{Name: c.Info().Name, Edition: c.Info().Edition, Cycles: []Cycle{}, Source: record.SourceOf(c.Working())}
	var err error
	if f.Unanswered, err = view.Unanswered(ctx, c); err != nil {
		return f, err
	}
	f.told, err = story.Walk(ctx, c, func(s *view.Step) error {
		step := *s
		step.Before, step.Now = nil, nil // they hold the trees
		now := Cycle{Cycle: s.Cycle, Nodes: s.Now.Len(), Blocks: s.Blocks, Bytes: s.Bytes, Prefix: s.Shared, Broke: s.Broke, Step: &step}
		if turns := tree.Of(s.Now).Region(tree.Seq).Children(); turns.Len() > 0 {
			item, err := turns.At(turns.Len() - 1)
			if err != nil {
				return err
			}
			now.Turn = item.Node().ID
		}
		f.ThreadBytes += now.Bytes
		f.Cycles = append(f.Cycles, now)
		each()
		return ctx.Err()
	})
	return f, err
}

// Tell tells the story of the context.
func (f *Context) Tell(ctx context.Context, c *pact.Context) error {
	f.Story = f.told
	return f.Story.TellBlocks(ctx, c)
}

// Walked returns the share of the threads that the next ones repeat, and at how many calls something broke.
func (f *Context) Walked() (share float64, broke int) { return f.told.Share, len(f.told.Breaks) }
