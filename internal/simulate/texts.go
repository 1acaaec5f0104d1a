package simulate

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// leastQuoted is the shortest line, in bytes, that counts as a quotation.
const leastQuoted = 24

// texts knows where each line of the run stands, and which calls were made.
type texts struct {
	lines map[string][]string // the blocks with a line, by it
	calls map[string][]string // the results of earlier calls, by tool and arguments
}

func newTexts() *texts { return &texts{lines: map[string][]string{}, calls: map[string][]string{}} }

// need is a line or a call in a new block of the assistant that earlier blocks have: a quotation, or a call that
// was made before.
type need struct {
	node, text, tool string
	thought          bool     // it stands in reasoning
	of               []string // the blocks that had it
}

// needs returns the lines and calls in the new blocks of the assistant that earlier blocks have.
func (x *texts) needs(r *run, p *passedCall) (list []need, err error) {
	for _, e := range p.new.Added {
		n := e.Node()
		if n.RoleIn(tree.Seq) != "assistant" || e.Class() != tree.Block {
			continue
		}
		for _, line := range linesOf(r, n) {
			for _, text := range line.forms() {
				if of := x.lines[text]; len(of) > 0 {
					list = append(list, need{node: n.ID, text: text, thought: n.Kind == "thinking", of: of})
					break
				}
			}
		}
		if n.Kind == toolcall.Call {
			key, tool, err := callKey(r, p.now, n)
			if err != nil {
				return nil, err
			}
			if len(x.calls[key]) > 0 {
				list = append(list, need{node: n.ID, tool: tool, of: x.calls[key]})
			}
		}
	}
	return list, nil
}

// add takes the new blocks of a call.
func (x *texts) add(r *run, p *passedCall) error {
	for _, e := range p.new.Added {
		n := e.Node()
		if e.Class() != tree.Block {
			continue
		}
		for _, line := range linesOf(r, n) {
			for _, text := range line.forms() {
				if of := x.lines[text]; len(of) == 0 || of[len(of)-1] != n.ID {
					x.lines[text] = append(of, n.ID)
				}
			}
		}
		if n.Kind == toolcall.Call {
			key, _, err := callKey(r, p.now, n)
			if err != nil {
				return err
			}
			results, err := toolcall.Partners(p.now, n)
			if err != nil {
				return err
			}
			for _, result := range results {
				x.calls[key] = append(x.calls[key], result.ID)
			}
		}
	}
	return nil
}

// callKey returns a key that equal calls share, and the name of the tool.
func callKey(r *run, t *tree.Tree, n *tree.Node) (key, tool string, err error) {
	content, err := n.Content.Value(r.ctx)
	if err == nil {
		tool, err = toolcall.Name(r.ctx, t, n)
	}
	return tool + "\x00" + toolcall.Arguments(content), tool, err
}

// numbered matches what tools put before a line of a text: marks of quotations, lists and diffs, the file that it stands
// in, its number and a digest.
var numbered = manage.Compiled(`^[\s>|+*-]*(?:(?:\S*[:-])?[\[(L#]?\d+(?:#\w+)?[\])]?[\s:|→.\])-]+)?`)

// textLine is a line of a text: whole, and bare of what a tool may have put before it, so that a quotation is found.
type textLine struct{ whole, bare string }

// forms returns the different forms that are long enough to be a quotation, the bare one first.
func (l textLine) forms() []string {
	if len(l.bare) < leastQuoted {
		return []string{l.whole}
	}
	if l.bare == l.whole {
		return []string{l.bare}
	}
	return []string{l.bare, l.whole}
}

// linesOf returns the lines in a block that are long enough to be a quotation.
func linesOf(r *run, n *tree.Node) (list []textLine) {
	content, _ := n.Content.Value(r.ctx)
	stringsIn(content.Any(), func(text string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= leastQuoted {
				list = append(list, textLine{line, line[len(numbered().FindString(line)):]})
			}
		}
	})
	return list
}

// regret notes needs that the policy left unmet, before the call is sent: every block that had the text is gone, one of them by the policy.
// It notes one line for two blocks.
func (l *policyRun) regret(said []need, cycle int64) {
	for _, n := range said {
		if n.thought {
			continue
		}
		by := ""
		for _, id := range n.of {
			if l.lacks(id, n.text) {
				by = id
			} else if l.sent.there[id] {
				by = ""
				break
			}
		}
		if by == "" || l.said[[2]string{n.node, by}] {
			continue
		}
		l.said[[2]string{n.node, by}] = true
		l.Regrets = append(l.Regrets, Regret{Cycle: cycle, Node: n.node, Of: by, Tool: n.tool, Text: n.text,
			Short: !l.removed[by]})
	}
}

// lacks reports whether the policy took a text of a block, or all of it.
func (l *policyRun) lacks(id, text string) bool {
	short, shaped := l.shaped[id]
	if l.removed[id] || !shaped {
		return l.removed[id]
	}
	inJSON := string(canon.String(text))
	return text == "" || !strings.Contains(short, inJSON[1:len(inJSON)-1])
}
