package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"sort"
	"unsafe"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// content is a content that is read when it is needed.
type content struct {
	e          *Engine
	key        history.Key // of the branch that wrote it
	generation int64       // of the branch when the node was read
	at         place
	size       int
	of         *tree.Node
}

// node makes the node of a row that a branch has.
func (e *Engine) node(l *branch, r *row) *tree.Node {
	n := r.bare()
	if r.inline != "" {
		n.Content = tree.InMemory(canon.Value(r.inline))
	}
	if !r.placed() {
		return tree.NewNode(n, r.hash)
	}
	c := e.contentOf(l, r)
	n.Content = tree.From(r.size, c)
	c.of = tree.NewNode(n, r.hash)
	return c.of
}

// contentOf returns the content of a row that stands at a place.
func (e *Engine) contentOf(l *branch, r *row) *content {
	of := l.owner(r.at.revision)
	return &content{e: e, key: of.key, generation: of.generation, at: r.at, size: r.size}
}

// Read implements [tree.Source].
func (c *content) Read(ctx context.Context) (canon.Value, error) {
	v, err := c.get(ctx)
	if err == nil {
		err = c.proven(v)
	}
	if err != nil {
		return "", damageOf(c.of.Cycle, c.of.ID, err)
	}
	return v, nil
}

// get reads the content without comparing it with its hash.
func (c *content) get(ctx context.Context) (v canon.Value, err error) {
	if err := c.e.usable(); err != nil {
		return "", err
	}
	if v, ok := c.cached(); ok {
		if l, err := c.e.recentBranch(ctx, c.key); err != nil || l != nil && l.generation == c.generation {
			return v, err
		}
	}
	err = c.e.store.View(ctx, func(r store.Reader) error {
		l, err := readOne(ctx, r, c.key, nil)
		if err != nil {
			return err
		}
		if l == nil {
			return removedMeanwhile()
		}
		v, err = c.e.read(ctx, r, l, c.at)
		switch {
		case err == nil && l.generation != c.generation && (len(v) != c.size || c.proven(v) != nil):
			return removedMeanwhile()
		case err == nil && len(v) != c.size:
			return damaged("a content is not as long as it was")
		}
		return err
	})
	return v, err
}

// damageOf adds to the error for damage which node it concerns.
func damageOf(cycle int64, id string, err error) error {
	if d, _ := damageOrError(err); d != nil && d.Node == "" {
		return DamageErr(&history.Damage{Cycle: cycle, Node: id, What: d.What})
	}
	return err
}

// proven compares a content with its hash.
func (c *content) proven(v canon.Value) error {
	if !c.of.HashOK { // JSON cannot express the content
		return nil
	}
	is, ok := c.of.HashWith(v)
	if ok && is == c.of.Hash {
		return nil
	}
	return DamageErr(&history.Damage{Cycle: c.of.Cycle, Node: c.of.ID, What: "content hash", Recorded: c.of.ContentHash(),
		Found: is.String()})
}

// cached returns the content if its block or its revision was read before.
func (c *content) cached() (canon.Value, bool) {
	if held, ok := c.e.cache.get(cacheKey{c.key, c.generation, c.at.revision, partContents}).(map[place]string); ok {
		v, ok := held[c.at]
		return canon.Value(v), ok && len(v) == c.size
	}
	list, _ := c.e.cache.get(cacheKey{c.key, c.generation, 0, partSegments}).([]*segmentIndex)
	i := sort.Search(len(list), func(i int) bool { return list[i].last >= c.at.revision })
	if i == len(list) {
		return "", false
	}
	s, ok := c.e.cache.get(cacheKey{c.key, c.generation, list[i].last, partHead}).(*segment)
	if !ok {
		return "", false
	}
	found, ok := s.find(c.at)
	if !ok || found.size != c.size {
		return "", false
	}
	block, ok := c.e.cache.get(cacheKey{c.key, c.generation, s.last, found.block}).(string)
	if !ok || found.offset+found.size > len(block) {
		return "", false
	}
	return canon.Value(block[found.offset : found.offset+found.size]), true
}

// read reads a content from the segment or the row of the log that has it.
func (e *Engine) read(ctx context.Context, r store.Reader, l *branch, p place) (canon.Value, error) {
	x, err := e.indexOf(ctx, r, l, p.revision)
	if err != nil {
		return "", err
	}
	if x != nil {
		s, err := e.segment(ctx, r, l, x, wholeRecords)
		if err != nil {
			return "", err
		}
		if found, ok := s.find(p); ok {
			block, err := e.block(ctx, r, l, x, found.block)
			if err != nil {
				return "", err
			}
			if found.offset+found.size > len(block) {
				return "", damaged("a block is too short")
			}
			return canon.Value(block[found.offset : found.offset+found.size]), nil
		}
	}
	// An erasure may have left it to a later revision of the cycle.
	cut := store.Cut{Space: store.Space(l.key), First: max(1, l.number(p.revision)), Last: store.MaxNumber}
	for in, err := range r.Log(ctx, cut, store.Ascending) {
		if err != nil {
			return "", err
		}
		rec, err := l.recordIn(new(rows), in)
		if err != nil {
			return "", err
		}
		held := make(map[place]string)
		if err := contentsOf(rec, in, func(at *row, text string) { held[at.at] = text }); err != nil {
			return "", err
		}
		if v, found := held[p]; found {
			e.cache.put(cacheKey{l.key, l.generation, p.revision, partContents}, held, len(in.Rest)+100*len(held))
			return canon.Value(v), nil
		}
		if rec.publishes() {
			break
		}
	}
	return "", nil
}

// indexOf returns the index of the segment that may have a revision, nil if none does.
func (e *Engine) indexOf(ctx context.Context, r store.Reader, l *branch, revision int64) (*segmentIndex, error) {
	list, err := e.allSegments(ctx, r, l)
	i := sort.Search(len(list), func(i int) bool { return list[i].last >= revision })
	if err != nil || i == len(list) {
		return nil, err
	}
	return list[i], nil
}

// contentsOf calls f with each content that a row of the log holds apart from its nodes.
func contentsOf(x *record, in store.Record, f func(*row, string)) error {
	contents := in.Rest[:max(0, len(in.Rest)-sumSize)]
	if len(in.Rest) > 0 && !bytes.Equal(in.Rest[len(contents):], sumOf(in.Value[len(in.Value)-sumSize:], contents)) {
		return x.damagedContent(contents)
	}
	rest := unsafe.String(unsafe.SliceData(contents), len(contents))
	for i := range x.rows {
		r := &x.rows[i]
		if !r.hasContent {
			continue
		}
		if r.size > len(rest) {
			return damaged("the contents of a revision are too short")
		}
		f(r, rest[:r.size])
		rest = rest[r.size:]
	}
	return nil
}

// sumOf returns the sum of two parts.
func sumOf(first, second []byte) []byte {
	h := sha256.New()
	h.Write(first)
	h.Write(second)
	return h.Sum(nil)[:sumSize]
}

// damagedContent returns the error for contents that are not as they were written, and names the
// first node whose content it is, if one is.
func (x *record) damagedContent(contents []byte) error {
	d := &history.Damage{Cycle: x.entry.Cycle, What: "the contents of a revision are not as they were written"}
	for i := range x.rows {
		r := &x.rows[i]
		if !r.hasContent || r.hash == nil {
			continue
		}
		text := contents[:min(r.size, len(contents))]
		contents = contents[len(text):]
		if found, ok := tree.NewNode(r.bare(), r.hash).HashWith(canon.Value(text)); !ok || found != *r.hash {
			d.Node, d.What, d.Recorded, d.Found = r.id, "content hash", r.hash.String(), found.String()
			break
		}
	}
	return DamageErr(d)
}
