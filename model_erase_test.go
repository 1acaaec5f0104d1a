package pact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
)

// modelDocuments are all snapshots of all lines and what is being worked on, with
// some nodes emptied.
func (f *genFamily) modelDocuments(ids []string) (list []string) {
	f.Helper()
	for _, c := range f.lines {
		first, last := c.Cycles()
		working, err := c.At(background, pact.Working())
		must(f.T, err)
		states := []*pact.Snapshot{working}
		for cycle := first; cycle <= last; cycle++ {
			s, err := c.At(background, pact.Cycle(cycle))
			must(f.T, err)
			states = append(states, s)
		}
		for _, s := range states {
			data, err := s.Bytes(background)
			must(f.T, err)
			var doc map[string]any
			must(f.T, json.Unmarshal(data, &doc))
			modelErased(f.T, s, doc["root"].(map[string]any), ids)
			again, err := json.Marshal(doc)
			must(f.T, err)
			list = append(list, c.Name()+" "+string(again))
		}
	}
	return list
}

// modelErased empties nodes of a document.
func modelErased(t *testing.T, s *pact.Snapshot, node map[string]any, ids []string) {
	if kids, ok := node["children"].([]any); ok {
		for _, k := range kids {
			modelErased(t, s, k.(map[string]any), ids)
		}
	}
	delete(node, "content_hash") // what it is computed of is compared
	if !slices.Contains(ids, node["id"].(string)) || node[tree.ErasedName] != nil {
		return
	}
	receipt := make([]byte, 32)
	_, err := chance().Read(receipt)
	must(t, err)
	was, err := s.Node(node["id"].(string))
	must(t, err)
	mark, err := pact.Mark(background, fmt.Sprintf("%x", receipt), was)
	must(t, err)
	for name := range node {
		if strings.HasPrefix(name, "data_") || slices.Contains([]string{"tags", "key", "provenance", "mime", "encoding"},
			name) {
			delete(node, name)
		}
	}
	if node["content"] != nil {
		node["content"] = "[erased]"
	}
	node[tree.ErasedName] = mark
}
