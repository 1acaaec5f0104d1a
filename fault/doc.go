// Package fault holds the one error type of the project and its closed list of codes.
// Every call of every package returns a *Error on failure, so that a program can tell
// failures apart and a person can mend them. A store that somebody else writes must
// return them too, because callers decide by the code.
//
//	if errors.Is(err, fault.Conflict) { … } // a Code is itself an error
//	code := fault.CodeOf(err)               // "" for an error of another origin
//
// docs/errors.md says for each code when it comes.
package fault
