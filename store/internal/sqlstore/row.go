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
	dead       bool // and nothing more
	parent     int64
	size       int
	hash, body []byte
	node       *tree.Node // to be completed where the row is in a tree
	complete   bool
}

// scanner reads rows of one context.
type scanner struct {
	store *Store
	tx    *sql.Tx // to read in, nil for none
	line  lineage
	known map[string][]tree.Header // few nodes have headers of their own
}

func (s *Store) scanner(ctx context.Context, key store.Key) (*scanner, error) {
	line, err := s.lineage(ctx, key)
	return &scanner{store: s, line: line, known: make(map[string][]tree.Header)}, err
}

// rows reads the rows born after one cycle and up to another, those after held
// with their content, in the order in which they came about.
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

// complete completes the nodes of rows that are in a tree.
func (c *scanner) complete(list []row) error {
	for i := range list {
		r := &list[i]
		if r.dead || r.complete {
			continue
		}
		n := *r.node
		var later **tree.Node // for a content that is read when asked for
		if r.body != nil && len(r.body) != r.size {
			return damageError("the content of node " + n.ID + " is of another size")
		}
		switch {
		case r.body != nil:
			n.Content = tree.Hold(canon.Value(r.body))
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
			if err := checkContentHash(made, canon.Value(r.body)); err != nil {
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
		hs[i] = tree.Header{Name: m.Name, Value: m.Value.Value()}
	}
	if headersText(hs) != text {
		return nil, damageError("there are headers that are not canonical")
	}
	if len(hs) < 8 { // in order already, so that NewNode will not sort what nodes share
		c.known[text] = hs
	}
	return hs, nil
}

// headersText is the opposite of headers, nil where there are none.
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
	return (&store.Damage{Loose: true, What: message}).Err()
}
