package pact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// chance gives the same bytes in every test: what is random is not tested here.
func chance() io.Reader { return rand.NewChaCha8([32]byte{7}) }

func erasure(ids ...string) pact.Erasure {
	return pact.Erasure{IDs: ids, Reason: "asked for", Actor: "officer", Random: chance()}
}

// stores are both stores, empty.
func stores(t *testing.T) map[string]store.Store {
	t.Helper()
	file, err := sqlite.Open(background, filepath.Join(t.TempDir(), "pact.db"))
	must(t, err)
	t.Cleanup(func() { file.Close() })
	return map[string]store.Store{"memory": store.NewMemory(), "sqlite": file}
}

func textOf(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	b, err := s.Bytes(background)
	must(t, err)
	thread, err := s.Thread(background)
	must(t, err)
	return string(b) + string(thread)
}

// TestEraseReachesOpenContexts has several contexts open at once, each with the
// text in memory, one with a candidate that is about to be published.
func TestEraseReachesOpenContexts(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := create(t, s)
			must(t, c.Edit(background, say("I am Jane Doe")))
			_, err := c.Commit(background)
			must(t, err)
			must(t, c.Edit(background, say("Jane again")))
			same, err := pact.Open(background, s, "c", pact.WithClock(steps()))
			must(t, err)
			fork, err := c.Fork(background, pact.Cycle(1), "fork")
			must(t, err)
			other, err := pact.Create(background, s, "other")
			must(t, err)
			all := []*pact.Context{c, same, fork}
			for _, x := range all {
				_, err := x.Prepare(background)
				must(t, err)
			}
			revision := other.Revision()

			dry := pact.Erasure{Texts: []string{"Jane"}, DryRun: true}
			of, err := c.Erase(background, dry)
			must(t, err)
			if of.Versions != 2 || of.Receipt != "" || !strings.Contains(textOf(t, fork.Working()), "Jane") {
				t.Errorf("a dry run says %+v", of)
			}
			of, err = c.Erase(background, pact.Erasure{Texts: []string{"Jane"}, Reason: "asked for", Random: chance()})
			must(t, err)
			if of.Versions != 2 || len(of.Receipt) != 64 || !slices.Equal(of.Contexts, []string{"c", "fork"}) {
				t.Errorf("erased %+v", of)
			}
			for _, x := range all {
				snapshot, err := x.At(background, pact.Cycle(1))
				must(t, err)
				if text := textOf(t, x.Working()) + textOf(t, snapshot); strings.Contains(text, "Jane") || !strings.Contains(text, "[erased]") {
					t.Errorf("%s still has %s", x.Name(), text)
				}
			}
			if other.Revision() != revision {
				t.Error("another context has moved on")
			}
			published, err := c.Commit(background)
			must(t, err)
			if strings.Contains(textOf(t, published), "Jane") {
				t.Error("the candidate was published as it was prepared")
			}
			if _, err := same.Commit(background); !errors.Is(err, pact.ErrConflict) {
				t.Errorf("a context that does not know of the commit: %v", err)
			}
			if _, err := fork.Commit(background); err != nil {
				t.Error(err)
			}
			if list := verdicts(t, s); len(list) > 0 {
				t.Errorf("verify says %q", list)
			}
		})
	}
}

func TestEraseRefusals(t *testing.T) {
	c := create(t, store.NewMemory())
	must(t, c.Edit(background, say("I am Jane Doe")))
	_, err := c.Commit(background)
	must(t, err)
	for _, x := range []struct {
		e    pact.Erasure
		want error
	}{
		{erasure("nobody"), pact.ErrNodeNotFound},
		{pact.Erasure{IDs: []string{"cb:1-0"}, Reason: "why"}, pact.ErrDocumentInvalid},
		{pact.Erasure{IDs: []string{"cb:1-0"}, Random: chance()}, pact.ErrDocumentInvalid},
		{pact.Erasure{IDs: []string{"cb:1-0"}, Reason: "why", Random: bytes.NewReader(make([]byte, 31))}, pact.ErrStore},
		{pact.Erasure{Texts: []string{"Jane"}, Reason: "Jane asked", Random: chance()}, pact.ErrDocumentInvalid},
		{pact.Erasure{IDs: []string{"cb:1-0"}, Reason: "said: I am Jane Doe", Random: chance()}, pact.ErrDocumentInvalid},
		{pact.Erasure{Revisions: []int64{9}, Reason: "why", Random: chance()}, pact.ErrSnapshotNotFound},
	} {
		if _, err := c.Erase(background, x.e); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.e, err, x.want)
		}
	}
	err = c.Edit(background, func(b *pact.Batch) error {
		_, err := b.Add("^ah", pact.Spec{Attrs: map[string]any{pact.ErasedName: "x"}})
		return err
	})
	if !errors.Is(err, pact.ErrDocumentInvalid) {
		t.Errorf("a gap by hand: %v", err)
	}
}

// TestErasureMendsNothing damages a value, erases something else, and looks
// whether the damage is still found.
func TestErasureMendsNothing(t *testing.T) {
	d := damage(t)
	r := rand.New(rand.NewPCG(17, 4))
	intact, err := os.ReadFile(d.path)
	must(t, err)
	flips := 0
	for table := range tables {
		for _, c := range d.cells(table) {
			if table == "context" && (c.column == "name" || c.column == "forks" || c.column == "deleted" || c.column == "erasures") || !thorough() && r.IntN(12) > 0 {
				continue
			}
			if err := d.set(c, c.at, flip(r, c.value)); err != nil {
				continue
			}
			flips++
			if done := d.erase("rule"); done && len(d.found()) == 0 && !d.erased(c) {
				t.Errorf("mended: %v", c)
			}
			must(t, d.db.Close())
			for _, name := range []string{d.path + "-wal", d.path + "-shm"} {
				os.Remove(name)
			}
			must(t, os.WriteFile(d.path, intact, 0o600))
			d.reopen()
		}
	}
	if !d.erase("rule") {
		t.Error("what is whole cannot be erased")
	}
	if list := d.found(); len(list) > 0 {
		t.Errorf("undamaged, it does not hold: %q", list)
	}
	t.Logf("%d flips", flips)
}

// erase reports whether an erasure was carried out.
func (d *damaged) erase(id string) bool {
	d.Helper()
	s, err := sqlite.Open(background, d.path)
	if err != nil {
		return false
	}
	defer s.Close()
	c, err := pact.Open(background, s, "c")
	if err != nil {
		return false
	}
	_, err = c.Erase(background, erasure(id))
	return err == nil
}

// erased reports whether a damaged value is one that the erasure of the rule
// takes away: its content, whatever stood there.
func (d *damaged) erased(c cell) bool {
	if c.table != "content" {
		return false
	}
	var body []byte
	return d.db.QueryRow("SELECT body FROM content WHERE no = ?", c.at[0]).Scan(&body) == nil && string(body) == `"[erased]"`
}

// TestErasedHistoriesGoOn makes random families of contexts in a file, erases
// in between, and holds every snapshot to its document from before with the
// nodes emptied. Nothing of what was erased is in the bytes of the file.
func TestErasedHistoriesGoOn(t *testing.T) {
	seeds := uint64(8)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		f := &people{T: t, Rand: rand.New(rand.NewPCG(seed, 23)), path: filepath.Join(t.TempDir(), "pact.db"), secrets: map[string]string{}}
		s, err := sqlite.Open(background, f.path)
		must(t, err)
		f.store, f.lines = s, []*pact.Context{create(t, s)}
		for range 60 {
			f.step()
		}
		if f.erasures == 0 {
			t.Errorf("seed %d: nothing was erased", seed)
		}
		must(t, s.Close())
	}
}

// people are contexts in which every text is a secret of its own.
type people struct {
	*testing.T
	*rand.Rand
	store           store.Store
	path            string
	lines           []*pact.Context
	secrets         map[string]string // text by id
	forks, erasures int
}

func (f *people) step() {
	f.Helper()
	at := f.IntN(len(f.lines))
	c := f.lines[at]
	_, last := c.Cycles()
	var err error
	switch n := f.IntN(16); {
	case n < 7:
		err = c.Edit(background, func(b *pact.Batch) error {
			id, err := b.Add([]string{"^ah", "^ah", "^sys"}[f.IntN(3)], pact.Spec{Role: "user", Kind: "text", Offset: int64(f.IntN(2))})
			if err != nil {
				return err
			}
			return f.write(b, id)
		}, pact.WithMessage(fmt.Sprint("edit ", f.Uint32())))
	case n < 8 && c.Working().Node("rule") == nil:
		err = c.Edit(background, func(b *pact.Batch) error {
			if _, err := b.Add("^sys", pact.Spec{ID: "rule", TTL: pact.TTL(int64(2 + f.IntN(9)))}); err != nil {
				return nil // the id was there before
			}
			return f.write(b, "rule")
		})
	case n < 8 && !c.Working().Node("rule").Erased():
		err = c.Edit(background, func(b *pact.Batch) error { return f.write(b, "rule") })
	case n < 12:
		_, err = c.Commit(background, pact.WithMessage("turn"))
	case n == 12 && last > 0:
		f.forks++
		var fork *pact.Context
		if fork, err = c.Fork(background, pact.Cycle(1+f.Int64N(last)), fmt.Sprint("fork ", f.forks)); err == nil {
			f.lines = append(f.lines, fork)
		}
	case n == 13 && last > 1:
		var old string
		if old, err = c.Undo(background); err == nil {
			var line *pact.Context
			line, err = pact.Open(background, f.store, old, pact.WithClock(steps()))
			f.lines = append(f.lines, line)
		}
	case n > 13 && len(f.secrets) > 3:
		f.erase(c)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// write gives a node a text that nothing else has. The one before goes on being
// looked for: the version may be in a snapshot.
func (f *people) write(b *pact.Batch, id string) error {
	text := fmt.Sprintf("secret %x of %s", f.Uint64(), id)
	f.secrets[text] = id
	return b.Update(id, map[string]any{"content": map[string]any{"said": text}, "data_note": text})
}

// erase takes some nodes out and compares everything.
func (f *people) erase(c *pact.Context) {
	f.Helper()
	var all []string
	first, last := c.Cycles()
	for n := range c.Working().Nodes() {
		all = append(all, n.ID)
	}
	if last >= first {
		for s, err := range c.History(background, pact.Cycle(first), pact.Latest) {
			must(f.T, err)
			for n := range s.Nodes() {
				all = append(all, n.ID)
			}
		}
	}
	var ids []string
	for range 1 + f.IntN(2) {
		if id := all[f.IntN(len(all))]; !slices.Contains([]string{"root", "sys", "seq"}, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	plan, err := c.Erase(background, pact.Erasure{IDs: ids, DryRun: true})
	must(f.T, err)
	want := f.documents(plan.IDs)
	of, err := c.Erase(background, erasure(ids...))
	must(f.T, err)
	if of.Remains != "" || !slices.Equal(of.IDs, plan.IDs) {
		f.Fatalf("erased %+v, planned %+v", of, plan)
	}
	got := f.documents(nil)
	for i := range want {
		if got[i] != want[i] {
			f.Fatalf("erased %v\n got %s\nwant %s", of.IDs, got[i], want[i])
		}
	}
	if list := verdicts(f.T, f.store); len(list) > 0 {
		f.Fatalf("verify says %q", list)
	}
	var data []byte
	for _, suffix := range []string{"", "-wal", "-shm"} {
		part, err := os.ReadFile(f.path + suffix)
		must(f.T, err)
		data = append(data, part...)
	}
	for text, id := range f.secrets {
		if slices.Contains(of.IDs, id) {
			delete(f.secrets, text)
			if bytes.Contains(data, []byte(text)) {
				f.Fatalf("%s is still in the file", text)
			}
		}
	}
	f.erasures++
}

// documents are all snapshots of all lines and what is being worked on, with
// some nodes emptied.
func (f *people) documents(ids []string) (list []string) {
	f.Helper()
	for _, c := range f.lines {
		first, last := c.Cycles()
		states := []*pact.Snapshot{c.Working()}
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
			empty(f.T, s, doc["root"].(map[string]any), ids)
			again, err := json.Marshal(doc)
			must(f.T, err)
			list = append(list, c.Name()+" "+string(again))
		}
	}
	return list
}

// empty empties nodes of a document.
func empty(t *testing.T, s *pact.Snapshot, node map[string]any, ids []string) {
	if kids, ok := node["children"].([]any); ok {
		for _, k := range kids {
			empty(t, s, k.(map[string]any), ids)
		}
	}
	delete(node, "content_hash") // what it is computed of is compared
	if !slices.Contains(ids, node["id"].(string)) || node[pact.ErasedName] != nil {
		return
	}
	receipt := make([]byte, 32)
	_, err := chance().Read(receipt)
	must(t, err)
	mark, err := pact.Mark(background, fmt.Sprintf("%x", receipt), s.Node(node["id"].(string)))
	must(t, err)
	for name := range node {
		if strings.HasPrefix(name, "data_") || slices.Contains([]string{"tags", "key", "provenance", "mime", "encoding"}, name) {
			delete(node, name)
		}
	}
	if node["content"] != nil {
		node["content"] = "[erased]"
	}
	node[pact.ErasedName] = mark
}

// TestVerifyBesideErasures verifies while turns are erased, one after the other:
// what is read half before and half after is no damage.
func TestVerifyBesideErasures(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			c := create(t, s)
			for i := range 12 {
				must(t, c.Edit(background, say(fmt.Sprint("turn ", i))))
				_, err := c.Commit(background)
				must(t, err)
			}
			other, err := pact.Open(background, s, "c")
			must(t, err)
			done := make(chan error, 1)
			go func() {
				for i := range 12 {
					e := erasure(fmt.Sprintf("cb:%d-0", i+1))
					e.Random = rand.NewChaCha8([32]byte{byte(i)})
					if _, err := c.Erase(background, e); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			for {
				r, err := pact.Verify(background, other, nil)
				must(t, err)
				if r.Broken != nil {
					t.Fatalf("broken: %+v", r.Broken)
				}
				select {
				case err := <-done:
					must(t, err)
					r, err := pact.Verify(background, other, nil)
					if err != nil || r.Erased != 12 || len(r.Erasures) != 12 {
						t.Errorf("at the end %+v, %v", r, err)
					}
					return
				default:
				}
			}
		})
	}
}
