package pact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// page is a state as its exported document and its rendered thread show it:
// all that the naive reports go by.
type page struct {
	cycle   int64
	order   []string // document order
	headers map[string]map[string]any
	kids    map[string][]string
	thread  string
	objects map[string]string // of the thread, by id
	blocks  []string          // ids in the order of the thread
}

func pageOf(t *testing.T, s *pact.Snapshot) *page {
	t.Helper()
	p := &page{cycle: s.Cycle(), headers: map[string]map[string]any{}, kids: map[string][]string{},
		objects: map[string]string{}}
	data, err := s.Bytes(background)
	must(t, err)
	var doc struct{ Root map[string]any }
	d := json.NewDecoder(bytes.NewReader(data))
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

func (p *page) below(id string) []string {
	list := []string{id}
	for _, k := range p.kids[id] {
		list = append(list, p.below(k)...)
	}
	return list
}

// own is what the range of a node must hold: the objects below it.
func (p *page) own(id string) string {
	var list []string
	for _, b := range p.below(id) {
		if o := p.objects[b]; o != "" {
			list = append(list, o)
		}
	}
	return strings.Join(list, ",")
}

func (p *page) checkRange(t *testing.T, id string, r *diff.Range) {
	t.Helper()
	switch {
	case (r != nil) != (p.headers[id] != nil):
		t.Fatalf("%s in cycle %d: range %v", id, p.cycle, r)
	case r != nil && p.thread[r.Start:r.End] != p.own(id):
		t.Fatalf("%s in cycle %d: the range %v is %s, want %s", id, p.cycle, r, p.thread[r.Start:r.End], p.own(id))
	}
}

// saga is a context with a random history and what its commits said.
type saga struct {
	context *pact.Context
	pages   []*page // of the snapshots, and of the working state
	removed map[string]diff.Cause
	actors  map[string]string // who added a node
}

func (s *saga) page(cycle int64) *page { return s.pages[cycle-1] }

func (s *saga) address(i int) pact.Address {
	if i == len(s.pages)-1 {
		return pact.Working
	}
	return pact.Cycle(int64(i) + 1)
}

// tell lets a context go through random cycles with everything that makes nodes
// come and go: lifetimes, groups that cascade, references, holders, budgets,
// requests to prune, moves, updates and removals, by two people.
func tell(t *testing.T, seed uint64, cycles int) *saga {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 41))
	c, err := pact.Create(background, store.NewMemory(), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps(), Counter: vowels{}}, Edition: selector.V01})
	must(t, err)
	s := &saga{context: c, removed: map[string]diff.Cause{}, actors: map[string]string{}}
	var ids []string
	edits := func(actor string) {
		try := func(f func(*pact.Batch)) bool { return try(t, c, &pact.Note{Actor: actor}, f) }
		for range 1 + r.IntN(5) {
			some := func() string {
				if len(ids) == 0 {
					return "^ah"
				}
				return ids[r.IntN(len(ids))]
			}
			switch r.IntN(13) {
			case 12:
				var group, child string
				ttl := pact.TTL(1 + r.Int64N(2))
				if !try(func(b *pact.Batch) {
					group = b.Add("^ah", pact.Spec{Type: "mc", Offset: 1, Removable: true})
					child = b.Add(group, pact.Spec{Content: map[string]any{"e": "ü"}, TTL: ttl})
				}) {
					t.Fatal("a group was refused")
				}
				s.actors[group], s.actors[child] = actor, actor
			case 0:
				try(func(b *pact.Batch) { b.Remove(some()) })
			case 1:
				try(func(b *pact.Batch) {
					b.Update(some(), map[string]any{"content": fmt.Sprint("text ", r.IntN(4)), "data_x": r.IntN(3)})
				})
			case 2:
				try(func(b *pact.Batch) { b.Update(some(), map[string]any{"priority": r.IntN(3), "tags": []string{"a"}}) })
			case 3:
				var id string
				if try(func(b *pact.Batch) { id = b.Move(some(), choose(r, "^ah", "^sys", some()), r.Int64N(3)-1) }) {
					ids = append(ids, id)
					s.actors[id] = actor
				}
			default:
				n := pact.Spec{Role: choose(r, "", "user", "tool"), Kind: choose(r, "", "text"), Key: choose(r, "", "", "K", "L"),
					Offset: r.Int64N(3) - 1, Content: fmt.Sprint("text ", r.IntN(6))}
				if r.IntN(3) == 0 {
					n.TTL = pact.TTL(r.Int64N(4))
				}
				if r.IntN(5) == 0 {
					n = pact.Spec{Type: "mc", Offset: 1, Removable: true}
				} else if r.IntN(6) == 0 && len(ids) > 0 {
					n.Refs = []string{some()}
				}
				var id string
				if try(func(b *pact.Batch) { id = b.Add(choose(r, "^ah", "^ah", "^sys", some()), n) }) {
					ids = append(ids, id)
					s.actors[id] = actor
				}
			}
		}
	}
	for range cycles {
		var release func()
		for range 1 + r.IntN(2) {
			who := choose(r, "ann", "bob")
			edits(who)
		}
		if r.IntN(3) == 0 {
			release, _ = c.Retain(choose(r, slices.Collect(maps.Keys(pageOf(t, c.Working()).headers))...))
		}
		var pruning pact.Pruning
		rule := "named"
		if r.IntN(3) == 0 {
			pruning.Policy = lifecycle.Policy{MaxNodes: 14, ProtectTurns: 1}
			rule = "max_nodes 14"
		} else if turns := c.Working().Tree().Root().Children().At(1).Children(); r.IntN(4) == 0 && turns.Len() > 2 {
			pruning.IDs = []string{turns.At(0).Node().ID}
		}
		snapshot, err := c.Commit(background, &pact.CommitOptions{Note: pact.Note{Actor: "committer"}, Pruning: &pruning})
		must(t, err)
		for _, gone := range snapshot.Report.Removed {
			kind := map[string]diff.Kind{"expired": diff.ByExpiry, "pruned": diff.ByPruning,
				"cascade": diff.ByCascade}[string(gone.Reason)]
			cause := diff.Cause{Kind: kind, Cycle: snapshot.Cycle()}
			if kind == diff.ByPruning {
				cause.Rule = rule
			}
			s.removed[gone.ID] = cause
		}
		if release != nil {
			release()
		}
		s.pages = append(s.pages, pageOf(t, snapshot))
	}
	edits("ann")
	s.pages = append(s.pages, pageOf(t, c.Working()))
	return s
}

// wantCause is what made a node differ between two states, by what commits said
// when they were made and by the documents between the two.
func (s *saga) wantCause(id string, older, newer int) diff.Cause {
	was, is := s.pages[older].headers[id], s.pages[newer].headers[id]
	cause := diff.Cause{Kind: diff.ByEdit}
	sealedKind := func(n map[string]any, p *page) bool {
		kind, parent := n["nodeType"].(string), n["parent"].(string)
		if kind == "mc" && p.headers[parent]["nodeType"] == "mt" && n["offset"] == json.Number("0") && s.actors[id] == "" {
			return true
		}
		return kind == "mt" || kind == "^ah"
	}
	for i := older + 1; i <= newer; i++ {
		last, now := s.pages[i-1].headers[id], s.pages[i].headers[id]
		switch {
		case was == nil && last == nil && now != nil, is == nil && last != nil && now == nil:
			cause.Cycle = s.pages[i].cycle
		case was != nil && is != nil && !reflect.DeepEqual(timeless(last), timeless(now)):
			cause.Cycle = s.pages[i].cycle
		}
	}
	switch {
	case is == nil && s.removed[id].Kind != "":
		return s.removed[id]
	case is == nil && sealedKind(was, s.pages[older]), was == nil && sealedKind(is, s.pages[newer]):
		cause.Kind = diff.BySeal
	case was != nil && is != nil && reflect.DeepEqual(timeless(was), timeless(is)):
		return diff.Cause{Kind: diff.ByTTL, Cycle: s.pages[newer].cycle}
	}
	return cause
}

// timeless are the headers without the ttl, except that a ttl may become none.
func timeless(n map[string]any) map[string]any {
	c := maps.Clone(n)
	if c["ttl"] != nil {
		c["ttl"] = "finite"
	}
	return c
}
