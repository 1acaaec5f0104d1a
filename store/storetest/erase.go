package storetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

var salt = []byte("0123456789abcdef0123456789abcdef")

// erasing is an erasure as a program asks for it.
func (d *driver) erasing(ids ...string) store.Erase {
	return store.Erase{IDs: ids, Salt: salt, Guard: d.guard(), Entry: store.Entry{Actor: "officer", Message: "asked for", TimeNS: d.clock}}
}

func (d *driver) erase(e store.Erase) *store.Erased {
	d.Helper()
	done, err := d.store.Erase(background, d.state.Key, e)
	must(d.T, err)
	if done.Remains != "" {
		d.Errorf("not cleaned up: %s", done.Remains)
	}
	return done
}

// expect says what an erasure to come will lead to: what the same history would
// be had the nodes been empty from the beginning. Where that is another one, it
// returns true and counts the revision.
func (d *driver) expect(ids map[string]bool) (changed bool) {
	d.Helper()
	d.reload() // contents of what was read before may be in a store that is closed by now
	if len(d.snapshots) > 0 {
		list, err := d.store.History(background, d.state.Key, d.state.First, d.state.Cycle)
		must(d.T, err)
		for _, t := range list {
			d.snapshots[t.Cycle()] = t
		}
	}
	defer func() {
		if changed {
			d.state.Revision++
		}
	}()
	d.since = d.state.Stamps.Cycle
	again := func(t *tree.Tree) *tree.Tree {
		next := emptied(d.T, t, ids)
		if next.Digest() != t.Digest() {
			changed, d.since = true, min(d.since, t.Cycle())
		}
		return next
	}
	for cycle, t := range d.snapshots {
		d.snapshots[cycle] = again(t)
	}
	d.state.Head, d.state.Working = again(d.state.Head), again(d.state.Working)
	return changed
}

// emptied builds a tree anew, with gaps in the places of nodes.
func emptied(t *testing.T, from *tree.Tree, ids map[string]bool) *tree.Tree {
	t.Helper()
	index := map[string]int{}
	var list []tree.Placed
	for e, parent := range from.All() {
		p := tree.Placed{Node: e.Node(), Parent: -1}
		if parent != "" {
			p.Parent = index[parent]
		}
		if ids[e.Node().ID] {
			p.Node = emptyNode(t, e.Node())
		}
		index[e.Node().ID] = len(list)
		list = append(list, p)
	}
	built, err := tree.Build(from.Cycle(), list)
	must(t, err)
	return built
}

// emptyNode is what the documentation says is left of a node.
func emptyNode(t *testing.T, n *tree.Node) *tree.Node {
	t.Helper()
	if n.Header("pact:erased") != "" {
		return n
	}
	all, headers := map[string]any{"id": n.ID, "content": nil}, []tree.Header{}
	content, err := n.Content.Value(background)
	must(t, err)
	if content == "" {
		delete(all, "content")
	} else {
		all["content"] = content
	}
	for _, h := range n.Headers {
		all[h.Name] = h.Value
		switch text, _ := h.Value.Text(); {
		case h.Name == "role" && slices.Contains([]string{"user", "assistant", "tool", "system", "other"}, text),
			h.Name == "kind" && slices.Contains([]string{"text", "call", "result", "image", "audio", "summary"}, text),
			h.Name == "refs", h.Name == "pinned", h.Name == "removable":
			headers = append(headers, h)
		}
	}
	message, err := canon.Encode(all)
	must(t, err)
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(message))
	gap := *n
	gap.ForeignISO, gap.Content = "", tree.Content{}
	gap.Headers = append(headers, tree.Header{Name: "pact:erased", Value: canon.String(hex.EncodeToString(mac.Sum(nil)))})
	if content != "" {
		gap.Content = tree.Hold(`"[erased]"`)
	}
	return tree.NewNode(gap, nil)
}

// settled holds what the log records of the snapshots to the snapshots, and the
// last entry to an erasure.
func (d *driver) settled(ids []string) {
	d.Helper()
	log, err := d.store.Log(background, d.state.Key, 1, d.state.Revision)
	must(d.T, err)
	for i, e := range log {
		last := i == len(log)-1
		switch {
		case e.Kind == store.Commit || e.Kind == store.Forked:
			if t := d.snapshots[e.Cycle]; t != nil && (e.Digest != t.Digest().String() || e.Thread != t.ThreadDigest().String()) {
				d.Errorf("%s: the log records another digest of cycle %d than that of the snapshot", d.state.Name, e.Cycle)
			}
		case !last && e.Kind != store.Create && e.Cycle >= d.since && e.Digest != "":
			d.Errorf("%s: revision %d still has a digest", d.state.Name, e.Revision)
		}
	}
	e := log[len(log)-1]
	of := e.Erased()
	if e.Kind != store.Erasing || of == nil || e.Actor != "officer" || e.Message != "asked for" || e.Digest != d.state.Working.Digest().String() {
		d.Fatalf("%s: the log ends with %+v", d.state.Name, e)
	}
	if ids != nil && !slices.Equal(of.IDs, ids) {
		d.Errorf("%s: the log says that %q were erased, want %q", d.state.Name, of.IDs, ids)
	}
	if sum := sha256.Sum256(salt); of.Salt != hex.EncodeToString(sum[:]) {
		d.Errorf("the salt is said to be %s", of.Salt)
	}
}

func set(ids ...string) map[string]bool {
	m := map[string]bool{}
	for _, id := range ids {
		m[id] = true
	}
	return m
}

func testErase(t *testing.T, s Suite) {
	d := drive(t, s, "chat")
	var rule, gone, draft string
	d.edit(func(x *tree.Editor) {
		rule = add(t, x, "^sys", tree.Spec{Content: "obey Jane", Role: "system", Kind: "jane:kind", Key: "jane", Tags: []string{"jane"}, Attrs: map[string]any{"data_who": "Jane"}, TTL: tree.TTL(9)})
		spec := block("Jane was here")
		spec.TTL = tree.TTL(2)
		gone = add(t, x, "^ah", spec)
	})
	d.commit()
	d.commitWith(func(x *tree.Editor) { must(t, x.Update(rule, map[string]any{"content": "obey Joan"})) }, lifecycle.Input{})
	d.talk("three", "four")
	d.edit(func(x *tree.Editor) { draft = add(t, x, "^ah", block("a draft")) })
	d.edit(func(x *tree.Editor) { must(t, x.Update(draft, map[string]any{"content": "a better draft"})) })
	d.check()
	if d.state.Head.Has(gone) {
		t.Fatal("the node did not expire")
	}

	stale := d.erasing(rule)
	stale.Guard.Revision--
	for _, c := range []struct {
		e    store.Erase
		code fault.Code
	}{
		{stale, fault.Conflict},
		{d.erasing("nobody"), fault.NodeNotFound},
		{d.erasing(rule, "nobody"), fault.NodeNotFound},
		{store.Erase{IDs: []string{rule}, Guard: d.guard(), Entry: store.Entry{Message: "no salt"}}, fault.DocumentInvalid},
		{store.Erase{IDs: []string{rule}, Guard: d.guard(), Salt: salt}, fault.DocumentInvalid},
		{store.Erase{IDs: []string{rule}, Guard: d.guard(), Salt: salt, Entry: store.Entry{Message: "to obey Joan, of course"}}, fault.DocumentInvalid},
		{store.Erase{Revisions: []int64{99}, Guard: d.guard(), Salt: salt, Entry: store.Entry{Message: "why not"}}, fault.SnapshotNotFound},
	} {
		_, err := d.store.Erase(background, d.state.Key, c.e)
		wantCode(t, err, c.code)
	}
	_, err := d.store.Erase(background, d.state.Key+7, d.erasing(rule))
	wantCode(t, err, fault.Store)
	dry := d.erasing(rule, gone, draft)
	dry.DryRun = true
	if of := d.erase(dry); of.Versions != 4 || !slices.Equal(of.Contexts, []string{"chat"}) {
		t.Errorf("a dry run says %+v", of)
	}
	d.check()

	want := []string{rule, gone, draft}
	slices.Sort(want)
	e := d.erasing(rule, gone, draft)
	d.expect(set(want...))
	of := d.erase(e)
	if of.Versions != 4 || !slices.Equal(of.IDs, want) || !slices.Equal(of.Contexts, []string{"chat"}) {
		t.Errorf("erased %+v", of)
	}
	d.check()
	d.settled(want)
	first, err := d.store.Snapshot(background, d.state.Key, 1)
	must(t, err)
	if n := first.Node(rule); n.Kind != "" || n.Key != "" || n.Role != "system" || n.Has("data_who") || n.Expiry != 10 {
		t.Errorf("left is %+v", n)
	}
	if of := d.erase(d.erasing(rule, draft)); of.Versions != 0 || len(of.Contexts) != 0 {
		t.Errorf("erased again: %+v", of)
	}
	d.check()
	d.erase(store.Erase{})
	// The context goes on: drafts are sealed, gaps go as any other node.
	d.commit()
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove(rule)) }, lifecycle.Input{})
	d.check()
}

func testEraseBelow(t *testing.T, s Suite) {
	d := drive(t, s, "below")
	d.talk("one", "two")
	turn := d.state.Head.Region(tree.Seq).Children().At(0).Node().ID
	f := d.fork(1, "fork")
	for _, x := range []*driver{d, f} {
		x.commitWith(func(e *tree.Editor) {
			spec := block("attached to one")
			spec.Offset = 1
			spec.ID = "note-" + x.state.Name
			add(t, e, turn, spec)
		}, lifecycle.Input{})
	}
	e := d.erasing(turn)
	e.DryRun = true
	ids := set(d.erase(e).IDs...)
	e.DryRun = false
	d.expect(ids)
	f.expect(ids)
	of := d.erase(e)
	for _, id := range []string{turn, "block:1-0", "note-below", "note-fork"} {
		if !ids[id] {
			t.Errorf("%s was not erased: %v", id, of.IDs)
		}
	}
	checkAll(d, f)
	d.settled(nil)
	f.settled(nil)
}

func testEraseFamily(t *testing.T, s Suite) {
	a := drive(t, s, "a")
	a.talk("one", "two")
	b := a.fork(1, "b")
	b.talk("two of b")
	c := b.fork(2, "c")
	c.talk("three of c")
	a.talk("three")
	e := a.fork(3, "e") // of what b and c do not share
	must(t, b.store.Delete(background, b.state.Key))
	list := []*driver{a, c, e}
	checkAll(list...)

	own := "block:2-0-f1" // of b, which is deleted
	x := c.erasing(own)
	for _, d := range list {
		d.expect(set(own))
	}
	of := c.erase(x)
	if !slices.Equal(of.Contexts, []string{"c"}) {
		t.Errorf("the contexts are %v", of.Contexts)
	}
	checkAll(list...)
	c.settled([]string{own})

	x = c.erasing("block:1-0")
	for _, d := range list {
		d.expect(set("block:1-0"))
	}
	of = c.erase(x)
	if !slices.Equal(of.Contexts, []string{"a", "c", "e"}) {
		t.Errorf("the contexts are %v", of.Contexts)
	}
	checkAll(list...)
	for _, d := range list {
		d.settled([]string{"block:1-0"})
	}
	for _, d := range list {
		d.talk("and on")
	}
	late := a.fork(2, "late")
	checkAll(append(list, late)...)
}

func testEraseText(t *testing.T, s Suite) {
	d := drive(t, s, "text")
	const secret = "Jané \"J\" Doe"
	hidden := []tree.Spec{
		block(secret),
		block("ask " + secret + "!"),
		{Content: map[string]any{"deep": []any{map[string]any{secret: 1}}}},
		{Content: map[string]any{"arguments": `{"name":"Jan\u00e9 \"J\" Doe"}`}},
		{Content: "nothing", Attrs: map[string]any{"data_who": secret}},
		{Content: "nothing", Tags: []string{secret}},
		{Content: "nothing", Provenance: secret},
		{Content: []any{41.5, "5550199"}, Kind: "text"},
	}
	var ids []string
	var other string
	d.edit(func(x *tree.Editor) {
		for _, spec := range hidden {
			ids = append(ids, add(t, x, "^ah", spec))
		}
		other = add(t, x, "^ah", block("Jané is somebody else"))
	})
	c := store.Change{Before: d.state.Working, After: d.state.Working, Stamps: d.state.Stamps}
	c = d.committed(c, lifecycle.Input{})
	c.Entry.Message, c.Entry.Request, c.Entry.Actor = "for "+secret, secret, "clerk"
	d.apply(c)
	d.talk("two")

	e := d.erasing()
	e.Texts = []string{secret, "5550199"}
	e.Entry.Message = "asked for by " + secret
	_, err := d.store.Erase(background, d.state.Key, e)
	wantCode(t, err, fault.DocumentInvalid)
	e.Entry.Message = "asked for"
	d.expect(set(ids...))
	of := d.erase(e)
	if want := slices.Sorted(slices.Values(ids)); !slices.Equal(of.IDs, want) || of.Entries != 1 {
		t.Errorf("erased %+v, want %v", of, want)
	}
	if d.state.Head.Node(other) == nil {
		t.Fatal("no other node")
	}
	d.check()
	d.settled(of.IDs)
	log, err := d.store.Log(background, d.state.Key, 1, 99)
	must(t, err)
	if e := log[2]; e.Message != store.Blank || e.Actor != store.Blank || e.Request != "" || string(e.Report) != store.BlankReport {
		t.Errorf("the entry is %+v", e)
	}
	if found, err := d.store.Request(background, d.state.Key, secret); err != nil || found != nil {
		t.Errorf("the token is still there: %+v, %v", found, err)
	}
	if strings.Contains(fmt.Sprint(log), "Doe") {
		t.Errorf("the log still says it: %v", log)
	}

	// An entry by its number.
	e = d.erasing()
	e.Revisions = []int64{4}
	if of := d.erase(e); of.Entries != 1 || of.Versions != 0 {
		t.Errorf("erased %+v", of)
	}
	d.state.Revision++
	d.check()
	if log, err = d.store.Log(background, d.state.Key, 4, 4); err != nil || log[0].Message != store.Blank || log[0].Digest == "" {
		t.Errorf("the entry is %+v, %v", log[0], err)
	}

	// Where it cannot go.
	d.edit(func(x *tree.Editor) {
		spec := block("of Jim")
		spec.ID = "Jim-1"
		add(t, x, "^ah", spec)
		add(t, x, "^ah", tree.Spec{Type: "block:Joe"})
	})
	for _, text := range []string{"Jim", "Joe", "text"} {
		e := d.erasing()
		e.Texts = []string{text}
		_, err := d.store.Erase(background, d.state.Key, e)
		wantCode(t, err, fault.DocumentInvalid)
	}
	e = d.erasing()
	e.Texts = []string{"block", "2-0"} // what generated ids consist of is nobody's
	if of := d.erase(e); of.Versions != 0 {
		t.Errorf("erased %+v", of)
	}
	d.check()
}

// testEraseRandom makes families of random histories with erasures in between,
// and compares them with histories in which the nodes were empty all along.
func testEraseRandom(t *testing.T, s Suite) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 67))
			family := []*random{{drive(t, s, "0"), rnd}}
			erased := 0
			for i := range 120 {
				at := rnd.IntN(len(family))
				switch r := family[at]; {
				case len(r.snapshots) > 0 && rnd.IntN(14) == 0:
					cycle := r.state.First + int64(rnd.IntN(len(r.snapshots)))
					family = append(family, &random{r.fork(cycle, fmt.Sprint("fork ", i)), rnd})
				case len(family) > 3 && rnd.IntN(20) == 0:
					must(t, r.store.Delete(background, r.state.Key))
					family = append(family[:at], family[at+1:]...)
				case i > 10 && rnd.IntN(9) == 0:
					if eraseSome(family, r) {
						erased++
					}
				default:
					r.act()
				}
				if i%40 == 39 {
					list := make([]*driver, len(family))
					for k, r := range family {
						list[k] = r.driver
					}
					checkAll(list...)
				}
			}
			if erased == 0 {
				t.Error("nothing was erased")
			}
		})
	}
}

func eraseSome(family []*random, r *random) bool {
	r.Helper()
	var all []string
	for id := range r.ids() {
		if r.state.Working.Has(id) || len(r.snapshots) > 0 && slices.ContainsFunc(slices.Collect(maps.Values(r.snapshots)), func(t *tree.Tree) bool { return t.Has(id) }) {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	var ids []string
	for range 1 + r.IntN(3) {
		if id := all[r.IntN(len(all))]; id != "root" && id != "seq" && id != "sys" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return false
	}
	e := r.erasing(ids...)
	e.DryRun = true
	below := set(r.erase(e).IDs...)
	e.DryRun = false
	var concerned []*random
	for _, other := range family {
		if other.expect(below) {
			concerned = append(concerned, other)
		}
	}
	of := r.erase(e)
	for _, other := range concerned {
		other.settled(nil)
	}
	for _, id := range ids {
		below[id] = true
	}
	for _, other := range family {
		for id := range below { // nothing below is left
			for _, t := range other.snapshots {
				if e := t.Entry(id); e != nil {
					for k := range e.Children().All() {
						if !k.Node().Erased() {
							r.Errorf("%s is below %s and was not erased", k.Node().ID, id)
						}
					}
				}
			}
		}
	}
	return of.Versions > 0
}

func testEraseAttempts(t *testing.T, s Suite) {
	d := drive(t, s, "a")
	try := func(d *driver, said string) {
		t.Helper()
		a := d.start(call(d.state.Stamps.Cycle))
		a.Status, a.Error = store.Failed, said
		d.end(a)
	}
	d.edit(func(x *tree.Editor) { add(t, x, "^sys", tree.Spec{ID: "rule", Content: "Jane rules"}) })
	try(d, "of the working state of cycle 1")
	d.talk("one")
	try(d, "of the working state of cycle 2, before the rule went")
	d.commitWith(func(x *tree.Editor) { must(t, x.Remove("rule")) }, lifecycle.Input{})
	try(d, "of what never had the rule")
	d.commit()
	f := d.fork(1, "f")
	try(f, "of the fork")
	try(d, "about Joan")
	checkAll(d, f)

	e := d.erasing("rule")
	d.expect(set("rule"))
	f.expect(set("rule"))
	if of := d.erase(e); of.Attempts != 3 || of.Versions != 1 {
		t.Errorf("erased %+v", of)
	}
	for _, a := range []*store.Attempt{d.attempts[0], d.attempts[1], f.attempts[1]} {
		a.Thread, a.Error = strings.Repeat("0", 64), store.Blank
	}
	checkAll(d, f)

	e = f.erasing()
	e.Texts = []string{"Joan"}
	if of := f.erase(e); of.Attempts != 1 || !slices.Equal(of.Contexts, []string{"a"}) {
		t.Errorf("erased %+v", of)
	}
	d.attempts[3].Error = store.Blank
	d.state.Revision++
	checkAll(d, f)
}
