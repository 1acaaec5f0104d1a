package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// row is one row of node_version, or its equal in a page.
type row struct {
	*page.Row // shared with the page
	branch    int64
	body      []byte
	packed    *packedPage // the page that has it, nil for a row of the table
	node      *tree.Node  // nil until complete makes it
	complete  bool
}

// scanner reads rows of one context.
type scanner struct {
	store   *Store
	tx      *sql.Tx // the transaction to read in, or nil
	line    lineage
	plain   bool                     // read no directory
	resumes bool                     // go on from a snapshot that this process has in memory
	cache   bool                     // take rows from Store.recent, with their nodes
	known   map[string][]tree.Header // shared, because few nodes have headers of their own
	index   page.Index               // the page that was read last
}

func (s *Store) scanner(ctx context.Context, key store.Key) (*scanner, error) {
	line, err := s.lineage(ctx, key)
	return &scanner{store: s, line: line, known: make(map[string][]tree.Header)}, err
}

// rows reads the rows born after a cycle and up to and including another, ordered by birth and
// nid. Rows born after held come with their content.
func (c *scanner) rows(ctx context.Context, held, after, upTo int64) (list []row, err error) {
	if c.tx == nil { // the two reads must see one state: rows may be packed meanwhile
		return list, c.store.inReadTx(ctx, "reading a history", func(tx *sql.Tx) error {
			c.tx = tx
			defer func() { c.tx = nil }()
			list, err = c.rows(ctx, held, after, upTo)
			return err
		})
	}
	for _, p := range c.line {
		lo, hi := max(after, p.afterCycle), min(upTo, p.upToCycle)
		if lo >= hi {
			continue
		}
		begin := len(list)
		err := c.eachPage(ctx, p, lo, hi, oldestFirst, func(of *packedPage, rows []page.Row) error {
			list = slices.Grow(list, len(rows))
			for i := range rows {
				list = append(list, row{Row: &rows[i], branch: p.branch, packed: of})
			}
			c.index = page.Index{} // its rows are in use, so the next page needs another index
			return nil
		})
		if err != nil {
			return nil, err
		}
		packed := len(list)
		if list, err = c.unpacked(ctx, held, p.branch, lo, hi, list); err != nil {
			return nil, err
		}
		if packed > begin && packed < len(list) && !before(list[packed-1].Row, list[packed].Row) {
			return nil, damageError(inPageToo)
		}
	}
	return list, c.holdUnhashed(ctx, list)
}

const inPageToo = "there are rows that come before the end of a page"

// unpacked appends the rows of a branch that are in no page.
func (c *scanner) unpacked(ctx context.Context, held, branch, after, upTo int64, list []row) ([]row, error) {
	if c.cache {
		recent, err := c.store.recentIn(ctx, c.tx, branch, after, upTo)
		if err != nil || len(recent) > 0 {
			return c.store.appendRecent(list, branch, recent), err
		}
	}
	found, err := within(ctx, c.tx, c.store.stmts.rowsIn).QueryContext(ctx, held, branch, after, upTo)
	if err != nil {
		return nil, err
	}
	return scan(found, branch, list)
}

// live reads the live rows of the snapshot of a cycle, the last of each node, and the rows born
// after that cycle, all in the order of rows. Rows born after the cycle come with their
// content. It reads the newest rows first, so that it keeps no superseded row. Cost: all rows,
// read once.
func (c *scanner) live(ctx context.Context, cycle, upTo int64) (list, drafts []row, err error) {
	if c.tx == nil { // rows may be packed while they are read
		err = c.store.inReadTx(ctx, "reading a snapshot", func(tx *sql.Tx) error {
			c.tx = tx
			defer func() { c.tx = nil }()
			list, drafts, err = c.live(ctx, cycle, upTo)
			return err
		})
		return list, drafts, err
	}
	var seen nidSet
	take := func(r row) {
		switch {
		case r.Birth > cycle:
			drafts = append(drafts, r)
		case seen.add(r.NID) && !r.Dead():
			list = append(list, r)
		}
	}
	for _, p := range slices.Backward(c.line) {
		lo, hi := p.afterCycle, min(upTo, p.upToCycle)
		if lo >= hi {
			continue
		}
		unpacked, err := c.unpacked(ctx, cycle, p.branch, lo, hi, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range slices.Backward(unpacked) {
			take(r)
		}
		err = c.eachPage(ctx, p, lo, hi, newestFirst, func(of *packedPage, rows []page.Row) error {
			if n := len(rows); n > 0 && len(unpacked) > 0 && !before(&rows[n-1], unpacked[0].Row) {
				return damageError(inPageToo)
			}
			taken := len(list) + len(drafts)
			for i := range slices.Backward(rows) {
				take(row{Row: &rows[i], branch: p.branch, packed: of})
			}
			if len(list)+len(drafts) > taken {
				c.index = page.Index{} // its rows are in use, so the next page needs another index
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	slices.Reverse(list)
	slices.Reverse(drafts)
	return list, drafts, c.holdUnhashed(ctx, list)
}

// scan appends the rows of a query to a list.
func scan(found *sql.Rows, branch int64, list []row) ([]row, error) {
	defer found.Close()
	var death, id, kind, iso, headers sql.NullString
	var parent, offset, priority, cycle, created, index, expiry, size sql.NullInt64
	for found.Next() {
		of := &page.Row{}
		r := row{Row: of, branch: branch}
		if err := found.Scan(&of.Birth, &of.NID, &death, &parent, &id, &kind, &offset, &priority, &cycle, &created,
			&iso, &index, &expiry, &headers, &size, &of.Hash, &r.body); err != nil {
			return nil, err
		}
		of.Death, of.Parent, of.ID, of.Type = death.String, parent.Int64, id.String, kind.String
		of.Offset, of.Priority, of.Cycle, of.CreatedNS = offset.Int64, priority.Int64, cycle.Int64, created.Int64
		of.ISO, of.Index, of.Expiry, of.Headers = iso.String, index.Int64, tree.Never, headers.String
		of.Size = int(size.Int64)
		if expiry.Valid {
			of.Expiry = expiry.Int64
		}
		list = append(list, r)
	}
	return list, found.Err()
}

// complete makes the nodes of rows. Only the rows of a tree need it.
func (c *scanner) complete(list []row) error {
	for i := range list {
		r := &list[i]
		if r.Dead() || r.complete {
			continue
		}
		n := tree.Node{ID: r.ID, Type: r.Type, Offset: r.Offset, Priority: r.Priority, Cycle: r.Cycle,
			CreatedNS: r.CreatedNS, ForeignISO: r.ISO, Index: r.Index, Expiry: r.Expiry}
		if r.Headers != "" {
			var err error
			if n.Headers, err = c.headers(r.Headers); err != nil {
				return err
			}
		}
		var later **tree.Node // set below: a content that is loaded later needs its node
		if r.body != nil && len(r.body) != r.Size {
			return damageError("the content of node " + n.ID + " is of another size")
		}
		switch {
		case r.body != nil:
			n.Content = tree.Hold(tree.JSON(r.body))
		case r.Size > 0:
			later = new(*tree.Node)
			n.Content = c.store.content(r, later)
		}
		var hash *tree.Digest
		if len(r.Hash) == len(tree.Digest{}) {
			hash = (*tree.Digest)(r.Hash)
		} else if r.Size > 0 && r.body == nil {
			return damageError("the content of node " + n.ID + " is missing")
		}
		made := tree.NewNode(n, hash)
		if later != nil {
			*later = made
		}
		if hash != nil && r.body != nil {
			if err := checkContentHash(made, tree.JSON(r.body)); err != nil {
				return err
			}
		}
		r.node, r.complete = made, true
	}
	return nil
}

// headers parses headers, once for every distinct text.
func (c *scanner) headers(text string) ([]tree.Header, error) {
	if hs, known := c.known[text]; known {
		return hs, nil
	}
	object := canon.Value(text).Any()
	if object.Kind != canon.KindObject {
		return nil, damageError("the headers of a node are not a JSON object")
	}
	hs := make([]tree.Header, len(object.Members))
	for i, m := range object.Members {
		hs[i] = tree.Header{Name: m.Name, Value: tree.JSON(m.Value.Value())}
	}
	if headersText(hs) != text {
		return nil, damageError("there are headers that are not canonical")
	}
	if len(hs) < 8 { // already sorted, so that NewNode will not sort a shared list
		c.known[text] = hs
	}
	return hs, nil
}

// headersText returns headers as the JSON object for a column, nil if there are none.
func headersText(hs []tree.Header) any {
	if len(hs) == 0 {
		return nil
	}
	var room [256]byte
	return string(appendHeaders(room[:0], hs))
}

// headerTexts caches texts that nearly all blocks of a conversation have, as arguments of
// statements: headers with a role and a kind and no other header, and types. It keeps nothing
// that an erasure could remove. It is safe for concurrent use.
type headerTexts struct {
	mu    sync.Mutex
	known map[string]any
}

// How many texts the cache keeps, and how long one may be, in bytes.
const (
	maxHeaderTexts = 256
	maxHeaderText  = 128
)

// of returns what headersText does.
func (k *headerTexts) of(hs []tree.Header) any {
	if slices.ContainsFunc(hs, func(h tree.Header) bool { return h.Name != "role" && h.Name != "kind" }) || len(hs) == 0 {
		return headersText(hs)
	}
	var room [256]byte
	buf := appendHeaders(room[:0], hs)
	if len(buf) > maxHeaderText {
		return string(buf)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if text, ok := k.known[string(buf)]; ok {
		return text
	}
	return k.add(string(buf))
}

// text returns a text as an argument of a statement.
func (k *headerTexts) text(s string) any {
	if len(s) > maxHeaderText {
		return s
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if text, ok := k.known[s]; ok {
		return text
	}
	return k.add(s)
}

// add adds a text. The caller holds the lock.
func (k *headerTexts) add(s string) any {
	if k.known == nil || len(k.known) == maxHeaderTexts {
		k.known = make(map[string]any)
	}
	var text any = s
	k.known[s] = text
	return text
}

func appendHeaders(buf []byte, hs []tree.Header) []byte {
	buf = append(buf, '{')
	for i, h := range hs {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(canon.AppendString(buf, h.Name), ':')
		buf = append(buf, h.Value...)
	}
	return append(buf, '}')
}

func damageError(message string) error {
	return (&store.Damage{NoCycle: true, What: message}).Err()
}
