// Package dialect describes, in one table for each provider, what providers cache
// of a request, in which order and for how long. From the table it derives which
// part of a request ends the prefix shared with the previous request, and how much
// of it the provider should read from its cache.
//
// docs/wire.md has the tables with their sources. The tables hold only what a
// source says, and no guesses.
package dialect
