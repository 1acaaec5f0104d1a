// Package sqlkv keeps bytes in two tables of any database that speaks SQL: pair, of values at
// their keys, and log, of the records of all spaces. A dialect says what SQLite and PostgreSQL
// each do in their own way.
//
// The number of a row of the log leads with its space. A key of bytes would make SQLite read
// whole values while it compares keys.
package sqlkv
