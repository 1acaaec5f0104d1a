package provenance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
)

// versionHeaders are the headers that make up a version of a node.
func versionHeaders(n map[string]any) map[string]any {
	if n == nil {
		return nil
	}
	c := withoutTTL(n)
	delete(c, "parent")
	return c
}

// modelState is a state as its exported document and its rendered thread show it:
// all that the models of reports go by.
type modelState struct {
	cycle   int64
	order   []string // document order
	headers map[string]map[string]any
	kids    map[string][]string
	thread  string
	objects map[string]string // of the thread, by id
	blocks  []string          // ids in the order of the thread
}

func newModelState(t *testing.T, s *pact.Snapshot) *modelState {
	t.Helper()
	p := &modelState{cycle: s.Cycle(), headers: map[string]map[string]any{}, kids: map[string][]string{},
		objects: map[string]string{}}
	var data bytes.Buffer
	must(t, s.Export(background, &data))
	var doc struct{ Root map[string]any }
	d := json.NewDecoder(&data)
	d.UseNumber()
	must(t, d.Decode(&doc))
	var walk func(n map[string]any, parent string)
	walk = func(n map[string]any, parent string) {
		id := n["id"].(string)
		p.order = append(p.order, id)
		if parent != "" {
			p.kids[parent] = append(p.kids[parent], id)
		}
		children, _ := n["children"].([]any)
		delete(n, "children")
		n["parent"] = parent
		p.headers[id] = n
		for _, k := range children {
			walk(k.(map[string]any), id)
		}
	}
	walk(doc.Root, "")
	thread, err := s.Thread(background)
	must(t, err)
	p.thread = string(thread)
	var list []json.RawMessage
	must(t, json.Unmarshal(thread, &list))
	for _, raw := range list {
		var o struct{ ID string }
		must(t, json.Unmarshal(raw, &o))
		p.objects[o.ID], p.blocks = string(raw), append(p.blocks, o.ID)
	}
	return p
}

func (p *modelState) below(id string) []string {
	list := []string{id}
	for _, k := range p.kids[id] {
		list = append(list, p.below(k)...)
	}
	return list
}

// objectsBelow is what the range of a node must hold: the objects below it.
func (p *modelState) objectsBelow(id string) string {
	var list []string
	for _, b := range p.below(id) {
		if o := p.objects[b]; o != "" {
			list = append(list, o)
		}
	}
	return strings.Join(list, ",")
}

func (p *modelState) checkRange(t *testing.T, id string, r *diff.Range) {
	t.Helper()
	switch {
	case (r != nil) != (p.headers[id] != nil):
		t.Fatalf("%s in cycle %d: range %v", id, p.cycle, r)
	case r != nil && p.thread[r.Start:r.End] != p.objectsBelow(id):
		t.Fatalf("%s in cycle %d: the range %v is %s, want %s", id, p.cycle, r, p.thread[r.Start:r.End], p.objectsBelow(id))
	}
}

// withoutTTL are the headers without the ttl, except that a ttl may become none.
func withoutTTL(n map[string]any) map[string]any {
	c := maps.Clone(n)
	if c["ttl"] != nil {
		c["ttl"] = "finite"
	}
	return c
}

// tokens counts the contents of the first n blocks of the thread.
func (p *modelState) tokens(t *testing.T, n int) *int64 {
	t.Helper()
	sum := int64(0)
	for _, id := range p.blocks[:n] {
		switch content := p.headers[id]["content"].(type) {
		case nil:
		case string:
			sum += int64(vowels{}.Count(content))
		default: // the one that genRecordedHistory gives, as canonical JSON
			sum += int64(vowels{}.Count(`{"e":"\u00fc"}`))
		}
	}
	return &sum
}

// ofCycleZero are the nodes of a new context: root and regions.
func (p *modelState) ofCycleZero() *modelState {
	zero := &modelState{headers: map[string]map[string]any{}, kids: map[string][]string{}}
	for _, id := range p.order {
		if n := p.headers[id]; fmt.Sprint(n["cycle"]) == "0" {
			zero.headers[id] = n
			parent := n["parent"].(string)
			zero.kids[parent] = append(zero.kids[parent], id)
		}
	}
	return zero
}

func union(a, b map[string]map[string]any) map[string]bool {
	all := map[string]bool{}
	for id := range a {
		all[id] = true
	}
	for id := range b {
		all[id] = true
	}
	return all
}

func refers(n map[string]any, id string) bool {
	list, _ := n["refs"].([]any)
	return slices.Contains(list, any(id))
}
