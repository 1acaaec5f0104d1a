package view

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// ThreadStyle says how a thread is shown. A terminal has the functions; elsewhere they are nil.
type ThreadStyle struct {
	Markdown bool
	Terminal bool // show the control characters of Markdown too; those of text are always shown
	// Command returns the command that prints the whole content of a node. With it, long contents are
	// cut and name the command; with nil they are whole.
	Command func(id string) string
	// Wrap breaks a line into lines that fit behind an indentation of so many columns.
	Wrap func(line string, indent int) []string
	// Clip cuts a line that is too wide, where contents are cut.
	Clip func(line string) string

	Strong, Name, Bad, Faint func(string) string
}

// WriteThread writes the thread of a snapshot. It folds each call together with its results, and the
// definitions of the tools into one line. Its cost is that of the contents.
func WriteThread(ctx context.Context, w io.Writer, s *pact.Snapshot, o *ThreadStyle) (err error) {
	r := threadWriter{w: w, ctx: ctx, snapshot: s, o: *o}
	for _, style := range []*func(string) string{&r.o.Strong, &r.o.Name, &r.o.Bad, &r.o.Faint, &r.o.Clip} {
		if *style == nil {
			*style = func(s string) string { return s }
		}
	}
	if r.o.Wrap == nil {
		r.o.Wrap = func(line string, _ int) []string { return []string{line} }
	}
	if err := r.write(); err != nil {
		return err
	}
	return r.err
}

// Thread returns the thread of a snapshot as whole text, or as Markdown.
func Thread(ctx context.Context, s *pact.Snapshot, markdown bool) ([]byte, error) {
	var all bytes.Buffer
	err := WriteThread(ctx, &all, s, &ThreadStyle{Markdown: markdown})
	return all.Bytes(), err
}

// threadWriter writes a thread for a reader.
type threadWriter struct {
	w        io.Writer
	err      error // of the first write that failed
	ctx      context.Context
	snapshot *pact.Snapshot
	o        ThreadStyle
	role     string // the role under whose heading it writes
	began    bool   // it wrote something
}

// The lines that a threadWriter keeps of a long content.
const (
	linesOfText   = 20
	linesOfResult = 6
)

func (r *threadWriter) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

func (r *threadWriter) write() error {
	t := tree.Of(r.snapshot)
	var blocks []*tree.Node
	var roles []string
	there := map[string]bool{}
	for b, err := range t.Blocks(0) {
		if err != nil {
			return err
		}
		blocks, roles = append(blocks, b.Node()), append(roles, b.Node().RoleIn(b.Region))
		there[b.Node().ID] = true
	}
	var tools []string
	var size int64
	for i, n := range blocks {
		partners, err := toolcall.Partners(t, n)
		if err != nil {
			return err
		}
		switch {
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
			r.text(strings.Join(tools, ", ")+" ("+Size(size)+")", "", 0)
			tools, size = nil, 0
		}
	}
	return nil
}

// heading begins the blocks of a role.
func (r *threadWriter) heading(role string) {
	if r.began {
		r.printf("\n")
	}
	if role == r.role {
		return
	}
	r.role, r.began = role, true
	if r.o.Markdown {
		r.printf("## %s\n\n", Visible(role))
	} else {
		r.printf("%s\n", r.o.Strong(Visible(role)))
	}
}

// block writes a block that is no call.
func (r *threadWriter) block(n *tree.Node) error {
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
	case r.o.Markdown:
		r.printf("%s:\n\n", Visible(what))
		r.fenced(text)
	default:
		r.printf("  %s\n", r.o.Name(Visible(what)))
		r.text(text, n.ID, linesOfResult)
	}
	return nil
}

// call writes a call and its results.
func (r *threadWriter) call(n *tree.Node, results []*tree.Node) error {
	name, err := toolcall.Name(r.ctx, tree.Of(r.snapshot), n)
	if err != nil {
		return err
	}
	content, err := n.Content.Value(r.ctx)
	if err != nil {
		return err
	}
	arguments := toolcall.Arguments(content)
	if r.o.Markdown {
		r.printf("calls `%s` (`%s`):\n\n", Visible(name), Visible(n.ID))
		r.fenced(indented([]byte(arguments)))
	} else {
		line := "  ▸ " + r.o.Name(Visible(name)) + " " + Visible(oneLine(arguments))
		if r.o.Command != nil {
			line = r.o.Clip(line)
		}
		r.printf("%s\n", line)
	}
	for _, result := range results {
		text, _, err := r.content(result)
		if err != nil {
			return err
		}
		failed := ""
		isFailed, err := toolcall.Failed(tree.Of(r.snapshot), result)
		if err != nil {
			return err
		}
		if isFailed {
			failed = "failed "
		}
		switch {
		case r.o.Markdown:
			r.printf("\n%sresult (`%s`):\n\n", failed, Visible(result.ID))
			r.fenced(text)
			continue
		case failed != "":
			r.printf("    %s\n", r.o.Bad("failed"))
		}
		r.text(text, result.ID, linesOfResult)
	}
	return nil
}

// content returns the content of a node as people read it, and whether it is a
// text.
func (r *threadWriter) content(n *tree.Node) (text string, plain bool, err error) {
	content, err := n.Content.Value(r.ctx)
	if err != nil || content == "" {
		return "", true, err
	}
	if text, plain = Readable(content); plain {
		return text, true, nil
	}
	return indented([]byte(content)), false, nil
}

// text writes lines that wrap by words, and says how much it leaves out.
func (r *threadWriter) text(text, id string, most int) {
	text = strings.TrimRight(text, "\n")
	if r.o.Markdown {
		r.printText(text)
		return
	}
	indent := "  "
	if most == linesOfResult {
		indent = "    "
	}
	var lines []string
	used := 0
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, r.o.Wrap(Visible(strings.TrimSuffix(line, "\r")), len(indent))...)
		if used += len(line) + 1; r.o.Command != nil && most > 0 && len(lines) > most {
			break
		}
	}
	rest := ""
	if r.o.Command != nil && most > 0 && len(lines) > most {
		kept := 0
		for _, line := range lines[:most-1] {
			kept += len(line) + 1
		}
		lines = lines[:most-1]
		rest = "… " + Size(int64(max(1, len(text)-kept))) + " more: " + r.o.Command(id)
	}
	for _, line := range lines {
		r.printf("%s\n", strings.TrimRight(indent+line, " "))
	}
	if rest != "" {
		r.printf("%s%s\n", indent, r.o.Faint(Visible(rest)))
	}
}

// fenced writes a text as a block of code, with a fence that the text lacks.
func (r *threadWriter) fenced(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	r.printf("%s\n", fence)
	r.printText(strings.TrimRight(text, "\n"))
	r.printf("%s\n", fence)
}

// printText prints a text of several lines and ends its last line.
func (r *threadWriter) printText(text string) {
	text = strings.TrimSuffix(text, "\n")
	if !r.o.Terminal {
		r.printf("%s\n", text)
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		r.printf("%s\n", Visible(strings.TrimSuffix(line, "\r")))
	}
}
