package query_test

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// choices is a source of random numbers that are given, and when they run out
// others that are always the same.
type choices struct {
	given []byte
	then  *rand.PCG
}

func (c *choices) Uint64() uint64 {
	if len(c.given) == 0 {
		return c.then.Uint64()
	}
	var word [8]byte
	n := copy(word[:2], c.given)
	c.given = c.given[n:]
	return binary.LittleEndian.Uint64(word[:]) * 0x9e3779b97f4a7c15 // spread over the high bits, which decide
}

// richTrees are the trees that FuzzEvaluate asks: the fixture, and drawn ones with everything in them.
func richTrees(t testing.TB) []*tree.Tree {
	list := []*tree.Tree{plant(t, 1, fixture)}
	for seed := uint64(0); len(list) < 4; seed++ {
		tr := sketchTree(t, rand.New(rand.NewPCG(seed, 11)), 5)
		complete := tr.Region(tree.Sys) != nil && tr.Region(tree.Head) != nil && tr.Region(tree.Seq) != nil
		if w := flatten(tr, selector.V01); complete && len(w.cores) > 1 && len(w.real) > 30 && len(w.real) < 60 {
			list = append(list, tr)
		}
	}
	return list
}

// printedSelectors are those of the conformance cases and of the documents.
func printedSelectors(f *testing.F) []string {
	files, _ := filepath.Glob("../../conformance/cases/*.json")
	var list []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		must(f, err)
		for _, quoted := range regexp.MustCompile(`"selector":\s*("(?:[^"\\]|\\.)*")`).FindAllSubmatch(data, -1) {
			var text string
			if json.Unmarshal(quoted[1], &text) == nil {
				list = append(list, text)
			}
		}
	}
	data, err := os.ReadFile("../../selector/testdata/printed.tsv")
	if err != nil || len(list) == 0 {
		f.Fatal("no selectors to begin with: ", err)
	}
	for line := range strings.Lines(string(data)) {
		list = append(list, strings.TrimSpace(line[strings.LastIndexByte(line, '\t')+1:]))
	}
	return list
}

// FuzzEvaluate reads bytes as a selector and, where there are choices, as what
// draws one, and compares the engine with the model on trees with
// everything in them, in every edition.
func FuzzEvaluate(f *testing.F) {
	trees := richTrees(f)
	var worlds []*model
	for _, tr := range trees {
		for _, e := range editions {
			worlds = append(worlds, flatten(tr, e))
		}
	}
	for _, text := range printedSelectors(f) {
		f.Add(text, []byte(nil))
	}
	r := rand.New(rand.NewPCG(2, 11))
	for i := range 150 {
		f.Add(genSelector(r, worlds[i%len(worlds)]), []byte(nil))
		given := make([]byte, 40)
		for k := range given {
			given[k] = byte(r.IntN(256))
		}
		f.Add("", given)
	}
	f.Fuzz(func(t *testing.T, text string, given []byte) {
		for i, w := range worlds {
			tr := trees[i/len(editions)]
			ask := text
			if len(given) > 0 {
				ask = genSelector(rand.New(&choices{given, rand.NewPCG(uint64(i), 12)}), w)
			}
			s, err := selector.Parse(ask, w.edition)
			if err != nil && len(given) > 0 && fault.CodeOf(err) != fault.Limit {
				t.Fatalf("%s: %q: %v", w.edition, ask, err)
			}
			if err != nil || steps(s) > 40 {
				continue
			}
			if _, err := query.Compile(s); fault.CodeOf(err) != fault.Limit {
				compare(t, tr, w, s)
			}
		}
	})
}

// steps counts the steps and hops of a selector: the model takes its
// time for each.
func steps(s *selector.Selector) int {
	n := 0
	for _, g := range s.Groups {
		n += len(g.Steps)
		if p, ok := g.Steps[0].Parts[0].(selector.Position); ok {
			n += len(p.Hops)
		}
	}
	return n
}
