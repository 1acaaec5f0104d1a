// Package providertest is a stand-in for the providers of four APIs, for tests: an
// HTTP handler that answers by a script, streamed or not. It refuses the requests
// that the providers refuse, with the providers' own messages.
package providertest
