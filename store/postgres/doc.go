// Package postgres keeps contexts in PostgreSQL or in a server that speaks its protocol. It
// uses plain tables and ordinary transactions and keeps nothing in the session, so that a
// pooler may stand in between. The file in schema describes the tables.
//
// A change is committed when the call that made it returns. Any number of processes may write;
// transactions are serializable, and the store repeats them when the server asks for that.
package postgres
