// Package intake finds out what a file is that somebody gives to pact, and makes contexts of the
// logs of other programs. The command line and the server both take files through it.
package intake
