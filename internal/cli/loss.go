package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/wording"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/tree"
)

// loss is what pruning takes from a conversation, as a person would tell it. Expired nodes
// and turns that the conversation itself replaced do not count.
type loss struct {
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

// turnLoss is what a turn loses, or a region outside ^seq.
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

// lossReader adds up what commits take.
type lossReader struct {
	loss
	counter tree.Counter // nil to count no tokens
}

// take adds what a commit took, or would take, from the tree before it.
func (l *lossReader) take(ctx context.Context, before *tree.Tree, r *lifecycle.Report) error {
	task, err := lifecycle.Task(ctx, before)
	if err != nil {
		return err
	}
	turns := map[string]*turnLoss{}
	var order []string
	for _, gone := range r.Removed {
		if gone.Reason != lifecycle.Pruned && gone.Reason != lifecycle.Orphaned || gone.Rule == lifecycle.RuleRewritten {
			continue
		}
		path := before.Path(gone.ID)
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
	slices.SortFunc(order, before.Order)
	for _, id := range order {
		if turns[id].Whole {
			l.Turns++
		}
		l.ByTurn = append(l.ByTurn, *turns[id])
	}
	return nil
}

// block adds the block at the end of path.
func (l *lossReader) block(ctx context.Context, t *tree.Tree, path []*tree.Entry, turn *turnLoss) error {
	e := path[len(path)-1]
	n, region := e.Node(), path[1].Class()
	content, err := n.Content.Value(ctx)
	if err != nil {
		return err
	}
	bytes, tokens := int64(n.ThreadBytes(region)), int64(0)
	if l.counter != nil {
		if tokens, err = tree.Tokens(l.counter).Own(ctx, e); err != nil {
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
		text, _ := wording.Readable(canon.Value(content))
		l.Messages++
		l.Words += len(strings.Fields(text))
	}
	if turn.Begins == "" || role == "user" && turn.Role != "user" {
		if words := firstWords(n.Kind, canon.Value(content)); words != "" {
			turn.Role, turn.Begins = role, words
		}
	}
	return nil
}

// lossOf returns what a commit takes from the tree before it.
func lossOf(ctx context.Context, before *tree.Tree, r *lifecycle.Report, counter tree.Counter) (*loss, error) {
	l := lossReader{counter: counter}
	if err := l.take(ctx, before, r); err != nil {
		return nil, err
	}
	return &l.loss, nil
}

// summary says in one line what is lost, "" if nothing is.
func (l *loss) summary() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, plural(n, what))
		}
	}
	add(l.Turns, "turn")
	add(l.Results, "tool result")
	if l.Messages > 0 {
		parts = append(parts, plural(l.Messages, "message")+" of the user ("+plural(l.Words, "word")+")")
	}
	if len(parts) == 0 && len(l.ByTurn) > 0 {
		blocks := 0
		for i := range l.ByTurn {
			blocks += l.ByTurn[i].Blocks
		}
		parts = append(parts, plural(blocks, "block"))
	}
	if l.Unsent > 0 {
		parts = append(parts, plural(l.Unsent, "node")+" that no call had seen")
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ") + "; "
	if l.Tokens > 0 {
		text += plural(int(l.Tokens), "token") + ", "
	}
	return text + bytesText(l.Bytes)
}

// drawLoss prints a line a turn, cut at the width of a terminal.
func (a *app) drawLoss(l *loss) {
	rows := make([][]string, len(l.ByTurn))
	for i, t := range l.ByTurn {
		what := plural(t.Blocks, "block")
		switch {
		case t.Whole:
			what = "whole turn"
		case t.Results > 0:
			what = plural(t.Results, "result")
			if len(t.Tools) > 0 {
				what += " of " + strings.Join(t.Tools, ", ")
			}
		}
		size := bytesText(t.Bytes)
		if l.Tokens > 0 {
			size = plural(int(t.Tokens), "token")
		}
		begins := t.Begins
		if t.Role != "" {
			begins = t.Role + ": " + begins
		}
		rows[i] = cells("  @c"+strconv.FormatInt(t.Cycle, 10), what, size, begins)
	}
	c := layoutOf("llrl")
	for _, row := range rows {
		c.fit(row)
	}
	for _, row := range rows {
		a.printf("%s\n", a.clip(c.line(row)))
	}
}

// total returns what was added up, nil without a reader.
func (l *lossReader) total() *loss {
	if l == nil {
		return nil
	}
	return &l.loss
}

// drawImportLoss says what the limits of an import took from its calls.
func (a *app) drawImportLoss(l *loss) {
	if l == nil {
		return
	}
	if text := l.summary(); text != "" {
		a.printf("  left out %s\n", text)
	} else {
		a.printf("  the limits left nothing out\n")
	}
	a.drawLoss(l)
	if l.Task != "" {
		a.warnf("the first message of the user was left out: %s", visible(l.Task))
	}
}
