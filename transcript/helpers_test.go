package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

func isCall(n *tree.Node) bool { return n.Kind == "call" }

func isTurn(n *tree.Node) bool { return n.Type == "seg" }

func isBlock(n *tree.Node) bool {
	return n.Type == "block" || strings.HasPrefix(n.Type, "block:")
}

// resultsOfOtherTurns counts results whose call stands in another turn.
func resultsOfOtherTurns(list []*pact.Context) (n int) {
	for _, c := range list {
		tr := tree.Of(c.Working())
		for e := range sure.All(tr.All()) {
			for _, ref := range e.Node().Refs {
				from, to := sure.Get(tr.Path(e.Node().ID)), sure.Get(tr.Path(ref))
				if e.Node().Kind == "result" && len(from) > 2 && len(to) > 2 && from[2] != to[2] {
					n++
				}
			}
		}
	}
	return n
}

// importText imports the one conversation of a file into a store of its own.
func importText(t *testing.T, file string, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	var o ImportOptions
	for _, made := range opts {
		o.CreateOptions = made
	}
	list, err := Read([]byte(file))
	must(t, err)
	made, err := Import(t.Context(), pact.NewDB(store.NewMemory()), "test", list[0], &o)
	must(t, err)
	return made
}

// realConversations are those of the shared files, one in so many, or all in a
// thorough run.
func realConversations(t *testing.T, one int) (list []*Conversation) {
	t.Helper()
	for _, path := range testrun.Shared(t, "data", "*.traj", "tau-bench-gpt-4o-airline.json") {
		read, err := Read(load(t, path))
		must(t, err)
		for i, c := range read {
			if c.Shape() == calllog.ShapeSWESmith {
				c.Name = filepath.Base(path)
			}
			if testrun.Thorough() || len(read) == 1 || i%one == 0 {
				list = append(list, c)
			}
		}
	}
	return list
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

func openAI(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	text, err := OpenAI(t.Context(), s)
	must(t, err)
	return string(text)
}

var must = testrun.Must

// reportsOf are the reports of commits by their cycles.
func reportsOf(t *testing.T, log []history.Entry) map[int64]lifecycle.Report {
	t.Helper()
	reports := map[int64]lifecycle.Report{}
	for _, e := range log {
		var r lifecycle.Report
		if len(e.Report) > 0 {
			must(t, json.Unmarshal(e.Report, &r))
			reports[e.Cycle] = r
		}
	}
	return reports
}

func contentOfNode(n *tree.Node) canon.Value {
	v, err := n.Content.Value(context.Background())
	if err != nil {
		panic(err)
	}
	return v
}

// snapshotText draws a snapshot for failure messages.
func snapshotText(s *pact.Snapshot) string {
	var b strings.Builder
	for p := range sure.All(tree.Of(s).All()) {
		e, parent := p.Entry, p.Parent
		n := e.Node()
		fmt.Fprintf(&b, "%s%s in %s: offset %d, %s %s, refs %q\n", strings.Repeat("  ", len(sure.Get(tree.Of(s).Path(n.ID)))), n.ID,
			parent, n.Offset, n.Role, n.Kind, n.Refs)
	}
	return b.String()
}

// sentAt returns the messages that a snapshot gives OpenAI.
func sentAt(t *testing.T, c *pact.Context, cycle int) []byte {
	t.Helper()
	s, err := c.At(t.Context(), pact.Cycle(int64(cycle)))
	must(t, err)
	text, err := OpenAI(t.Context(), s)
	must(t, err)
	return text
}

func rawList(list []*message) []byte {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = string(m.Value())
	}
	return []byte("[" + strings.Join(texts, ",") + "]")
}

// logOf collects a log.
func logOf(entries iter.Seq2[history.Entry, error]) (list []history.Entry, err error) {
	for e, failed := range entries {
		if failed != nil {
			return nil, failed
		}
		list = append(list, e)
	}
	return list, nil
}

// sentLists returns the messages that each call was sent.
func sentLists(c *Conversation) [][]*message {
	calls, _ := c.lists()
	return calls
}

// wordCounter counts a word as a token.
type wordCounter struct{}

func (wordCounter) Name() string { return "words" }

func (wordCounter) Count(text string) int { return len(strings.Fields(text)) }
