package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

// The statements, with question marks for parameters. They are prepared once. In
// braces is how a content is named, which Dialect.statement writes out.
const (
	infoColumns = `SELECT ` + contextColumns + `, l.latest, l.revision, l.work_cycle, l.last_ns, l.next_index, l.given, l.next_nid,
		coalesce((SELECT max(birth) FROM node_version WHERE branch = c.key), (SELECT max(last_birth) FROM page WHERE branch = c.key))
		FROM context c LEFT JOIN log l ON l.branch = c.key
		AND l.revision = (SELECT max(revision) FROM log WHERE branch = c.key)`
	infoAll    = infoColumns + ` ORDER BY c.name`
	infoByName = infoColumns + ` WHERE c.name = ?`
	infoByKey  = infoColumns + ` WHERE c.key = ?`

	selectContext = `SELECT ` + contextColumns + ` FROM context c WHERE c.key = ?`
	// Branches of the log without a context, each found by one look-up.
	orphanLogs = `WITH RECURSIVE b (branch) AS (SELECT min(branch) FROM log
		UNION ALL SELECT (SELECT min(branch) FROM log WHERE branch > b.branch) FROM b WHERE b.branch IS NOT NULL)
		SELECT min(branch) FROM b WHERE branch IS NOT NULL AND branch NOT IN (SELECT key FROM context)`

	stateAt = `SELECT latest, next_nid, chain FROM log WHERE branch = ? AND revision = ? AND latest = ?`
	// What a copy of a fork goes on from.
	forkState = `SELECT next_nid, chain FROM log WHERE branch = ? AND revision = ? AND latest = ?`
	logProof  = `SELECT digest, thread, chain FROM log WHERE branch = ? AND revision = ?`
	logState  = `SELECT latest, work_cycle, last_ns, next_index, given, next_nid, digest, thread, idle, chain
		FROM log WHERE branch = ? AND revision = ?`

	// The rows of a span of cycles, in the order in which they came about. From
	// a cycle on, content that can still change is read along with its row.
	rowsIn = `SELECT v.birth, v.nid, v.death, v.parent, v.id, v.type, v."offset", v.priority, v.cycle, v.created_ns,
		v.created_iso, v.creation_index, v.expiry, v.headers, v.content_size, v.content_hash,
		CASE WHEN v.content_no IS NOT NULL AND (v.content_hash IS NULL OR v.birth > ?)
		THEN (SELECT c.body FROM content c WHERE {same}) END
		FROM node_version v WHERE v.branch = ? AND v.birth > ? AND v.birth <= ? ORDER BY v.birth, v.nid`
	bodyOf = `SELECT c.body, v.content_hash FROM node_version v JOIN content c ON {same}
		WHERE v.branch = ? AND v.birth = ? AND v.nid = ?`

	// The newest version of an id: a generated id tells the cycle of its
	// birth, any other is in the index of those that do not. Where there is none,
	// a page may have it that holds the cycle in the id.
	refOf = `SELECT nid, birth FROM (
		SELECT nid, birth FROM node_version WHERE branch = ? AND id = ? AND named = 1
		UNION ALL
		SELECT nid, birth FROM page_name WHERE branch = ? AND id = ?
		UNION ALL
		SELECT nid, birth FROM node_version WHERE branch = ? AND birth = ? AND id = ?) r
		WHERE birth <= ? ORDER BY birth DESC, nid DESC LIMIT 1`
	namedRef = `SELECT nid, birth FROM (
		SELECT nid, birth FROM node_version WHERE branch = ? AND id = ? AND named = 1
		UNION ALL
		SELECT nid, birth FROM page_name WHERE branch = ? AND id = ?) r
		WHERE birth <= ? ORDER BY birth DESC, nid DESC LIMIT 1`
	bornIn = `SELECT id, nid FROM node_version WHERE branch = ? AND birth = ? AND id IS NOT NULL ORDER BY nid`

	logRows = `SELECT branch, revision, kind, cycle, time_ns, actor, message, request, report,
		latest, work_cycle, last_ns, next_index, given, next_nid, digest, thread, sent, idle, chain
		FROM log WHERE branch = ? AND revision >= ? AND revision <= ? ORDER BY revision`
	chainAt   = `SELECT chain FROM log WHERE branch = ? AND revision = ?`
	requestAt = `SELECT revision FROM log WHERE branch = ? AND request = ? AND revision <= ?`
	// What was recorded of the snapshots that were published in a span.
	digestsIn = `SELECT latest, digest FROM log WHERE branch = ? AND revision >= ? AND revision <= ?
		AND kind IN ('create', 'commit', 'fork') ORDER BY revision`

	// For Check: everything.
	versionRows = `SELECT branch, birth, nid, death, parent, id, type, "offset", priority, cycle, created_ns,
		created_iso, creation_index, expiry, headers, content_no, content_size, content_hash, named, proof
		FROM node_version WHERE branch = ? AND birth <= ? ORDER BY birth, nid`

	insertContext = `INSERT INTO context (name, edition, first, origin, origin_cycle, origin_revision, fork)
		VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key`
	updateContextRow = `UPDATE context SET name = ?, forks = ?, attempts = ?, erasures = ?, deleted = ?, proof = ? WHERE key = ?`
	currentState     = `SELECT l.revision, l.latest, l.work_cycle, l.last_ns, l.next_index, l.given, l.next_nid, l.digest, l.chain
		FROM context c JOIN log l ON l.branch = c.key WHERE c.key = ? AND c.deleted = 0 ORDER BY l.revision DESC LIMIT 1`
	// The revision comes out NULL, and is refused, where the guard does not
	// hold, and exists already where another writer was faster.
	insertLog = intoLog + `(SELECT l.revision + 1 FROM log l JOIN context c ON c.key = l.branch
		WHERE l.branch = ? AND l.revision = ? AND l.latest = ? AND c.deleted = 0)` + logParams
	// The first row of a branch has nobody to guard against.
	insertFirst = intoLog + `?` + logParams
	intoLog     = `INSERT INTO log (branch, revision, kind, cycle, time_ns, actor, message, request, report,
		latest, work_cycle, last_ns, next_index, given, next_nid, digest, thread, sent, idle, chain) VALUES (?, `
	logParams = `, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// Attempts are beside the history: no revision, no guard but the cycle.
	attemptColumns = `a.branch, a.cycle, a.number, a.status, a.started_ns, a.ended_ns, a.provider, a.model, a.params,
		a.token_in, a.token_out, a.error, a.thread, a.request, a.proof`
	attemptRows = `SELECT ` + attemptColumns + `, c.fork FROM attempt a JOIN context c ON c.key = a.branch
		WHERE a.branch = ? AND a.cycle >= ? AND a.cycle <= ? ORDER BY a.cycle, a.number`
	attemptAt = `SELECT ` + attemptColumns + `, c.fork FROM attempt a JOIN context c ON c.key = a.branch
		WHERE a.branch = ? AND a.cycle = ? AND a.number = ?`
	attemptCount = `SELECT attempts, (SELECT count(*) FROM attempt WHERE branch = key) FROM context WHERE key = ?`
	currentCycle = `SELECT l.work_cycle, c.fork, (SELECT coalesce(max(number), 0) + 1 FROM attempt WHERE branch = c.key AND cycle = l.work_cycle)
		FROM context c JOIN log l ON l.branch = c.key WHERE c.key = ? AND c.deleted = 0 ORDER BY l.revision DESC LIMIT 1`
	attemptsAfter = `SELECT count(*) FROM attempt WHERE branch = ? AND cycle > ?`
	insertAttempt = `INSERT INTO attempt (branch, cycle, number, status, started_ns, ended_ns, provider, model, params,
		token_in, token_out, error, thread, request, proof) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	deleteAttempt = `DELETE FROM attempt WHERE branch = ? AND cycle = ? AND number = ?`
	updateAttempt = `UPDATE attempt SET status = ?, ended_ns = ?, token_in = ?, token_out = ?, error = ?, proof = ?
		WHERE branch = ? AND cycle = ? AND number = ?`

	insertContents = `INSERT INTO content (body) VALUES `
	insertOwn      = `INSERT INTO content (branch, no, body) VALUES `
	deleteContent  = `DELETE FROM content WHERE {key} IN (SELECT {of} FROM node_version WHERE branch = ? AND birth = ? AND nid = ?)`
	deleteVersion  = `DELETE FROM node_version WHERE branch = ? AND birth = ? AND nid = ?`

	insertRows = `INSERT INTO node_version (branch, birth, nid, death, parent, id, type, "offset", priority, cycle, created_ns,
		created_iso, creation_index, expiry, headers, content_no, content_size, content_hash, named, proof) VALUES `
	rowParams = 20

	// What the forks of a context share of it.
	sharedWithForks = `SELECT max(origin_cycle), max(origin_revision) FROM context WHERE origin = ?`
)

// trim deletes the rows of a branch from a cycle or a revision on, what refers
// to other tables first.
var trim = [...]string{
	`DELETE FROM content WHERE {key} IN (SELECT {of} FROM node_version WHERE branch = ? AND birth > ?)`,
	`DELETE FROM node_version WHERE branch = ? AND birth > ?`,
	`DELETE FROM attempt WHERE branch = ? AND cycle > ?`,
	`DELETE FROM log WHERE branch = ? AND revision > ?`,
}

const deleteContext = `DELETE FROM context WHERE key = ?`

// insertSizes are the numbers of rows that one insert can hold.
var insertSizes = [...]int{64, 16, 8, 6, 5, 4, 3, 2, 1}

// statements are all of them, prepared.
type statements struct {
	infoAll, infoByName, infoByKey, stateAt      *sql.Stmt
	logState, logProof, forkState, orphanLogs    *sql.Stmt
	rowsIn, bodyOf, refOf, namedRef, bornIn      *sql.Stmt
	pagesIn, pagesBackIn, pageOf, headOf         *sql.Stmt
	digestOf, blockOf                            *sql.Stmt
	packState, packRows, packGuard, packNames    *sql.Stmt
	insertPage, insertBlock                      *sql.Stmt
	deletePackedContents, deletePackedRows       *sql.Stmt
	requestAt, chainAt, digestsIn                *sql.Stmt
	contextRow, logRows, versionRows             *sql.Stmt
	insertContext, updateContext, deleteContext  *sql.Stmt
	currentState, contextRowNow, sharedWithForks *sql.Stmt
	attemptRows, attemptAt, attemptCount         *sql.Stmt
	currentCycle, attemptsAfter                  *sql.Stmt
	insertAttempt, updateAttempt, deleteAttempt  *sql.Stmt
	insertLog, insertFirst                       *sql.Stmt
	deleteContent, deleteVersion                 *sql.Stmt
	insertContents, insertRows                   [len(insertSizes)]*sql.Stmt
	trim                                         [len(trim)]*sql.Stmt
}

func (st *statements) prepare(ctx context.Context, write, read *sql.DB, d *Dialect) error {
	var err error
	on := func(db *sql.DB, query string) (s *sql.Stmt) {
		if err == nil {
			s, err = db.PrepareContext(ctx, d.statement(query))
		}
		return s
	}
	st.infoAll = on(read, infoAll)
	st.infoByName = on(read, infoByName)
	st.infoByKey = on(read, infoByKey)
	st.stateAt = on(read, stateAt)
	st.orphanLogs = on(read, orphanLogs)
	st.logState = on(read, logState)
	st.rowsIn = on(read, rowsIn)
	st.bodyOf = on(read, bodyOf)
	st.pagesIn = on(read, pagesIn)
	st.pagesBackIn = on(read, pagesBackIn)
	st.pageOf = on(read, pageOf)
	st.headOf = on(read, headOf)
	st.digestOf = on(read, digestOf)
	st.blockOf = on(read, blockOf)
	st.packState = on(read, packState)
	st.packRows = on(read, packRows)
	st.packGuard = on(write, packGuard)
	st.packNames = on(write, packNames)
	st.insertPage = on(write, insertPage)
	st.insertBlock = on(write, insertBlock)
	st.deletePackedContents = on(write, deletePackedContents)
	st.deletePackedRows = on(write, deletePackedRows)
	st.refOf = on(read, refOf)
	st.namedRef = on(read, namedRef)
	st.bornIn = on(read, bornIn)
	st.requestAt = on(read, requestAt)
	st.chainAt = on(read, chainAt)
	st.digestsIn = on(read, digestsIn)
	st.contextRow = on(read, selectContext)
	st.logRows = on(read, logRows)
	st.versionRows = on(read, versionRows)
	st.insertContext = on(write, insertContext)
	st.updateContext = on(write, updateContextRow)
	st.contextRowNow = on(write, selectContext)
	st.deleteContext = on(write, deleteContext)
	st.currentState = on(write, currentState)
	st.logProof = on(write, logProof)
	st.forkState = on(write, forkState)
	st.sharedWithForks = on(write, sharedWithForks)
	st.insertLog = on(write, insertLog)
	st.insertFirst = on(write, insertFirst)
	st.attemptRows = on(read, attemptRows)
	st.attemptCount = on(read, attemptCount)
	st.attemptAt = on(write, attemptAt)
	st.currentCycle = on(write, currentCycle)
	st.attemptsAfter = on(write, attemptsAfter)
	st.insertAttempt = on(write, insertAttempt)
	st.updateAttempt = on(write, updateAttempt)
	st.deleteAttempt = on(write, deleteAttempt)
	st.deleteContent = on(write, deleteContent)
	st.deleteVersion = on(write, deleteVersion)
	for i, n := range insertSizes {
		if d.OwnContents {
			st.insertContents[i] = on(write, insertOwn+tuples(n, 3))
		} else {
			st.insertContents[i] = on(write, insertContents+tuples(n, 1))
		}
		st.insertRows[i] = on(write, insertRows+tuples(n, rowParams))
	}
	for i, query := range trim {
		st.trim[i] = on(write, query)
	}
	return err
}

// By what a content is found: its number, or its branch and its number.
var (
	byNumber = strings.NewReplacer("{key}", "no", "{of}", "content_no", "{same}", "c.no = v.content_no")
	byBranch = strings.NewReplacer("{key}", "(branch, no)", "{of}", "branch, content_no", "{same}",
		"c.branch = v.branch AND c.no = v.content_no")
)

// statement writes a statement as the database wants it.
func (d *Dialect) statement(query string) string {
	names := byNumber
	if d.OwnContents {
		names = byBranch
	}
	query = names.Replace(query)
	if d.Rebind != nil {
		query = d.Rebind(query)
	}
	return query
}

// tuples returns n lists of question marks.
func tuples(n, params int) string {
	one := "(" + strings.Repeat("?, ", params-1) + "?)"
	return strings.Repeat(one+", ", n-1) + one
}
