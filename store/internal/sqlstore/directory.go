package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/directory"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// opened is a snapshot that the store opened through a directory: its tree with stubs, and what
// leads to the nodes in them. The stubs refer to it, so it lives as long as any tree that was
// made from this one.
type opened struct {
	store    *Store
	key      store.Key // of the context that was opened
	line     lineage
	branch   int64 // whose directory it is
	erasures int64 // of the context when it was opened
	given    int64 // the highest cycle in an id that a caller chose

	cycle    int64    // of the snapshot
	seq      string   // id of ^seq
	start    *replay  // at that cycle, without a scanner
	rootRows []row    // of the root page
	runs     []*run   // between the turns in the root page
	odd      int      // how many nodes in runs have ids that do not say where they are
	byStub   sync.Map // *tree.List -> *run

	reading sync.Mutex
	whole   *replay // the same tree made from the rows, after a page was gone or damaged
}

// run is a stub among the turns of a snapshot.
type run struct {
	directory.Run
	of   *opened
	list *tree.List
	page *runPage // once the stub is open
}

// runPage is what was loaded for a stub.
type runPage struct {
	nodes []pagedNode
	runs  []*run

	indexed sync.Once
	byID    map[string]int32
	byNID   map[int64]int32
}

// pagedNode is a node of a page, with what its row says about where it is stored.
type pagedNode struct {
	node   *tree.Node
	parent string // id
	stored
}

// stored is where the live version of a node is, and the nid that it names as its parent.
type stored struct{ nid, birth, parent int64 }

func (p *runPage) index() {
	p.indexed.Do(func() {
		p.byID, p.byNID = make(map[string]int32, len(p.nodes)), make(map[int64]int32, len(p.nodes))
		for i := range p.nodes {
			p.byID[p.nodes[i].node.ID], p.byNID[p.nodes[i].nid] = int32(i), int32(i)
		}
	})
}

// open returns the page of a run, and loads it if nobody has. If that fails, it panics as the
// tree does (tree.LoadError).
func (r *run) open() *runPage {
	r.list.Parts()
	return r.page
}

// The statements of directories.
const (
	directoryAt = `SELECT cycle, digest, body FROM directory WHERE branch = ? AND cycle <= ? ORDER BY cycle DESC LIMIT 1`
	runAt       = `SELECT body FROM directory_run WHERE branch = ? AND no = ?`

	lastDirectory   = `SELECT (SELECT max(cycle) FROM directory WHERE branch = ?), (SELECT max(no) FROM directory_run WHERE branch = ?)`
	insertDirectory = `INSERT INTO directory (branch, cycle, digest, body) VALUES (?, ?, ?, ?)`
	insertRun       = `INSERT INTO directory_run (branch, no, born, body) VALUES (?, ?, ?, ?)`
	replaceRun      = `UPDATE directory_run SET replaced = ? WHERE branch = ? AND no = ?`
	// Delete all but the last two directories, and keep the pages that a fork may use.
	deleteDirectories = `DELETE FROM directory WHERE branch = ? AND cycle < ?`
	deleteRuns        = `DELETE FROM directory_run WHERE branch = ? AND replaced <= ? AND born >
		coalesce((SELECT max(origin_cycle) FROM context WHERE origin = ?), born - 1)`
)

// rootPage is a row of the table directory.
type rootPage struct {
	branch, cycle int64
	digest, body  []byte
}

// rootPage reads the newest directory of a context up to a cycle, of its own branch or of an
// origin; nil if there is none.
func (c *scanner) rootPage(ctx context.Context, cycle int64) (*rootPage, error) {
	if c.plain {
		return nil, nil
	}
	for i := len(c.line) - 1; i >= max(0, len(c.line)-2); i-- {
		p := &rootPage{branch: c.line[i].branch}
		err := within(ctx, c.tx, c.store.stmts.directoryAt).QueryRowContext(ctx, p.branch,
			min(cycle, c.line[i].upToCycle)).Scan(&p.cycle, &p.digest, &p.body)
		if err != sql.ErrNoRows {
			return p, err
		}
	}
	return nil, nil
}

// openAt makes the tree of a directory, or takes it from the cache, and returns a replay that
// continues from there. If at is not nil, openAt records in it where the nodes of the root page
// are stored.
func (c *scanner) openAt(ctx context.Context, st *state, p *rootPage, at map[string]stored) (*replay, error) {
	k := openedKey{st.Key, p.branch, p.cycle, string(p.digest), st.Erasures}
	o := c.store.opened.get(k)
	if o == nil {
		var err error
		if o, err = c.openRoot(ctx, st, p); err != nil {
			return nil, err
		}
		c.store.opened.put(k, o)
	}
	r := *o.start
	r.scanner, r.base, r.ids, r.unsealed, r.stored = c, o, maps.Clone(r.ids), slices.Clone(r.unsealed), at
	if at != nil {
		for i := range o.rootRows {
			v := &o.rootRows[i]
			at[v.ID] = stored{v.NID, v.Birth, v.Parent}
		}
	}
	return &r, nil
}

// openRoot makes the tree of a directory from its root page.
func (c *scanner) openRoot(ctx context.Context, st *state, p *rootPage) (*opened, error) {
	sum := page.Digest(p.body, p.branch, p.cycle)
	if string(sum[:]) != string(p.digest) {
		return nil, directoryDamage(p.cycle, "is not as it was written")
	}
	of, err := directory.Decode(p.body)
	if err != nil {
		return nil, err
	}
	o := &opened{store: c.store, key: st.Key, line: c.line, branch: p.branch, cycle: p.cycle, erasures: st.Erasures,
		given: st.Stamps.Given}
	rows, err := c.directoryRows(ctx, of)
	if err != nil {
		return nil, err
	}
	o.runs = o.stubs(of.Runs)
	for _, r := range o.runs {
		o.odd += r.Odd
	}
	o.start = &replay{scanner: c, ids: make(map[int64]string, len(rows))}
	if err := o.start.build(p.cycle, rows, between(o.runs),
		&tree.Unloaded{Find: o.find, Referrers: o.referrers}); err != nil {
		return nil, err
	}
	o.start.scanner = nil
	o.rootRows = rows
	seq := o.start.tree.Region(tree.Seq)
	if seq == nil {
		return nil, directoryDamage(p.cycle, "has no ^seq")
	}
	o.seq = seq.Node().ID
	return o, nil
}

// stubs makes the stubs of the runs of a page.
func (o *opened) stubs(list []directory.Run) []*run {
	runs := make([]*run, len(list))
	for i := range list {
		r := &run{Run: list[i], of: o}
		r.list = r.Stub.List(r.load)
		o.byStub.Store(r.list, r)
		runs[i] = r
	}
	return runs
}

func between(runs []*run) []tree.Between {
	list := make([]tree.Between, len(runs))
	for i, r := range runs {
		list[i] = tree.Between{Turns: r.Turns, Run: r.list}
	}
	return list
}

// directoryRows completes the rows of a page of a directory. It also reads the contents that
// have no hash, because a tree needs these.
func (c *scanner) directoryRows(ctx context.Context, p *directory.Page) ([]row, error) {
	rows := make([]row, len(p.Rows))
	for i := range p.Rows {
		of := &p.Rows[i]
		r := row{Row: of, branch: c.line.at(of.Birth).branch}
		if r.Size > 0 && r.Hash == nil {
			v, _, err := c.store.body(ctx, c.tx, r.branch, r.Birth, r.NID)
			if err != nil {
				return nil, err
			}
			r.body = []byte(v)
		}
		rows[i] = r
	}
	return rows, c.complete(rows)
}

// load reads the page of a run. If the page is gone or damaged, it makes the list from the
// rows; after an erasure that is E_CONFLICT.
func (r *run) load() (*tree.List, error) {
	ctx := context.Background()
	list, err := r.read(ctx)
	if err == sql.ErrNoRows || damageOf(err) != nil {
		list, err = r.rebuild(ctx)
	}
	return list, r.of.store.fail(ctx, err, "reading a run of turns")
}

// read reads the page of a run, and compares it with what the page above says about it. Without
// a page it returns sql.ErrNoRows.
func (r *run) read(ctx context.Context) (*tree.List, error) {
	o := r.of
	var body []byte
	if err := o.store.stmts.runAt.QueryRowContext(ctx, r.Branch, r.No).Scan(&body); err != nil {
		return nil, err
	}
	if page.Digest(body, r.Branch, r.No) != r.Sum {
		return nil, directoryDamage(o.cycle, "has a page that is not as it was written")
	}
	of, err := directory.Decode(body)
	if err != nil {
		return nil, err
	}
	c := &scanner{store: o.store, line: o.line, known: make(map[string][]tree.Header)}
	rows, err := c.directoryRows(ctx, of)
	if err != nil {
		return nil, err
	}
	p, placed, err := o.place(rows)
	if err != nil {
		return nil, err
	}
	p.runs = o.stubs(of.Runs)
	list, err := tree.BuildRun(placed, between(p.runs))
	if err != nil {
		return nil, directoryDamage(o.cycle, "has a page that is no run of turns")
	}
	r.page = p
	return list, nil
}

// place orders the rows of a page of turns, parents before their children.
func (o *opened) place(rows []row) (*runPage, []tree.Placed, error) {
	const waiting, busy = -1, -2
	p := &runPage{nodes: make([]pagedNode, 0, len(rows))}
	placed := make([]tree.Placed, 0, len(rows))
	at, byNID := make([]int, len(rows)), make(map[int64]int, len(rows))
	for i := range rows {
		at[i], byNID[rows[i].NID] = waiting, i
	}
	sound := len(byNID) == len(rows)
	var put func(i int)
	put = func(i int) {
		at[i] = busy
		r := &rows[i]
		parent, above := o.seq, -1
		if k, here := byNID[r.Parent]; here {
			if at[k] == waiting {
				put(k)
			}
			if at[k] == busy { // the parents of the node lead back to it
				sound = false
				return
			}
			above, parent = at[k], rows[k].ID
		}
		at[i] = len(placed)
		placed = append(placed, tree.Placed{Node: r.node, Parent: above})
		p.nodes = append(p.nodes, pagedNode{r.node, parent, stored{r.NID, r.Birth, r.Parent}})
	}
	for i := range rows {
		if at[i] == waiting {
			put(i)
		}
	}
	if !sound {
		return nil, nil, directoryDamage(o.cycle, "has a node twice or below itself")
	}
	return p, placed, nil
}

func directoryDamage(cycle int64, what string) error {
	return (&store.Damage{Cycle: cycle, What: "the directory " + what, Derived: true}).Err()
}

// erasedMeanwhile is the error for reading a snapshot that an erasure has replaced.
func erasedMeanwhile() error {
	return fault.New(fault.Conflict, "an erasure changed the history while it was read", "read it again")
}
