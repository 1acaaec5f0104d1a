// Package intake recognises the files that users give to pact, and makes contexts of the
// logs of other programs. The command line and the server both take files through it.
package intake
