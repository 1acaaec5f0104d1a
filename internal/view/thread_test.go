package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/store"
)

// lookedAt has a call with a long result and one that failed, a thought that holds a fence and a control character, and
// a result whose call is gone.
func lookedAt(t *testing.T) *pact.Snapshot {
	t.Helper()
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "c", nil)
	must(t, err)
	lines := func(n int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, "l%d\n", i+1)
		}
		return all.String()
	}
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		for _, s := range []pact.Spec{{Role: "system", Kind: "text", Content: "Be brief."},
			{Kind: "tool", Content: map[string]any{"name": "read"}}, {Kind: "tool", Content: map[string]any{"name": "list"}}} {
			b.Add("^sys", s)
		}
		for _, s := range []pact.Spec{{Role: "user", Kind: "text", Content: "Look.\n"}, {ID: "n", Role: "user", Content: 7},
			{ID: "c1", Role: "assistant", Kind: "call", Content: map[string]any{"name": "read", "arguments": `{"path":"a b"}`}},
			{ID: "r1", Role: "tool", Kind: "result", Content: lines(8), Refs: []string{"c1"}},
			{ID: "r2", Role: "tool", Kind: "result", Content: lines(6), Refs: []string{"c1"}, Attrs: map[string]any{"wire:failed": true}},
			{Role: "assistant", Kind: "thinking", Content: "Hm.\x1b```"},
			{Role: "tool", Kind: "result", Content: map[string]any{"a": 1}}} {
			b.Add("^ah", s)
		}
		return nil
	}, nil))
	return c.Working()
}

const wholeThread = `system
  Be brief.

tools
  read, list (30 B)

user
  Look.

  content
    7

assistant
  ▸ read { "path": "a b" }
    l1
    l2
    l3
    l4
    l5
    l6
    l7
    l8
    failed
    l1
    l2
    l3
    l4
    l5
    l6

  thinking
    Hm.` + "\uFFFD```" + `

tool
  result
    {
      "a": 1
    }
`

var markdownThread = strings.ReplaceAll(`## system

Be brief.

## tools

read, list (30 B)

## user

Look.

content:

'''
7
'''

## assistant

calls 'read' ('c1'):

'''
{
  "path": "a b"
}
'''

result ('r1'):

'''
l1
l2
l3
l4
l5
l6
l7
l8
'''

failed result ('r2'):

'''
l1
l2
l3
l4
l5
l6
'''

thinking:

''''
Hm.`+"\x1b"+`'''
''''

## tool

result:

'''
{
  "a": 1
}
'''
`, "'", "`")

func TestThreadsAreWrittenForReaders(t *testing.T) {
	s := lookedAt(t)
	for name, x := range map[string]struct {
		style view.ThreadStyle
		want  string
	}{
		"whole":    {view.ThreadStyle{}, wholeThread},
		"Markdown": {view.ThreadStyle{Markdown: true}, markdownThread},
		"Markdown on a terminal": {view.ThreadStyle{Markdown: true, Terminal: true},
			strings.ReplaceAll(markdownThread, "\x1b", "\uFFFD")},
		"cut": {view.ThreadStyle{Command: func(id string) string { return "show " + id },
			Clip: func(line string) string { return strings.TrimSuffix(line, `"a b" }`) + "…" },
			Bad:  func(s string) string { return "!" + s }, Strong: strings.ToUpper, Faint: func(s string) string { return "(" + s + ")" }},
			strings.NewReplacer("system\n", "SYSTEM\n", "tools\n", "TOOLS\n", "user\n", "USER\n", "assistant\n", "ASSISTANT\n", "tool\n", "TOOL\n",
				"    l6\n    l7\n    l8\n", "    (… 8 B more: show r1)\n", `"a b" }`, "…", "failed", "!failed").Replace(wholeThread)},
	} {
		var got strings.Builder
		if err := view.WriteThread(t.Context(), &got, s, &x.style); err != nil || got.String() != x.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, &got, x.want)
		}
	}
	if all, err := view.Thread(t.Context(), s, true); err != nil || string(all) != markdownThread {
		t.Errorf("%v: %s", err, all)
	}
	indents := map[string]int{}
	style := view.ThreadStyle{Wrap: func(line string, indent int) []string {
		indents[line] = indent
		return []string{line}
	}}
	if err := view.WriteThread(t.Context(), &strings.Builder{}, s, &style); err != nil || indents["Look."] != 2 || indents["l1"] != 4 {
		t.Errorf("%v: lines wrap behind %v", err, indents)
	}
}
