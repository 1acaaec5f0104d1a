package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

// The statements, prepared once, with question marks for parameters. A name in braces stands
// for the key of a content, which Dialect.statement fills in.
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
	// The state at which the copy of a fork begins.
	forkState = `SELECT next_nid, chain FROM log WHERE branch = ? AND revision = ? AND latest = ?`
	logProof  = `SELECT digest, thread, chain FROM log WHERE branch = ? AND revision = ?`
	logState  = `SELECT latest, work_cycle, last_ns, next_index, given, next_nid, digest, thread, idle, chain
		FROM log WHERE branch = ? AND revision = ?`

	// The rows of a span of cycles, in the order in which they were written. From one cycle on,
	// a row comes with its content, which can still change.
	rowsIn = `SELECT v.birth, v.nid, v.death, v.parent, v.id, v.type, v."offset", v.priority, v.cycle, v.created_ns,
		v.created_iso, v.creation_index, v.expiry, v.headers, v.content_size, v.content_hash,
		CASE WHEN v.content_no IS NOT NULL AND (v.content_hash IS NULL OR v.birth > ?)
		THEN (SELECT c.body FROM content c WHERE {same}) END
		FROM node_version v WHERE v.branch = ? AND v.birth > ? AND v.birth <= ? ORDER BY v.birth, v.nid`
	// In the same order.
	rowProofs = `SELECT proof FROM node_version WHERE branch = ? AND birth > ? AND birth <= ? ORDER BY birth, nid`
	bodyOf    = `SELECT c.body, v.content_hash FROM node_version v JOIN content c ON {same}
		WHERE v.branch = ? AND v.birth = ? AND v.nid = ?`

	// The newest version of an id. A generated id names the cycle of its birth; any other is in
	// the index of names. If there is no such row, a page of that cycle may have it.
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
	// What the log recorded about the snapshots that were published in a span.
	digestsIn = `SELECT latest, digest FROM log WHERE branch = ? AND revision >= ? AND revision <= ?
		AND kind IN ('create', 'commit', 'fork') ORDER BY revision`

	// For Check: all rows.
	versionRows = `SELECT branch, birth, nid, death, parent, id, type, "offset", priority, cycle, created_ns,
		created_iso, creation_index, expiry, headers, content_no, content_size, content_hash, named, proof
		FROM node_version WHERE branch = ? AND birth <= ? ORDER BY birth, nid`

	insertContext = `INSERT INTO context (name, edition, first, origin, origin_cycle, origin_revision, fork)
		VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key`
	updateContextRow = `UPDATE context SET name = ?, forks = ?, attempts = ?, erasures = ?, deleted = ?, proof = ? WHERE key = ?`
	currentState     = `SELECT l.revision, l.latest, l.work_cycle, l.last_ns, l.next_index, l.given, l.next_nid, l.digest, l.chain
		FROM context c JOIN log l ON l.branch = c.key WHERE c.key = ? AND c.deleted = 0 ORDER BY l.revision DESC LIMIT 1`
	// The revision is NULL, which the table refuses, if the guard does not hold; it exists
	// already if another writer was faster.
	insertLog = intoLog + `(SELECT l.revision + 1 FROM log l JOIN context c ON c.key = l.branch
		WHERE l.branch = ? AND l.revision = ? AND l.latest = ? AND c.deleted = 0)` + logParams
	// The first row of a branch needs no guard.
	insertFirst = intoLog + `?` + logParams
	intoLog     = `INSERT INTO log (branch, revision, kind, cycle, time_ns, actor, message, request, report,
		latest, work_cycle, last_ns, next_index, given, next_nid, digest, thread, sent, idle, chain) VALUES (?, `
	logParams = `, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// Attempts are beside the history: no revision, and no guard except the cycle.
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
	updateAttempt = `UPDATE attempt SET status = ?, ended_ns = ?, token_in = ?, token_out = ?, error = ?, request = ?, proof = ?
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

// trim deletes the rows of a branch from a cycle or a revision on. Rows that refer to other
// tables come first.
var trim = [...]string{
	`DELETE FROM content WHERE {key} IN (SELECT {of} FROM node_version WHERE branch = ? AND birth > ?)`,
	`DELETE FROM node_version WHERE branch = ? AND birth > ?`,
	`DELETE FROM attempt WHERE branch = ? AND cycle > ?`,
	`DELETE FROM log WHERE branch = ? AND revision > ?`,
}

const deleteContext = `DELETE FROM context WHERE key = ?`

// insertSizes are the numbers of rows that one insert can hold.
var insertSizes = [...]int{64, 16, 8, 6, 5, 4, 3, 2, 1}

// statements are the prepared statements; a store prepares those that write before its first
// write.
type statements struct {
	infoAll, infoByName, infoByKey, stateAt      *sql.Stmt
	logState, logProof, forkState, orphanLogs    *sql.Stmt
	directoryAt, runAt                           *sql.Stmt
	lastDirectory, lastDirectoryNow              *sql.Stmt
	insertDirectory, insertRun, replaceRun       *sql.Stmt
	deleteDirectories, deleteRuns                *sql.Stmt
	rowsIn, bodyOf, refOf, namedRef, bornIn      *sql.Stmt
	pagesIn, pagesBackIn, pageOf, headOf         *sql.Stmt
	digestOf, blockOf                            *sql.Stmt
	packState, packRows, packGuard, packNames    *sql.Stmt
	rowProofs                                    *sql.Stmt
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

// prepareReads prepares the statements for reading, and prepareWrites those of a transaction
// for writing: a process that only reads never needs these.
func (st *statements) prepareReads(ctx context.Context, db *sql.DB, d *Dialect) error {
	on := preparer{ctx: ctx, db: db, dialect: d}
	st.infoAll = on.prepare(infoAll)
	st.infoByName = on.prepare(infoByName)
	st.infoByKey = on.prepare(infoByKey)
	st.stateAt = on.prepare(stateAt)
	st.orphanLogs = on.prepare(orphanLogs)
	st.logState = on.prepare(logState)
	st.rowsIn = on.prepare(rowsIn)
	st.bodyOf = on.prepare(bodyOf)
	st.directoryAt = on.prepare(directoryAt)
	st.runAt = on.prepare(runAt)
	st.lastDirectory = on.prepare(lastDirectory)
	st.pagesIn = on.prepare(pagesIn)
	st.pagesBackIn = on.prepare(pagesBackIn)
	st.pageOf = on.prepare(pageOf)
	st.headOf = on.prepare(headOf)
	st.digestOf = on.prepare(digestOf)
	st.blockOf = on.prepare(blockOf)
	st.packState = on.prepare(packState)
	st.packRows = on.prepare(packRows)
	st.rowProofs = on.prepare(rowProofs)
	st.refOf = on.prepare(refOf)
	st.namedRef = on.prepare(namedRef)
	st.bornIn = on.prepare(bornIn)
	st.requestAt = on.prepare(requestAt)
	st.chainAt = on.prepare(chainAt)
	st.digestsIn = on.prepare(digestsIn)
	st.contextRow = on.prepare(selectContext)
	st.logRows = on.prepare(logRows)
	st.versionRows = on.prepare(versionRows)
	st.attemptRows = on.prepare(attemptRows)
	st.attemptCount = on.prepare(attemptCount)
	return on.err
}

// preparer prepares statements until one fails.
type preparer struct {
	ctx     context.Context
	db      *sql.DB
	dialect *Dialect
	err     error
}

func (p *preparer) prepare(query string) (s *sql.Stmt) {
	if p.err == nil {
		s, p.err = p.db.PrepareContext(p.ctx, p.dialect.statement(query))
	}
	return s
}

func (st *statements) prepareWrites(ctx context.Context, db *sql.DB, d *Dialect) error {
	on := preparer{ctx: ctx, db: db, dialect: d}
	st.lastDirectoryNow = on.prepare(lastDirectory)
	st.insertDirectory = on.prepare(insertDirectory)
	st.insertRun = on.prepare(insertRun)
	st.replaceRun = on.prepare(replaceRun)
	st.deleteDirectories = on.prepare(deleteDirectories)
	st.deleteRuns = on.prepare(deleteRuns)
	st.packGuard = on.prepare(packGuard)
	st.packNames = on.prepare(packNames)
	st.insertPage = on.prepare(insertPage)
	st.insertBlock = on.prepare(insertBlock)
	st.deletePackedContents = on.prepare(deletePackedContents)
	st.deletePackedRows = on.prepare(deletePackedRows)
	st.insertContext = on.prepare(insertContext)
	st.updateContext = on.prepare(updateContextRow)
	st.contextRowNow = on.prepare(selectContext)
	st.deleteContext = on.prepare(deleteContext)
	st.currentState = on.prepare(currentState)
	st.logProof = on.prepare(logProof)
	st.forkState = on.prepare(forkState)
	st.sharedWithForks = on.prepare(sharedWithForks)
	st.insertLog = on.prepare(insertLog)
	st.insertFirst = on.prepare(insertFirst)
	st.attemptAt = on.prepare(attemptAt)
	st.currentCycle = on.prepare(currentCycle)
	st.attemptsAfter = on.prepare(attemptsAfter)
	st.insertAttempt = on.prepare(insertAttempt)
	st.updateAttempt = on.prepare(updateAttempt)
	st.deleteAttempt = on.prepare(deleteAttempt)
	st.deleteContent = on.prepare(deleteContent)
	st.deleteVersion = on.prepare(deleteVersion)
	for i, n := range insertSizes {
		if d.OwnContents {
			st.insertContents[i] = on.prepare(insertOwn + tuples(n, 3))
		} else {
			st.insertContents[i] = on.prepare(insertContents + tuples(n, 1))
		}
		st.insertRows[i] = on.prepare(insertRows + tuples(n, rowParams))
	}
	for i, query := range trim {
		st.trim[i] = on.prepare(query)
	}
	return on.err
}

// What identifies a content: its number, or its branch and its number.
var (
	byNumber = strings.NewReplacer("{key}", "no", "{of}", "content_no", "{same}", "c.no = v.content_no")
	byBranch = strings.NewReplacer("{key}", "(branch, no)", "{of}", "branch, content_no", "{same}",
		"c.branch = v.branch AND c.no = v.content_no")
)

// statement writes a statement in the dialect of the database.
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
