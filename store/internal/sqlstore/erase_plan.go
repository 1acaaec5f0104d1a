package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// version is a row of node_version as an erasure leaves it.
type version struct {
	branch, birth, nid int64
	id                 string
	headers            any
	content            any // number of the row of its content, nil for none
	body               []byte
	size, hash, proof  any
}

// columns of versionRows that an erasure looks at or writes.
const (
	colBirth, colNID, colID, colType        = 1, 2, 5, 6
	colISO, colHeaders, colContent          = 11, 14, 15
	colSize, colHash, colProof              = 16, 17, 19
	colKind, colCycle, colActor, colMessage = 2, 3, 5, 6
	colReq, colReport, colLatest, colDigest = 7, 8, 9, 15
	colThrd, colSent, colChain              = 16, 17, 18
)

// versions plans the rows of a branch that change.
func (x *erasure) versions(b *branch) error {
	if len(x.ids) == 0 {
		return nil
	}
	var list [][]any
	rows, err := x.store.stmts.versionRows.QueryContext(x.ctx, int64(b.Key), int64(endless))
	c := checker{}
	_, err = c.each(rows, err, func(values []any) *store.Damage {
		if id, _ := values[colID].(string); x.ids[id] {
			list = append(list, slices.Clone(values))
		}
		return nil
	})
	for _, values := range list {
		if err != nil {
			break
		}
		err = x.version(b, values)
	}
	return x.store.fail(x.ctx, err, "reading the rows")
}

// version plans one row. A proof that does not hold before does not hold
// afterwards: an erasure mends nothing.
func (x *erasure) version(b *branch, values []any) error {
	var n tree.Node
	n.ID, _ = values[colID].(string)
	n.Type, _ = values[colType].(string)
	iso, _ := values[colISO].(string)
	headers, _ := values[colHeaders].(string)
	var body []byte
	if values[colContent] != nil {
		if err := x.store.read.QueryRowContext(x.ctx, x.store.bound(`SELECT body FROM content WHERE no = ?`), values[colContent]).Scan(&body); err != nil {
			return x.store.fail(x.ctx, err, "reading a content")
		}
	}
	was, err := nodeOf(n, iso, headers, body)
	if err != nil {
		return err
	}
	text, _ := canon.Value(body).Text()
	if err := x.Admit(was, text); err != nil {
		return err
	}
	is, err := was.Erase(x.ctx, x.Salt)
	if err != nil || is == was {
		return err
	}
	proof, proven := values[colProof].(int64)
	held := proof == proofOf(values[:colProof])
	values[colISO], values[colHeaders] = nil, headersText(is.Headers)
	v := version{branch: int64(b.Key), id: n.ID, content: values[colContent]}
	if v.content != nil {
		left, _ := is.Content.Value(x.ctx)
		v.body = []byte(left)
		values[colSize], values[colHash] = int64(len(v.body)), is.Hash[:]
	}
	if proven {
		proof = proofOf(values[:colProof])
		if !held {
			proof ^= 1
		}
		values[colProof] = proof
	}
	v.birth, _ = values[colBirth].(int64)
	v.nid, _ = values[colNID].(int64)
	v.headers, v.size, v.hash, v.proof = values[colHeaders], values[colSize], values[colHash], values[colProof]
	x.rows = append(x.rows, v)
	return nil
}

// changes returns the first cycle of a branch that becomes another one, endless
// where none does.
func (x *erasure) changes(b *branch) int64 {
	since := int64(endless)
	for _, v := range x.rows {
		if b.line.holds(v.branch, v.birth) {
			since = min(since, v.birth)
		}
	}
	return since
}

// digest goes through the trees of a branch and sums up what becomes of them.
func (x *erasure) digest(b *branch) error {
	b.sums = map[int64]sums{}
	w := store.Rewriter{Gap: func(ctx context.Context, n *tree.Node) (*tree.Node, error) {
		if !x.ids[n.ID] {
			return n, nil
		}
		return n.Erase(ctx, x.Salt)
	}}
	return x.trees(b, func(t *tree.Tree, working bool) error {
		if err := cmp.Or(x.ctx.Err(), w.Next(x.ctx, t)); err != nil {
			return err
		}
		x.progress(1)
		s := sums{digest: w.Old.Digest(), newDigest: w.New.Digest()}
		if working {
			b.working = s
		} else {
			s.thread, s.newThread = w.Old.ThreadDigest(), w.New.ThreadDigest()
			b.sums[t.Cycle()] = s
		}
		return nil
	})
}

// states is how many trees a branch has of its own, with the one that it begins
// at and the working state.
func (b *branch) states() int { return int(b.Cycle-max(b.Origin.Cycle, b.First-1)) + 2 }

func (x *erasure) progress(more int) {
	if x.Progress != nil {
		x.done += more
		x.Progress(min(x.done, x.all), x.all)
	}
}

// chains are the link of a row before and after.
type chains struct{ was, is []byte }

// logRow is a row of the log as an erasure leaves it.
type logRow struct {
	branch, revision int64
	values           []any // actor, message, request, report, digest, thread, sent, chain
}

// added is an entry that an erasure logs.
type added struct {
	branch *branch
	chain  []byte // of the row before
	entry  store.Entry
}

// branch plans the log of a branch.
func (x *erasure) branch(b *branch) error {
	since := x.changes(b)
	if since < endless {
		if err := x.digest(b); err != nil {
			return err
		}
	} else {
		x.progress(b.states())
	}
	last := chains{}
	if b.Origin.Key != 0 {
		last = x.chains[logKey{int64(b.Origin.Key), b.Origin.Revision}]
	}
	next := chains{beginning(last.was, b.Info), beginning(last.is, b.Info)}
	forks := map[int64]bool{}
	for _, f := range x.family {
		if f.Origin.Key == b.Key {
			forks[f.Origin.Revision] = true
		}
	}
	rows, err := x.store.stmts.logRows.QueryContext(x.ctx, int64(b.Key), int64(endless))
	c := checker{}
	_, err = c.each(rows, err, func(values []any) *store.Damage {
		was, _ := values[colChain].([]byte)
		held := bytes.Equal(was, link(next.was, values[:colChain]...))
		before := slices.Clone(values)
		x.entry(b, values, since)
		var is []byte
		if was != nil { // rows of version 1 of the schema have no link, and get none
			if is = link(next.is, values[:colChain]...); !held {
				is[0] ^= 1 // what did not hold does not hold afterwards
			}
			values[colChain] = is
		}
		revision, _ := values[1].(int64)
		if !same(before, values) {
			x.logs = append(x.logs, logRow{int64(b.Key), revision, slices.Concat(values[colActor:colReport+1], values[colDigest:])})
		}
		last, next = chains{was, is}, chains{was, is}
		if forks[revision] {
			x.chains[logKey{int64(b.Key), revision}] = last
		}
		return nil
	})
	if err != nil {
		return x.store.fail(x.ctx, err, "reading the log")
	}
	attempts, err := x.attempts(x.store.read, b)
	if err != nil {
		return err
	}
	b.attempts = attempts
	x.total.Attempts += len(attempts)
	return x.record(b, since < endless, last.is)
}

// same compares the values of two rows.
func same(a, b []any) bool {
	return slices.EqualFunc(a, b, func(v, w any) bool {
		x, isBytes := v.([]byte)
		y, areBytes := w.([]byte)
		if isBytes || areBytes {
			return isBytes == areBytes && bytes.Equal(x, y)
		}
		return v == w
	})
}

// entry makes a row of the log what it is to be, but for its link.
func (x *erasure) entry(b *branch, values []any, since int64) {
	e := entryOf(values)
	at := logKey{int64(b.Key), e.Revision}
	if !e.Blank() && (x.entries[at] || x.finder.InEntry(&e)) {
		x.entries[at] = true
		e = e.Blanked()
		values[colActor], values[colMessage], values[colReq], values[colReport] = orNull(e.Actor), orNull(e.Message), orNull(e.Request), orNull(string(e.Report))
		if e.Digest == "" {
			values[colDigest] = nil
		}
	} else {
		delete(x.entries, at)
	}
	if e.Kind == store.Edit || e.Kind == store.Aside || e.Kind == store.Erasing {
		if cycle, _ := values[colCycle].(int64); cycle >= since {
			values[colDigest] = nil // of a working state that no longer is, with what drafts there were
		}
		return
	}
	latest, _ := values[colLatest].(int64)
	if latest < since {
		return
	}
	s := b.sums[latest]
	values[colDigest] = renewed(values[colDigest], s.digest, s.newDigest)
	values[colThrd] = renewed(values[colThrd], s.thread, s.newThread)
	if s.thread != s.newThread {
		values[colSent] = nil
	}
}

// renewed is a recorded digest as it is to be recorded. One that does not hold
// becomes one that never holds.
func renewed(recorded any, was, is tree.Digest) any {
	b, _ := recorded.([]byte)
	switch {
	case b == nil || was == is:
		return recorded
	case !bytes.Equal(b, was[:]):
		return make([]byte, len(is))
	}
	return is[:]
}

// record plans the entry that a context gets.
func (x *erasure) record(b *branch, touched bool, chain []byte) error {
	ids, of := map[string]bool{}, store.Erased{}
	for _, v := range x.rows {
		if b.line.holds(v.branch, v.birth) {
			ids[v.id] = true
			of.Versions++
		}
	}
	for at := range x.entries {
		if b.line.revision(at.revision) == at.branch && at.revision <= b.Revision {
			of.Entries++
		}
	}
	for _, other := range x.family {
		for _, a := range other.attempts {
			if b.line.holds(a.branch, a.cycle) {
				of.Attempts++
			}
		}
	}
	if b.deleted || !touched && of.Entries+of.Attempts == 0 {
		return nil
	}
	of.IDs = slices.Collect(maps.Keys(ids))
	e, err := x.Recorded(of, b.Info)
	if err != nil {
		return err
	}
	digest := b.digest
	if touched && len(digest) > 0 {
		digest, _ = renewed(digest, b.working.digest, b.working.newDigest).([]byte)
	}
	e.Digest = hex.EncodeToString(digest)
	x.added = append(x.added, added{b, chain, e})
	x.total.Contexts, x.total.Keys = append(x.total.Contexts, b.Name), append(x.total.Keys, b.Key)
	x.total.Salt = e.Erased().Salt
	return nil
}

// holds reports whether a row of a branch counts.
func (l lineage) holds(branch, birth int64) bool {
	for _, p := range l {
		if p.branch == branch {
			return birth > p.afterCycle && birth <= p.upToCycle
		}
	}
	return false
}

const (
	updateVersion = `UPDATE node_version SET created_iso = NULL, headers = ?, content_size = ?, content_hash = ?, proof = ?
		WHERE branch = ? AND birth = ? AND nid = ?`
	updateContent = `UPDATE content SET body = ? WHERE no = ?`
	updateLog     = `UPDATE log SET actor = ?, message = ?, request = ?, report = ?, digest = ?, thread = ?, sent = ?, chain = ?
		WHERE branch = ? AND revision = ?`
	countErasure = `UPDATE context SET erasures = erasures + 1 WHERE key = ?`
)

// write carries out the plan, and notes that there is something to clean up.
func (x *erasure) write(w *writer) error {
	run := func(query string) (func(args ...any) error, func() error, error) {
		st, err := w.tx.PrepareContext(w.ctx, x.store.bound(query))
		if err != nil {
			return nil, nil, err
		}
		return func(args ...any) error { _, err := st.ExecContext(w.ctx, args...); return err }, st.Close, nil
	}
	var statements [5]func(args ...any) error
	for i, query := range [...]string{updateVersion, updateContent, updateLog, countErasure, `INSERT INTO unclean (since_ns) VALUES (?)`} {
		exec, done, err := run(query)
		if err != nil {
			return err
		}
		defer done()
		statements[i] = exec
	}
	for _, v := range x.rows {
		if err := statements[0](v.headers, v.size, v.hash, v.proof, v.branch, v.birth, v.nid); err != nil {
			return err
		}
		if v.content != nil {
			if err := statements[1](v.body, v.content); err != nil {
				return err
			}
		}
	}
	for _, l := range x.logs {
		if err := statements[2](append(l.values, l.branch, l.revision)...); err != nil {
			return err
		}
	}
	if err := x.writeAttempts(w); err != nil {
		return err
	}
	for _, a := range x.added {
		w.key = int64(a.branch.Key)
		if err := statements[3](w.key); err != nil {
			return err
		}
		if _, err := w.log(a.chain, a.branch.Revision+1, a.entry, a.branch.Cycle, a.branch.Stamps, a.branch.next, nil); err != nil {
			return err
		}
	}
	return statements[4](x.Entry.TimeNS)
}
