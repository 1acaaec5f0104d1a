package sqlstore

import (
	"context"
	"database/sql"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// row is one row of node_version.
type row struct {
	branch     int64
	birth, nid int64
	dead       bool // a death, which has no other columns
	parent     int64
	size       int
	hash, body []byte
	node       *tree.Node // without content and hash until complete
	complete   bool
}

// scanner reads rows of one context.
type scanner struct {
	store *Store
	tx    *sql.Tx // the transaction to read in, nil for none
	line  lineage
	known map[string][]tree.Header // few nodes have headers of their own
}

func (s *Store) scanner(ctx context.Context, key store.Key) (*scanner, error) {
	line, err := s.lineage(ctx, key)
	return &scanner{store: s, line: line, known: make(map[string][]tree.Header)}, err
}

// rows reads the rows born after a cycle and up to and with another, ordered by
// birth and nid. Rows born after held come with their content.
func (c *scanner) rows(ctx context.Context, query *sql.Stmt, held, after, upTo int64) (list []row, err error) {
	for _, p := range c.line {
		lo, hi := max(after, p.afterCycle), min(upTo, p.upToCycle)
		if lo >= hi {
			continue
		}
		found, err := within(ctx, c.tx, query).QueryContext(ctx, held, p.branch, lo, hi)
		if err != nil {
			return nil, err
		}
		if list, err = c.scan(found, p.branch, list); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// scan appends the rows of a branch to a list.
func (c *scanner) scan(found *sql.Rows, branch int64, list []row) ([]row, error) {
	defer found.Close()
	r := row{branch: branch}
	var err error
	var death, id, kind, iso, headers sql.NullString
	var parent, offset, priority, cycle, created, index, expiry, size sql.NullInt64
	for found.Next() {
		r.hash, r.body = nil, nil
		if err := found.Scan(&r.birth, &r.nid, &death, &parent, &id, &kind, &offset, &priority, &cycle, &created,
			&iso, &index, &expiry, &headers, &size, &r.hash, &r.body); err != nil {
			return nil, err
		}
		r.dead, r.parent, r.size = death.Valid, parent.Int64, int(size.Int64)
		if list = append(list, r); r.dead {
			continue
		}
		n := &tree.Node{
			ID: id.String, Type: kind.String, Offset: offset.Int64, Priority: priority.Int64, Cycle: cycle.Int64,
			CreatedNS: created.Int64, ForeignISO: iso.String, Index: index.Int64, Expiry: tree.Never,
		}
		if expiry.Valid {
			n.Expiry = expiry.Int64
		}
		if headers.Valid {
			if n.Headers, err = c.headers(headers.String); err != nil {
				return nil, err
			}
		}
		list[len(list)-1].node = n
	}
	return list, found.Err()
}

// complete adds content and content hash to the nodes of rows, which only the rows
// of a tree need.
func (c *scanner) complete(list []row) error {
	for i := range list {
		r := &list[i]
		if r.dead || r.complete {
			continue
		}
		n := *r.node
		var later **tree.Node // set below: a content that is read later needs its node
		if r.body != nil && len(r.body) != r.size {
			return damageError("the content of node " + n.ID + " is of another size")
		}
		switch {
		case r.body != nil:
			n.Content = tree.Hold(tree.JSON(r.body))
		case r.size > 0:
			later = new(*tree.Node)
			n.Content = c.store.content(r, later)
		}
		var hash *tree.Digest
		if len(r.hash) == len(tree.Digest{}) {
			hash = (*tree.Digest)(r.hash)
		} else if r.size > 0 && r.body == nil {
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

// headers parses headers, once for every text that occurs.
func (c *scanner) headers(text string) ([]tree.Header, error) {
	if hs, known := c.known[text]; known {
		return hs, nil
	}
	object := canon.Value(text).Any()
	if object.Kind != canon.KindObject {
		return nil, damageError("there are headers that are no JSON object")
	}
	hs := make([]tree.Header, len(object.Members))
	for i, m := range object.Members {
		hs[i] = tree.Header{Name: m.Name, Value: tree.JSON(m.Value.Value())}
	}
	if headersText(hs) != text {
		return nil, damageError("there are headers that are not canonical")
	}
	if len(hs) < 8 { // in order already, so that NewNode will not sort what nodes share
		c.known[text] = hs
	}
	return hs, nil
}

// headersText returns headers as the JSON object that a column holds, nil without
// any.
func headersText(hs []tree.Header) any {
	if len(hs) == 0 {
		return nil
	}
	buf := []byte{'{'}
	for i, h := range hs {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(canon.AppendString(buf, h.Name), ':')
		buf = append(buf, h.Value...)
	}
	return string(append(buf, '}'))
}

func damageError(message string) error {
	return (&store.Damage{NoCycle: true, What: message}).Err()
}
