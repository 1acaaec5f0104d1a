// Package e2e tests the inspector as a person uses it: a real Chromium opens the address
// that the real pact serve prints, on a store in a SQLite file or in PostgreSQL, and the
// tests press keys, click, and read what is on the screen.
//
// Every tab fails its test if the page asks another origin for anything, throws, writes an
// error to the console or breaks its own content security policy, unless the test said
// beforehand that it expects that.
//
// It is a module of its own, so that what drives the browser stays out of the other one.
// make browser runs it.
package e2e
