package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"slices"
	"sort"
	"strconv"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
)

// packedPage is a page of rows of a branch, as a row of the table page.
type packedPage struct {
	branch     int64
	birth, nid int64 // of its last row
	number     int64 // within the branch
	digest     [sha256.Size]byte
	blocks     []page.Block
}

// place returns what the digest of a page covers besides the head.
func (p *packedPage) place() []int64 { return []int64{p.branch, p.birth, p.nid, p.number} }

// damage returns E_STORE for a page with the given fault.
func (p *packedPage) damage(what string) error {
	return (&store.Damage{Cycle: p.birth, What: "page " + strconv.FormatInt(p.number, 10) + " of the rows " + what}).Err()
}

// open checks and decodes the head of the page into x. The rows are valid until x is used
// again.
func (p *packedPage) open(digest, head []byte, x *page.Index) error {
	p.digest = page.Digest(head, p.place()...)
	if string(digest) != string(p.digest[:]) {
		return p.damage("is not as it was written")
	}
	if err := x.Decode(head); err != nil {
		return p.damage("cannot be read")
	}
	p.blocks = slices.Clone(x.Blocks)
	last := len(x.Rows) - 1
	for i := range x.Rows {
		if i > 0 && !before(&x.Rows[i-1], &x.Rows[i]) {
			return p.damage("is out of order")
		}
	}
	if last < 0 || x.Rows[last].Birth != p.birth || x.Rows[last].NID != p.nid {
		return p.damage("ends elsewhere")
	}
	return nil
}

// before reports whether row a comes before row b in the order of rows.
func before(a, b *page.Row) bool {
	return a.Birth < b.Birth || a.Birth == b.Birth && a.NID < b.NID
}

// The statements of pages.
const (
	// The pages that may have rows born after one cycle and not after another: from the page that
	// ends after the first to the first one that ends after the last. A page that ends with the
	// last cycle does not end the run, because rows of that cycle may follow on the next one.
	pagesBetween = `SELECT last_birth, last_nid, number, digest, head FROM page WHERE branch = ? AND last_birth > ?
		AND last_birth <= coalesce((SELECT min(last_birth) FROM page WHERE branch = ? AND last_birth > ?), ?)`
	pagesIn     = pagesBetween + ` ORDER BY last_birth, last_nid`
	pagesBackIn = pagesBetween + ` ORDER BY last_birth DESC, last_nid DESC`
	// The page in which a row would be.
	pageOf = `SELECT last_birth, last_nid, number, digest FROM page
		WHERE branch = ? AND (last_birth, last_nid) >= (?, ?) ORDER BY last_birth, last_nid LIMIT 1`
	headOf   = `SELECT digest, head FROM page WHERE branch = ? AND last_birth = ? AND last_nid = ?`
	digestOf = `SELECT digest FROM page WHERE branch = ? AND last_birth = ? AND last_nid = ?`
	blockOf  = `SELECT p.digest, b.body FROM page p JOIN page_block b
		ON b.branch = p.branch AND b.last_birth = p.last_birth AND b.last_nid = p.last_nid
		WHERE p.branch = ? AND p.last_birth = ? AND p.last_nid = ? AND b.no = ?`
)

const (
	oldestFirst = false
	newestFirst = true
)

// eachPage calls f with the pages of a segment and, for each, the rows born after the cycle
// after and not after upTo, until f fails.
func (c *scanner) eachPage(ctx context.Context, of segment, after, upTo int64, newest bool,
	f func(*packedPage, []page.Row) error) error {
	query := c.store.stmts.pagesIn
	if newest {
		query = c.store.stmts.pagesBackIn
	}
	found, err := within(ctx, c.tx, query).QueryContext(ctx, of.branch, after, of.branch, upTo,
		int64(afterAll))
	if err != nil {
		return err
	}
	defer found.Close()
	whole := after == of.afterCycle
	next, step := int64(0), int64(1) // the number of the next page, 0 if it may be any
	if whole && !newest {
		next = 1
	}
	if newest {
		step = -1
	}
	for found.Next() {
		p := &packedPage{branch: of.branch}
		var digest, head []byte
		if err := found.Scan(&p.birth, &p.nid, &p.number, &digest, &head); err != nil {
			return err
		}
		if err := p.open(digest, head, &c.index); err != nil {
			return err
		}
		if next != 0 && p.number != next {
			return p.damage("does not follow the previous page")
		}
		next = p.number + step
		rows := c.index.Rows
		lo := sort.Search(len(rows), func(i int) bool { return rows[i].Birth > after })
		hi := sort.Search(len(rows), func(i int) bool { return rows[i].Birth > upTo })
		if err := f(p, rows[lo:hi]); err != nil {
			return err
		}
	}
	if whole && newest && next != 0 && found.Err() == nil {
		return (&packedPage{branch: of.branch, number: next}).damage("is missing")
	}
	return found.Err()
}

// nidSet is a set of nids.
type nidSet map[int64]*[64]uint64

// add adds a nid and reports whether it is new.
func (s *nidSet) add(nid int64) bool {
	if *s == nil {
		*s = make(nidSet)
	}
	of := (*s)[nid>>12]
	if of == nil {
		of = new([64]uint64)
		(*s)[nid>>12] = of
	}
	word, bit := nid>>6&63, uint64(1)<<(nid&63)
	if of[word]&bit != 0 {
		return false
	}
	of[word] |= bit
	return true
}

// pageFor finds and decodes the page in which the row of a birth and a nid would be, whether or
// not it has that row; nil if there is no such page.
func (s *Store) pageFor(ctx context.Context, tx *sql.Tx, branch, birth, nid int64) (*openPage, error) {
	p := packedPage{branch: branch}
	var digest []byte
	err := within(ctx, tx, s.stmts.pageOf).QueryRowContext(ctx, branch, birth, nid).Scan(&p.birth, &p.nid, &p.number,
		&digest)
	if err == sql.ErrNoRows {
		return nil, nil
	}
	if err != nil {
		return nil, s.fail(ctx, err, "looking up a page")
	}
	if known := s.pages.head(&p, digest); known != nil {
		return known, nil
	}
	var head []byte
	err = within(ctx, tx, s.stmts.headOf).QueryRowContext(ctx, branch, p.birth, p.nid).Scan(&digest, &head)
	if err == sql.ErrNoRows { // an erasure or a deletion removed the page meanwhile
		return s.pageFor(ctx, tx, branch, birth, nid)
	}
	if err != nil {
		return nil, s.fail(ctx, err, "reading a page")
	}
	of := &openPage{packedPage: p}
	if err := of.open(digest, head, &of.index); err != nil {
		return nil, err
	}
	s.pages.putHead(of)
	return of, nil
}

// row returns the row of a birth and a nid, nil if the page has none.
func (p *openPage) row(birth, nid int64) *page.Row {
	rows := p.index.Rows
	key := page.Row{Birth: birth, NID: nid}
	i := sort.Search(len(rows), func(i int) bool { return !before(&rows[i], &key) })
	if i == len(rows) || rows[i].Birth != birth || rows[i].NID != nid {
		return nil
	}
	return &rows[i]
}
