package calllog

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// facts measures what a log gives, by the names of the columns of the table in
// docs/imports.md.
func facts(t *testing.T, log *Log, file []byte) map[string]string {
	got := map[string]bool{}
	exact := map[string]bool{}
	equal := true
	for _, s := range log.Sessions {
		exact[string(s.Exact)] = true
		var conversations [][]string
		for i := range s.Calls {
			c := &s.Calls[i]
			r := requestOf(t, c)
			a, said := answerOf(c)
			calls := map[string]bool{}
			var messages []string
			for _, p := range append(slices.Clone(r.Parts), said...) {
				got["messages"] = got["messages"] || p.Kind == "text" && p.Role == "user"
				got["tools"] = got["tools"] || p.Section == provider.Tools
				got["images"] = got["images"] || p.Kind == "image"
				got["reasoning"] = got["reasoning"] || p.Kind == "thinking"
				if p.Kind == "call" && p.Name != "" && p.Call != "" {
					got["calls"], calls[p.Call] = true, true
				}
				if p.Kind == "result" {
					got["results"] = got["results"] || calls[p.Call]
					got["failed"] = got["failed"] || p.Failed
				}
			}
			for _, p := range r.Parts {
				if p.Section == provider.Conversation {
					messages = append(messages, words([]provider.Part{p}))
				}
			}
			conversations = append(conversations, messages)
			got["answers"] = got["answers"] || len(said) > 0
			got["usage"] = got["usage"] || a.Usage.In != nil && a.Usage.Out != nil
			got["time"] = got["time"] || c.Started > 0
			model := cmp.Or(r.Model, provider.ModelInPath(c.Path))
			got["model"] = got["model"] || model != "" && model != unknownModel
			quoted := canon.Text(string(c.Body)).Value()
			equal = equal && c.Body != nil && (bytes.Contains(file, c.Body) || bytes.Contains(file, []byte(quoted)))
		}
		if s.Replay != nil { // the list of all its messages has the answers
			messages, _ := s.Unsent.Get("messages")
			for _, m := range messages.Elems {
				role, _ := m.Get("role")
				got["answers"] = got["answers"] || string(role.Value()) == `"assistant"`
			}
		}
		for i := range conversations {
			for j := range i {
				a, b := conversations[i], conversations[j]
				n := min(len(a), len(b))
				got["branches"] = got["branches"] || !slices.Equal(a[:n], b[:n])
			}
		}
	}
	table := map[string]string{"request": "rebuilt"}
	for _, degree := range []Exactness{Rebuilt, Reported, Wire} {
		if exact[string(degree)] {
			table["request"] = string(degree)
		}
	}
	if equal {
		table["request"] = "equal"
	}
	var lacks []string
	for _, fact := range []string{"messages", "tools", "calls", "results", "failed", "images", "reasoning", "answers",
		"usage", "time", "model", "branches"} {
		if !got[fact] {
			lacks = append(lacks, fact)
		}
	}
	table["lacks"] = cmp.Or(strings.Join(lacks, ", "), "–")
	return table
}

// Every cell of the table in docs/imports.md says what the sample of its format
// gives: no cell is untried.
func TestTheTableOfFormatsIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../../docs/imports.md")
	must(t, err)
	samples := map[string]bool{}
	var columns []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) == 4 && cells[0] == "sample":
			columns = cells
		case len(cells) < 3 || columns == nil:
			if len(samples) > 0 {
				columns = nil
			}
		case strings.HasPrefix(cells[0], "`"):
			name := strings.Trim(cells[0], "`")
			samples[name] = true
			if len(cells) != len(columns) {
				t.Errorf("%s: %d cells for %d columns", name, len(cells), len(columns))
				continue
			}
			file, err := os.ReadFile(filepath.Join("testdata", name))
			must(t, err)
			got := facts(t, sampleLog(t, name), file)
			for i, column := range columns[1:3] {
				if got[column] != cells[i+1] {
					t.Errorf("%s: the page says %q of %s, the reader gives %q", name, cells[i+1], column, got[column])
				}
			}
		}
	}
	all, err := os.ReadDir("testdata")
	must(t, err)
	for _, e := range all {
		if !e.IsDir() && !samples[e.Name()] {
			t.Errorf("the table lacks the sample %s", e.Name())
		}
	}
}
