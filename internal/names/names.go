// Package names says which names a context may have, and what a caller learns whose name, or whose request token, is
// in use.
package names

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
)

// Check returns E_DOCUMENT_INVALID for a name that a command line or a file cannot hold.
func Check(name string) error {
	if name == "" || len(name) > history.MaxName || !canon.ValidText(name) || name[0] == '@' || name[0] == '-' {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, name,
			"the name of the context is not 1 to "+strconv.Itoa(history.MaxName)+
				" bytes of UTF-8, or begins with @ or -", "choose another name")
	}
	if name == "." || name == ".." {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, name, "the name of the context is "+name+
			", which no path of a file or of an address can hold", "choose another name")
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return fault.At(fault.DocumentInvalid, fault.NoOffset, name, "the name of the context has control characters",
				"choose another name")
		}
	}
	return nil
}

// Taken returns the error for a name that another context has: E_CONFLICT.
func Taken(name string) error {
	return fault.New(fault.Conflict, "there is a context "+strconv.Quote(name)+" already",
		"choose another name, or delete that one")
}

// RequestSeen returns the error for a request token that the log already has: E_CONFLICT.
func RequestSeen(token string) error {
	return fault.New(fault.Conflict, "the request token "+strconv.Quote(token)+" was used before",
		"Request returns the log entry of that call")
}
