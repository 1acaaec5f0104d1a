// Package runfile writes and reads a run in a page of its own. Texts share their pieces, so that three hundred
// requests, each of which repeats the one before, take little more than the last one.
package runfile
