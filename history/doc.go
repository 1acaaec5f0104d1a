// Package history holds what a store remembers of contexts beside their trees: the entries of
// their logs, the attempts to call a provider, what an erasure removed, and the access tokens
// of a server.
package history
