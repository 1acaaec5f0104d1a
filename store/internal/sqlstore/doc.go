// Package sqlstore keeps the histories of contexts in a relational database, through
// database/sql. A Dialect says how one database differs from another. The schema of each
// dialect makes and describes the tables.
//
// A version of a node is one row with the cycle of its birth; its death is a row of its own. So
// every snapshot is one indexed query, a commit writes rows only for what changed, and contexts
// that share history can share rows (05 §2).
package sqlstore
