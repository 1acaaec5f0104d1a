// Package runfile has the form in which a run stands in a page of its own: texts that share their pieces, so
// that three hundred requests, each of which repeats the one before, take little more than the last one.
package runfile
