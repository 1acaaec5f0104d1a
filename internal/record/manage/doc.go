// Package manage decides in which form the requests of an agent are sent. The decision is a function of the rules of a
// policy, of what was decided before, and of the request; a ledger of what the calls cost says when it pays. It adds
// to a list of decisions and takes none back. A recorder that manages, one that observes and a simulation call the
// same function: they differ in where they keep the list, and in who counts the tokens.
package manage
