package tree_test

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// same holds a tree to the model: order, places, headers, bytes, sums, index.
// w must be frozen.
func same(t failer, tr *tree.Tree, w *modelTree) {
	t.Helper()
	doc := w.document()
	var order, parents []string
	for p := range sure.All(tr.All()) {
		e, parent := p.Entry, p.Parent
		order, parents = append(order, e.Node().ID), append(parents, parent)
	}
	equal(t, "document order", order, ids(doc))
	equal(t, "number of nodes", tr.Len(), len(doc))
	for i, r := range doc {
		equal(t, "parent of "+r.id, parents[i], r.parent)
		equal(t, "index: parent of "+r.id, sure.Get(tr.Parent(r.id)), r.parent)
		sameNode(t, tr, w, r)
	}
	for _, id := range []string{"nobody", "", "alpha", "block:1-5"} {
		equal(t, "has "+id, sure.Get(tr.Has(id)), w.nodes[id] != nil)
		equal(t, "entry of "+id, sure.Get(tr.Entry(id)) != nil, w.nodes[id] != nil)
	}
	sameReferrers(t, tr, w)
	sameThread(t, tr, w)
}

// sameNode compares one node with that of the model, its place and the sums over it.
func sameNode(t failer, tr *tree.Tree, w *modelTree, r *modelNode) {
	t.Helper()
	n := sure.Get(tr.Node(r.id))
	if n == nil {
		t.Fatalf("the index has lost %s", r.id)
	}
	equal(t, "mandatory headers of "+r.id,
		[]any{n.ID, n.Type, n.Offset, n.Priority, n.Cycle, n.CreatedNS, n.Index, n.Expiry},
		[]any{r.id, r.typ, r.offset, r.priority, r.cycle, r.ns, r.index, r.expiry})
	headers := map[string]string{}
	for _, h := range n.Headers {
		headers[h.Name] = string(h.Value)
	}
	want := map[string]string{}
	for name, v := range r.headers {
		want[name] = dump(v)
	}
	equal(t, "optional headers of "+r.id, headers, want)
	content, err := n.Content.Value(background)
	wantContent := ""
	if r.content != nil {
		wantContent = dump(r.content)
	}
	if err != nil || string(content) != wantContent || n.Content.Size() != len(wantContent) {
		t.Fatalf("content of %s\n got %s, %d bytes, error %v\nwant %s", r.id, content, n.Content.Size(), err, wantContent)
	}
	equal(t, "content hash of "+r.id, n.ContentHash(), contentHash(r))
	ttl, finite := n.TTL(tr.Cycle())
	if finite != (r.expiry != never) || finite && ttl != max(0, r.expiry-tr.Cycle()) {
		t.Fatalf("ttl of %s at cycle %d: got %d, %v; want expiry %d", r.id, tr.Cycle(), ttl, finite, r.expiry)
	}
	e := sure.Get(tr.Entry(r.id))
	if e.Node() != n {
		t.Fatalf("index and tree hold different versions of %s", r.id)
	}
	if path := w.path(r.id); len(path) > 1 {
		above := sure.Get(tr.Path(r.id))
		for i, e := range above {
			above[i] = e
			equal(t, "path of "+r.id, e.Node().ID, path[i])
		}
		equal(t, "length of the path of "+r.id, len(above), len(path))
	}
	equal(t, "class of "+r.id, e.Class().String(), w.class(r.id))
	sameSum(t, *e.Summary(), w, r)
	sameList(t, e.Children(), w.kids(r.id))
}

// sameSum adds up everything at and below a node by hand.
func sameSum(t failer, got tree.Summary, w *modelTree, r *modelNode) {
	t.Helper()
	want := tree.Summary{Expiry: never}
	for _, n := range w.below(r.id) {
		want.Nodes++
		if n.expiry != never {
			want.Finite++
		}
		want.Expiry = min(want.Expiry, n.expiry)
		marks := tree.Marks{Types: tree.Mark(n.typ) | tree.Mark(w.class(n.id)), Keys: tree.Mark(n.id)}
		if role, ok := n.headers["role"].(string); ok {
			marks.Roles = tree.Mark(role)
		}
		if kind, ok := n.headers["kind"].(string); ok {
			marks.Kinds = tree.Mark(kind)
		}
		if key, ok := n.headers["key"].(string); ok {
			marks.Keys |= tree.Mark(key)
		}
		tags, _ := n.headers["tags"].([]string)
		for _, tag := range tags {
			marks.Keys |= tree.Mark(tag)
		}
		if !got.Marks.May(marks) {
			t.Fatalf("the marks of %s deny what %s below it has", r.id, n.id)
		}
		switch w.class(n.id) {
		case "container":
			want.Containers++
		case "block":
			want.Blocks++
			want.Bytes += int64(len(render(n, "user")))
			if n.headers["role"] == nil {
				want.Roleless++
			}
		}
	}
	got.Marks = tree.Marks{}
	equal(t, "summary of "+r.id, got, want)
}

// sameList compares ranks and ranges with a slice.
func sameList(t failer, l *tree.List, want []*modelNode) {
	t.Helper()
	equal(t, "length of the list", l.Len(), len(want))
	for i, r := range want {
		equal(t, "rank", sure.Get(l.At(i)).Node().ID, r.id)
	}
	for lo := -1; lo <= len(want)+1; lo += 1 + len(want)/4 {
		for hi := lo; hi <= len(want)+1; hi += 1 + len(want)/4 {
			got := []string{}
			for e := range sure.All(l.Visit(lo, hi, nil)) {
				got = append(got, e.Node().ID)
			}
			equal(t, "range of the list", got, ids(want[min(max(lo, 0), len(want)):max(0, min(hi, len(want)))]))
		}
	}
}

func sameReferrers(t failer, tr *tree.Tree, w *modelTree) {
	t.Helper()
	want := map[string][]string{}
	for _, r := range w.nodes {
		refs, _ := r.headers["refs"].([]string)
		for _, to := range refs {
			if !slices.Contains(want[to], r.id) {
				want[to] = append(want[to], r.id)
			}
		}
	}
	for _, to := range append(sortedIDs(w), "nobody", "sys") {
		var got []string
		for from := range sure.All(tr.Referrers(to)) {
			got = append(got, from)
		}
		slices.Sort(got)
		slices.Sort(want[to])
		equal(t, "referrers of "+to, got, want[to])
	}
}

// sameThread compares the canonical thread, its size at every length, and the
// blocks from every position on; of a long thread some lengths and positions.
func sameThread(t failer, tr *tree.Tree, w *modelTree) {
	t.Helper()
	want := w.thread()
	var out strings.Builder
	if err := tr.WriteThread(background, &out); err != nil || out.String() != "["+strings.Join(want, ",")+"]" {
		t.Fatalf("thread, error %v\n got %s\nwant [%s]", err, out.String(), strings.Join(want, ","))
	}
	blocks, size := tr.ThreadSize()
	equal(t, "blocks of the thread", blocks, len(want))
	equal(t, "bytes of the thread", size, int64(out.Len()))
	list := w.blocks(w.root())
	for n := 0; n <= len(want)+1; n += 1 + len(want)/50 {
		head := want[:min(n, len(want))]
		prefix := "[" + strings.Join(head, ",")
		if len(head) == len(want) {
			prefix += "]"
		}
		count, size := sure.Get2(tr.ThreadPrefix(n))
		equal(t, "blocks and bytes of a prefix", []int64{int64(count), size}, []int64{int64(len(head)), int64(len(prefix))})
		from, wantFrom := []string{}, []string{}
		for b := range sure.All(tr.Blocks(n)) {
			from = append(from, b.Node().ID+" in "+b.Region.String())
		}
		for _, r := range list[len(head):] {
			wantFrom = append(wantFrom, r.id+" in "+w.regionOf(r.id))
		}
		equal(t, "blocks from a position on", from, wantFrom)
	}
}
