// Package cli is the command line program pact. It uses the public library like
// any other client; [Run] is its only entry point.
//
// A command works on a stored context, which its first argument names, or with
// --file on a document, a history or a transcript, without a store.
package cli
