package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"sort"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// content returns the content of a published version. The first reader loads it and compares it
// with the content hash of the version. Only an erasure changes a published version, and no
// other version ever gets its key.
func (s *Store) content(r *row, of **tree.Node) tree.Content {
	branch, birth, nid, size := r.branch, r.Birth, r.NID, r.Size
	packed, block, at := r.packed, r.Block, r.At
	return tree.Fetch(size, func(ctx context.Context) (tree.JSON, error) {
		n := *of
		if packed != nil {
			contents, err := s.blockAt(ctx, nil, packed, block)
			if err != nil {
				return "", s.fail(ctx, err, "reading a content")
			}
			if contents != nil {
				v := tree.JSON(contents[at : at+size])
				return v, checkContentHash(n, v)
			}
		}
		v, hash, err := s.openBody(ctx, branch, birth, nid)
		if err == nil && v == "" {
			v, hash, err = s.body(ctx, nil, branch, birth, nid)
		}
		if err != nil {
			return "", err
		}
		if erased := v == tree.ErasedContent && !bytes.Equal(hash, n.Hash[:]); erased { // since the snapshot was read
			return v, nil
		}
		return v, checkContentHash(n, v)
	})
}

// openBody returns a content and its hash from a page that is open already, "" if none of those
// has it. So whoever reads contents in order looks each page up once.
func (s *Store) openBody(ctx context.Context, branch, birth, nid int64) (tree.JSON, []byte, error) {
	p, r := s.pages.row(branch, birth, nid)
	if r == nil || r.Size == 0 {
		return "", nil, nil
	}
	contents, err := s.blockAt(ctx, nil, &p.packedPage, r.Block)
	if contents == nil || err != nil {
		return "", nil, s.fail(ctx, err, "reading a content")
	}
	return tree.JSON(contents[r.At : r.At+r.Size]), r.Hash, nil
}

// body reads a content and its hash from a row or a page.
func (s *Store) body(ctx context.Context, tx *sql.Tx, branch, birth, nid int64) (tree.JSON, []byte, error) {
	var body sql.NullString // scans with one copy; a slice of bytes would take two
	var hash []byte
	err := within(ctx, tx, s.stmts.bodyOf).QueryRowContext(ctx, branch, birth, nid).Scan(&body, &hash)
	if err != sql.ErrNoRows {
		return tree.JSON(body.String), hash, s.fail(ctx, err, "reading a content")
	}
	for { // a version that is no longer a row is in a page
		p, err := s.pageFor(ctx, tx, branch, birth, nid)
		if err != nil {
			return "", nil, s.fail(ctx, err, "reading a content")
		}
		if p == nil || p.row(birth, nid) == nil || p.row(birth, nid).Size == 0 {
			return "", nil, fault.New(fault.Store, "the content cannot be read: its context was deleted", "")
		}
		r := p.row(birth, nid)
		contents, err := s.blockAt(ctx, tx, &p.packedPage, r.Block)
		if err != nil {
			return "", nil, s.fail(ctx, err, "reading a content")
		}
		if contents != nil { // otherwise an erasure rewrote the page meanwhile
			return tree.JSON(contents[r.At : r.At+r.Size]), r.Hash, nil
		}
	}
}

// blockAt returns the contents of a block of a page, nil if the page has changed. Callers must
// not modify them. Cached contents come without a look at the file, like those in a tree:
// whoever holds a tree compares store.Info.Erasures, and an erasure through this store clears
// the cache.
func (s *Store) blockAt(ctx context.Context, tx *sql.Tx, p *packedPage, no int) ([]byte, error) {
	key := blockKey{p.branch, p.birth, p.nid, p.digest, no}
	if known := s.pages.block(key); known != nil {
		return known, nil
	}
	var digest, stored []byte
	err := within(ctx, tx, s.stmts.blockOf).QueryRowContext(ctx, p.branch, p.birth, p.nid, int64(no)).Scan(&digest,
		&stored)
	switch {
	case err == sql.ErrNoRows:
		return nil, s.missingBlock(ctx, tx, p)
	case err != nil || string(digest) != string(p.digest[:]):
		return nil, err
	}
	contents, err := p.blocks[no].Open(stored)
	if err != nil {
		return nil, p.damage("has a block of contents that is not as it was written")
	}
	s.pages.putBlock(key, contents)
	return contents, nil
}

// missingBlock returns E_STORE if a page exists without its block.
func (s *Store) missingBlock(ctx context.Context, tx *sql.Tx, p *packedPage) error {
	var digest []byte
	err := within(ctx, tx, s.stmts.digestOf).QueryRowContext(ctx, p.branch, p.birth, p.nid).Scan(&digest)
	if err == sql.ErrNoRows || err == nil && string(digest) != string(p.digest[:]) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.damage("lacks a block of contents")
}

// holdUnhashed reads the contents without a hash of rows in pages, because a tree needs them.
func (c *scanner) holdUnhashed(ctx context.Context, list []row) error {
	for i := range list {
		r := &list[i]
		if r.packed == nil || r.Size == 0 || r.Hash != nil || r.body != nil {
			continue
		}
		contents, err := c.store.blockAt(ctx, c.tx, r.packed, r.Block)
		if err != nil {
			return err
		}
		if contents == nil {
			return r.packed.damage("changed while it was read")
		}
		r.body = bytes.Clone(contents[r.At : r.At+r.Size])
	}
	return nil
}

// packedRef finds in the pages of a branch the version of an id that names its cycle of birth;
// the zero ref if there is none.
func (s *Store) packedRef(ctx context.Context, branch, birth int64, id string) (found ref, err error) {
	err = s.eachPackedIn(ctx, branch, birth, func(r *page.Row) {
		if r.ID == id {
			found = ref{r.NID, r.Birth}
		}
	})
	return found, err
}

// eachPackedIn calls f with every row of a cycle that is in a page of a branch.
func (s *Store) eachPackedIn(ctx context.Context, branch, birth int64, f func(*page.Row)) error {
	for next := int64(beforeAll); ; {
		p, err := s.pageFor(ctx, nil, branch, birth, next)
		if p == nil || err != nil {
			return err
		}
		rows := p.index.Rows
		for i := sort.Search(len(rows), func(i int) bool { return rows[i].Birth >= birth }); i < len(rows) &&
			rows[i].Birth == birth; i++ {
			f(&rows[i])
		}
		if p.birth > birth { // the page ends with a later cycle
			return nil
		}
		next = p.nid + 1
	}
}
