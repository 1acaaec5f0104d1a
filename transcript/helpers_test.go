package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
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
