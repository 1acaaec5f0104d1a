// Package conformance is the conformance kit: the normative cases of the
// specification as JSON, and a runner that checks a command line against them.
// The directory cases has the cases, fixtures and operations have their input,
// checklists has the checklists. docs/conformance.md describes the format of these
// files and the commands that an implementation must have.
//
// The package knows nothing of this implementation: a [Command] runs the program
// under test, whichever it is.
package conformance
