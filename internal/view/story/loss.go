package story

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
)

// Loss counts the parts of a conversation that pruning takes. Expired nodes
// and turns that the conversation itself replaced do not count.
type Loss struct {
	Turns    int        `json:"turns"`             // whole ones
	Results  int        `json:"results"`           // of tools
	Calls    int        `json:"calls"`             // of tools
	Messages int        `json:"messages"`          // blocks of the user
	Words    int        `json:"words"`             // in these messages
	Tokens   int64      `json:"tokens,omitempty"`  // of all contents that go, 0 if none are counted
	Bytes    int64      `json:"bytes"`             // of all blocks that go, in the canonical thread
	Task     string     `json:"task,omitempty"`    // id of the user's first message, if it goes
	Unsent   int        `json:"unsent,omitempty"`  // nodes of an import that were pruned before any call had them
	ByTurn   []turnLoss `json:"by_turn,omitempty"` // in document order
}

// turnLoss counts the parts that a turn loses, or a region outside ^seq.
type turnLoss struct {
	ID      string   `json:"id"` // of the turn or region
	Cycle   int64    `json:"cycle"`
	Whole   bool     `json:"whole,omitempty"` // the turn goes
	Blocks  int      `json:"blocks"`          // that go
	Results int      `json:"results,omitempty"`
	Tools   []string `json:"tools,omitempty"` // whose results and calls go
	Tokens  int64    `json:"tokens,omitempty"`
	Bytes   int64    `json:"bytes"`
	Role    string   `json:"role,omitempty"` // who says Begins
	Begins  string   `json:"begins"`         // the first words that go, of the user if any of the user go
}

// LossReader adds up the losses of commits.
type LossReader struct {
	Loss
	Counter tree.Counter // nil to count no tokens
}

// Take adds the loss that a commit caused, or would cause, to the state before it.
func (l *LossReader) Take(ctx context.Context, from *pact.Snapshot, r *lifecycle.Report) error {
	before := tree.Of(from)
	task, err := commit.Task(ctx, before)
	if err != nil {
		return err
	}
	turns := map[string]*turnLoss{}
	var order []string
	for _, gone := range r.Removed {
		if gone.Reason != lifecycle.Pruned && gone.Reason != lifecycle.Orphaned || gone.Rule == lifecycle.RuleRewritten {
			continue
		}
		path, err := before.Path(gone.ID)
		if err != nil {
			return err
		}
		if path == nil {
			l.Unsent++
			continue
		}
		item := path[1]
		if item.Class() == tree.Seq && len(path) > 2 {
			item = path[2]
		}
		id := item.Node().ID
		if turns[id] == nil {
			turns[id] = &turnLoss{ID: id, Cycle: item.Node().Cycle}
			order = append(order, id)
		}
		turns[id].Whole = turns[id].Whole || gone.ID == id
		if path[len(path)-1].Class() == tree.Block {
			if err := l.block(ctx, before, path, turns[id]); err != nil {
				return err
			}
		}
		if task != nil && gone.ID == task.ID && l.Task == "" {
			l.Task = task.ID
		}
	}
	if err := before.Sort(order); err != nil {
		return err
	}
	for _, id := range order {
		if turns[id].Whole {
			l.Turns++
		}
		l.ByTurn = append(l.ByTurn, *turns[id])
	}
	return nil
}

// block adds the block at the end of path.
func (l *LossReader) block(ctx context.Context, t *tree.Tree, path []*tree.Entry, turn *turnLoss) error {
	e := path[len(path)-1]
	n, region := e.Node(), path[1].Class()
	content, err := n.Content.Value(ctx)
	if err != nil {
		return err
	}
	bytes, tokens := int64(n.ThreadBytes(region)), int64(0)
	if l.Counter != nil {
		if tokens, err = tree.Tokens(l.Counter).Own(ctx, e); err != nil {
			return err
		}
	}
	l.Bytes, l.Tokens = l.Bytes+bytes, l.Tokens+tokens
	turn.Blocks, turn.Bytes, turn.Tokens = turn.Blocks+1, turn.Bytes+bytes, turn.Tokens+tokens
	role := n.RoleIn(region)
	switch {
	case n.Kind == toolcall.Result || n.Kind == toolcall.Call:
		tool, err := toolcall.Name(ctx, t, n)
		if err != nil {
			return err
		}
		if tool != "" && !slices.Contains(turn.Tools, tool) {
			turn.Tools = append(turn.Tools, tool)
		}
		if n.Kind == toolcall.Call {
			l.Calls++
			break
		}
		l.Results++
		turn.Results++
	case role == "user" && n.Kind != lifecycle.StubKind:
		text, _ := view.Readable(content)
		l.Messages++
		l.Words += len(strings.Fields(text))
	}
	if turn.Begins == "" || role == "user" && turn.Role != "user" {
		if words := view.FirstWords(n.Kind, content, wordsShown); words != "" {
			turn.Role, turn.Begins = role, words
		}
	}
	return nil
}

// LossOf returns the loss that a commit causes to the state before it.
func LossOf(ctx context.Context, before *pact.Snapshot, r *lifecycle.Report, counter pact.Counter) (*Loss, error) {
	l := LossReader{Counter: counter}
	if err := l.Take(ctx, before, r); err != nil {
		return nil, err
	}
	return &l.Loss, nil
}

// Summary returns the loss in one line, "" for none.
func (l *Loss) Summary() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, view.Plural(n, what))
		}
	}
	add(l.Turns, "turn")
	add(l.Results, "tool result")
	if l.Messages > 0 {
		parts = append(parts, view.Plural(l.Messages, "message")+" of the user ("+view.Plural(l.Words, "word")+")")
	}
	if len(parts) == 0 && len(l.ByTurn) > 0 {
		blocks := 0
		for i := range l.ByTurn {
			blocks += l.ByTurn[i].Blocks
		}
		parts = append(parts, view.Plural(blocks, "block"))
	}
	if l.Unsent > 0 {
		parts = append(parts, view.Plural(l.Unsent, "node")+" that no call had seen")
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ") + "; "
	if l.Tokens > 0 {
		text += view.Plural(int(l.Tokens), "token") + ", "
	}
	return text + view.Size(l.Bytes)
}

// Total returns the sum, nil without a reader.
func (l *LossReader) Total() *Loss {
	if l == nil {
		return nil
	}
	return &l.Loss
}
