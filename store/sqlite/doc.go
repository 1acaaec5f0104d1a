// Package sqlite keeps contexts in a file, with SQLite and without cgo. Any SQLite can read the
// file: the files in schema describe the tables.
//
// A change is on the disk before the call that made it returns: the file is in WAL mode with
// synchronous=FULL. One process writes at a time, any number read; a second writer waits five
// seconds for its turn.
package sqlite
