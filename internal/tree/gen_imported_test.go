package tree_test

import "pgregory.net/rapid"

// genImported draws a tree of the model as a foreign document may bring it: elided and
// explicit cores, unknown types with and without children, content in ^ah.
func genImported(t *rapid.T) *modelTree {
	w := newModelTree()
	w.cycle = 3
	put := func(typ, parent string, offset int64) string {
		r := &modelNode{typ: typ, parent: parent, offset: offset, cycle: int64(below(t, 4, "cycle")), expiry: never,
			headers: map[string]any{}}
		if r.content = pick(t, "content", genContents...); namedClass(typ) != "block" {
			r.content = nil
		}
		if rarely(t, 6, "finite") {
			r.expiry = int64(1 + below(t, 6, "expiry"))
		}
		return w.put(r)
	}
	fill := func(parent string, offset int64) {
		for range below(t, 3, "blocks") {
			put(pick(t, "leaf", "block", "cb:note", "x:note"), parent, offset)
		}
	}
	group := func(parent string, offset int64) {
		if rapid.Bool().Draw(t, "group") {
			g := put(pick(t, "group type", "cont", "x:list"), parent, offset)
			fill(g, 0)
			fill(g, 1)
		}
	}
	exchange := func(turn string) {
		fill(turn, -1)
		if rapid.Bool().Draw(t, "explicit core") {
			fill(put("mc", turn, 0), 0)
			if rarely(t, 4, "a block beside it") {
				put("block", turn, 0)
			}
		} else {
			fill(turn, 0)
		}
		group(turn, 1)
	}
	fill("sys", 0)
	group("sys", 0)
	for range below(t, 4, "turns") {
		exchange(put(pick(t, "turn type", "mt", "seg", "x:turn"), "seq", 0))
	}
	exchange("ah")
	w.publish()
	w.cycle, w.next = 4, 0
	return w
}
