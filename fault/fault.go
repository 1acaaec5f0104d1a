package fault

import (
	"errors"
	"strconv"
	"strings"
)

// Code names a kind of failure. The list is closed (06 §7, "Errors specific to
// Snapshot Ranges", and docs/decisions.md): add to it only on purpose. A Code is
// itself an error, so errors.Is(err, fault.Conflict) works.
type Code string

// The closed list of codes.
const (
	// a selector, a position or an address cannot be read or evaluated
	SelectorInvalid   Code = "E_SELECTOR_INVALID"
	RangeKindMismatch Code = "E_SNAPSHOT_RANGE_KIND_MISMATCH" // a range mixes @t and @c
	RangeWildcard     Code = "E_SNAPSHOT_RANGE_WILDCARD"      // a range ends in @*
	RangeLimit        Code = "E_SNAPSHOT_RANGE_LIMIT"         // a range was capped
	SnapshotNotFound  Code = "E_SNAPSHOT_NOT_FOUND"           // there is no such snapshot
	PlacementInvalid  Code = "E_PLACEMENT_INVALID"            // a node cannot be there
	Sealed            Code = "E_SEALED"                       // a node can no longer be changed
	NodeNotFound      Code = "E_NODE_NOT_FOUND"               // there is no such node
	NodeDuplicate     Code = "E_NODE_DUPLICATE"               // an id is taken
	ContextNotFound   Code = "E_CONTEXT_NOT_FOUND"            // there is no context of that name
	AttemptNotFound   Code = "E_ATTEMPT_NOT_FOUND"            // there is no such attempt
	NotFound          Code = "E_NOT_FOUND"                    // something outside of the contexts is not there: a file, a program, a store
	Usage             Code = "E_USAGE"                        // the arguments of a command make no sense
	DocumentInvalid   Code = "E_DOCUMENT_INVALID"             // input is not what it should be
	Conflict          Code = "E_CONFLICT"                     // the call does not fit what is there now
	Limit             Code = "E_LIMIT"                        // input is over a limit
	Busy              Code = "E_BUSY"                         // others hold the store, or the address to listen on
	Store             Code = "E_STORE"                        // the store failed, or the system did
)

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }

// Error is a failure with everything a person or a program needs to act on it.
type Error struct {
	Code    Code
	Message string // what is wrong, one sentence without a full stop
	Remedy  string // what to do about it, in calls of the library and not in commands; may be empty
	Node    string // id of the node concerned; may be empty
	Token   string // the offending piece of the input; may be empty
	Offset  int    // byte offset of Token in the input, or NoOffset
	Line    int    // 1-based line of the input, or 0 where lines mean nothing
	Err     error  // the cause underneath, if any
}

// NoOffset is the Offset of an error that has no place in an input.
const NoOffset = -1

// New returns an error without a place in an input.
func New(code Code, message, remedy string) *Error {
	return &Error{Code: code, Message: message, Remedy: remedy, Offset: NoOffset}
}

// At returns an error at a place of an input.
func At(code Code, offset int, token, message, remedy string) *Error {
	return &Error{Code: code, Message: message, Remedy: remedy, Token: token, Offset: offset}
}

// OnNode returns an error that concerns one node.
func OnNode(code Code, node, message, remedy string) *Error {
	return &Error{Code: code, Message: message, Remedy: remedy, Node: node, Offset: NoOffset}
}

// Wrap returns an error that keeps its cause.
func Wrap(code Code, err error, message, remedy string) *Error {
	return &Error{Code: code, Message: message, Remedy: remedy, Offset: NoOffset, Err: err}
}

// Error renders the failure on one line: code, place, message, cause, remedy.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	if e.Line > 0 {
		b.WriteString(" line " + strconv.Itoa(e.Line))
	}
	if e.Offset >= 0 {
		b.WriteString(" at byte " + strconv.Itoa(e.Offset))
	}
	if e.Node != "" {
		b.WriteString(" node " + strconv.Quote(e.Node))
	}
	b.WriteString(": " + e.Message)
	if cause := e.Cause(); cause != "" {
		b.WriteString(": " + cause)
	}
	if e.Remedy != "" {
		b.WriteString(" (" + e.Remedy + ")")
	}
	return b.String()
}

// Cause returns the text of the cause on one line, "" for none: those of drivers and
// resolvers have several lines, of which each says what happened at one address.
func (e *Error) Cause() string {
	if e.Err == nil {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(e.Err.Error()) {
		line = strings.TrimSpace(line)
		switch text := b.String(); {
		case line == "":
			continue
		case strings.HasSuffix(text, ":"):
			b.WriteString(" ")
		case text != "":
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// Is reports whether target is the code of e, or the code that it refines.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && (code == e.Code || code == e.Code.General())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first Error in err's chain, or "" if there is none.
func CodeOf(err error) Code {
	if err == nil { // most calls go well, and the variable below is an allocation
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
