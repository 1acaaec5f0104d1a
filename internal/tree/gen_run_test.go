package tree_test

import (
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"pgregory.net/rapid"
)

// later is a version as another cycle sees it.
func (v version) later(cycle int64) version {
	v.tree = v.tree.WithCycle(cycle)
	return v
}

// genPair draws two versions of one run, each seen from some cycle.
func genPair(t *rapid.T, r *run) (version, version) {
	one := func(label string) version {
		v := r.versions[below(t, len(r.versions), label)]
		if rapid.Bool().Draw(t, "later") {
			return v.later(v.tree.Cycle() + int64(below(t, 4, "cycles later")))
		}
		return v
	}
	return one("a"), one("b")
}

func (r *run) last() version { return r.versions[len(r.versions)-1] }

// version is a tree of the past with what the model says it is.
type version struct {
	tree   *tree.Tree
	world  *modelTree
	digest tree.Digest
	sealed bool
}

// run is a context on its way through edits and seals, in the package and in
// the model side by side.
type run struct {
	t        *rapid.T
	world    *modelTree
	base     *tree.Tree
	editor   *tree.Editor
	versions []version
	quick    bool // leaves the comparison of every single step to TestEditsAgreeWithModel
}

func (r *run) keep(tr *tree.Tree, sealed bool) {
	w := r.world.frozen()
	if !r.quick {
		same(r.t, tr, w)
	}
	r.versions = append(r.versions, version{tr, w, tr.Digest(), sealed})
}

// batch begins a new editor where the last one stopped.
func (r *run) batch(working *tree.Tree, s tree.Stamps) {
	r.editor = tree.Edit(background, working.WithCycle(s.Cycle), r.base, s, r.world.env())
}

// step draws one edit and holds both sides to the same answer.
func (r *run) step() {
	o := genOp(r.t, r.world)
	before, stamps := r.editor.Tree().Digest(), r.editor.Stamps
	got, err := o.edit(r.editor)
	want, no := o.model(r.world)
	if !admits(no, err) {
		r.t.Fatalf("%v\n got %v\nwant %s", o, err, expected(no))
	}
	if err != nil {
		equal(r.t, "digest after a refused "+o.String(), r.editor.Tree().Digest(), before)
		equal(r.t, "stamps after a refused "+o.String(), r.editor.Stamps, stamps)
		return
	}
	equal(r.t, "id given by "+o.String(), got, want)
	equal(r.t, "stamps after "+o.String(), []int64{r.editor.LastNS, r.editor.Next}, []int64{r.world.last, r.world.next})
	r.keep(r.editor.Tree(), false)
}

func (r *run) seal() {
	tr, stamps, err := tree.Seal(r.editor.Tree(), r.editor.Stamps, r.world.env())
	if err != nil {
		r.t.Fatalf("seal: %v", err)
	}
	r.world.seal()
	equal(r.t, "stamps after a seal", []int64{stamps.Cycle, stamps.LastNS, stamps.Next},
		[]int64{r.world.cycle, r.world.last, r.world.next})
	r.keep(tr, true)
	r.base = tr
	r.batch(tr, stamps)
	r.shelve()
}

// shelve goes on with a tree of which some runs are in a store, as after it was
// opened anew.
func (r *run) shelve() {
	if rarely(r.t, 2, "shelve") {
		tr, _ := onShelf(r.t, r.base, func(tree.LazyRun, uint8) bool { return !rarely(r.t, 4, "keep") })
		equal(r.t, "digest with stubs", tr.Digest(), r.base.Digest())
		equal(r.t, "thread digest with stubs", tr.ThreadDigest(), r.base.ThreadDigest())
		r.base = tr
		r.batch(tr, r.editor.Stamps)
		r.keep(tr, true)
	}
}

// drop removes what a commit would: anything but regions and the nodes above
// the active head, whatever the editor would say.
func (r *run) drop() {
	var list []string
	for _, n := range r.world.document() {
		if c := r.world.class(n.id); c[0] != '^' && rarely(r.t, 12, "drop") {
			list = append(list, n.id)
		}
	}
	tr := sure.Get(r.editor.Tree().Without(append(list, "nobody")...))
	for _, id := range list {
		if r.world.nodes[id] != nil {
			r.world.drop(id)
		}
	}
	r.keep(tr, false)
	r.batch(tr, r.editor.Stamps)
}

// begin starts a run in a new context or in an imported one.
func begin(t *rapid.T, quick bool) *run {
	r := &run{t: t, world: newModelTree(), quick: quick}
	var stamps tree.Stamps
	if rapid.Bool().Draw(t, "imported") {
		r.world = genImported(t)
		r.base = built(t, r.world)
		stamps = tree.Stamps{Cycle: r.world.cycle, LastNS: r.world.last, Given: 99}
	} else {
		var err error
		if r.base, stamps, err = tree.New(r.world.env(), nil); err != nil {
			t.Fatalf("new: %v", err)
		}
	}
	equal(t, "first stamps", []int64{stamps.Cycle, stamps.LastNS, stamps.Next}, []int64{r.world.cycle, r.world.last,
		r.world.next})
	r.keep(r.base, true)
	r.batch(r.base, stamps)
	return r
}

func genRun(t *rapid.T) *run { return drive(begin(t, true)) }

func drive(r *run) *run {
	t := r.t
	for range 30 + below(t, 40, "steps") {
		r.world.now += int64(below(t, 9, "tick") - 3) // clocks do go back
		switch {
		case rarely(t, 15, "seal"):
			r.seal()
		case rarely(t, 30, "drop"):
			r.drop()
		case rarely(t, 15, "batch"):
			r.batch(r.editor.Tree(), r.editor.Stamps)
		default:
			r.step()
		}
	}
	return r
}
