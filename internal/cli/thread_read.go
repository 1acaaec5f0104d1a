package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/wording"
	"github.com/contexttree/pact/tree"
)

// reading writes a thread for people, as text or as Markdown. It folds each call
// together with its results, and the definitions of the tools into one line.
type reading struct {
	*app
	ctx      context.Context
	snapshot *pact.Snapshot
	markdown bool
	cuts     bool   // it cuts long contents
	command  string // that prints a whole content, given an id
	role     string // the role under whose heading it writes
	began    bool   // it wrote something
}

// The lines that reading keeps of a long content.
const (
	linesOfText   = 20
	linesOfResult = 6
)

func (r *reading) write() error {
	t := r.snapshot.Tree()
	var blocks []*tree.Node
	var roles []string
	there := map[string]bool{}
	t.BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		blocks, roles = append(blocks, e.Node()), append(roles, e.Node().RoleIn(region))
		there[e.Node().ID] = true
		return true
	})
	var tools []string
	var size int64
	for i, n := range blocks {
		var err error
		switch partners := toolcall.Partners(t, n); {
		case n.Kind == toolcall.Definition:
			var name string
			name, err = toolcall.Name(r.ctx, t, n)
			tools, size = append(tools, name), size+int64(n.Content.Size())
		case n.Kind == toolcall.Call:
			r.heading(roles[i])
			err = r.call(n, partners)
		case n.Kind == toolcall.Result && len(partners) > 0 && there[partners[0].ID]:
			// it stands beside its call
		default:
			r.heading(roles[i])
			err = r.block(n)
		}
		if err != nil {
			return err
		}
		if next := i + 1; len(tools) > 0 && (next == len(blocks) || blocks[next].Kind != toolcall.Definition) {
			r.heading("tools")
			r.text(strings.Join(tools, ", ")+" ("+bytesText(size)+")", "", 0)
			tools, size = nil, 0
		}
	}
	return nil
}

// heading begins the blocks of a role.
func (r *reading) heading(role string) {
	if r.began {
		r.printf("\n")
	}
	if role == r.role {
		return
	}
	r.role, r.began = role, true
	if r.markdown {
		r.printf("## %s\n\n", visible(role))
	} else {
		r.printf("%s\n", r.paint.strong(visible(role)))
	}
}

// block writes a block that is no call.
func (r *reading) block(n *tree.Node) error {
	text, plain, err := r.content(n)
	if err != nil {
		return err
	}
	what := n.Kind
	if !plain && what == "" {
		what = "content"
	}
	switch {
	case plain && (n.Kind == "text" || n.Kind == ""):
		r.text(text, n.ID, linesOfText)
	case r.markdown:
		r.printf("%s:\n\n", visible(what))
		r.fenced(text)
	default:
		r.printf("  %s\n", r.paint.name(visible(what)))
		r.text(text, n.ID, linesOfResult)
	}
	return nil
}

// call writes a call and its results.
func (r *reading) call(n *tree.Node, results []*tree.Node) error {
	name, err := toolcall.Name(r.ctx, r.snapshot.Tree(), n)
	if err != nil {
		return err
	}
	content, err := n.Content.Value(r.ctx)
	if err != nil {
		return err
	}
	arguments := toolcall.Arguments(canon.Value(content))
	if r.markdown {
		r.printf("calls `%s` (`%s`):\n\n", visible(name), visible(n.ID))
		r.fenced(indented([]byte(arguments)))
	} else {
		line := "  ▸ " + r.paint.name(visible(name)) + " " + visible(onOneLine(arguments))
		r.printf("%s\n", r.cutLine(line, n.ID))
	}
	for _, result := range results {
		text, _, err := r.content(result)
		if err != nil {
			return err
		}
		failed := ""
		if toolcall.Failed(r.snapshot.Tree(), result) {
			failed = "failed "
		}
		switch {
		case r.markdown:
			r.printf("\n%sresult (`%s`):\n\n", failed, visible(result.ID))
			r.fenced(text)
			continue
		case failed != "":
			r.printf("    %s\n", r.paint.bad("failed"))
		}
		r.text(text, result.ID, linesOfResult)
	}
	return nil
}

// cutLine cuts a line that is wider than the terminal, and names the block.
func (r *reading) cutLine(line, id string) string {
	if r.cuts && r.width > 0 {
		return r.clip(line)
	}
	return line
}

// content returns the content of a node as people read it, and whether it is a
// text.
func (r *reading) content(n *tree.Node) (text string, plain bool, err error) {
	content, err := n.Content.Value(r.ctx)
	if err != nil || content == "" {
		return "", true, err
	}
	if text, plain = wording.Readable(canon.Value(content)); plain {
		return text, true, nil
	}
	return indented([]byte(content)), false, nil
}

// text writes lines that wrap by words, and says how much it leaves out.
func (r *reading) text(text, id string, most int) {
	text = strings.TrimRight(text, "\n")
	if r.markdown {
		r.printText(text)
		return
	}
	indent := "  "
	if most == linesOfResult {
		indent = "    "
	}
	width := r.width
	if width == 0 {
		width = 1 << 20 // off a terminal nothing wraps
	}
	var lines []string
	used := 0
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(visible(strings.TrimSuffix(line, "\r")), width-len(indent))...)
		if used += len(line) + 1; r.cuts && most > 0 && len(lines) > most {
			break
		}
	}
	rest := ""
	if r.cuts && most > 0 && len(lines) > most {
		kept := 0
		for _, line := range lines[:most-1] {
			kept += len(line) + 1
		}
		lines = lines[:most-1]
		rest = "… " + bytesText(int64(max(1, len(text)-kept))) + " more: " + r.command + " " + quote(id)
	}
	for _, line := range lines {
		r.printf("%s\n", strings.TrimRight(indent+line, " "))
	}
	if rest != "" {
		r.printf("%s%s\n", indent, r.paint.faint(visible(rest)))
	}
}

// fenced writes a text as a block of code, with a fence that the text lacks.
func (r *reading) fenced(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	r.printf("%s\n", fence)
	r.printText(strings.TrimRight(text, "\n"))
	r.printf("%s\n", fence)
}

// catCommandOf returns the command that prints a content of a snapshot.
func (a *app) catCommandOf(s *pact.Snapshot) string {
	return "pact cat " + a.subject + a.inStore() + " @c" + strconv.FormatInt(s.Cycle(), 10)
}
