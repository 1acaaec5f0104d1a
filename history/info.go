package history

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// Key identifies a context within its store for as long as the context lives, also when it
// is renamed.
type Key int64

// Info describes a context, without its nodes.
type Info struct {
	Key      Key
	Name     string
	Edition  string // of the selector language; fixed when the context is created
	First    int64  // cycle of the oldest snapshot: 1, or that of an imported document
	Cycle    int64  // cycle of the latest snapshot, First-1 if there is none yet
	Revision int64  // counts batches of edits and commits, from 1
	Fork     int64  // its number among all forks of a family of contexts, 0 for a context that is no fork
	Origin   Origin // where a fork began
	Erasures int64  // counts the erasures that changed its snapshots or its log
	Listed   Listed
}

// Origin is the snapshot from which a fork was made: its context, its cycle, and the
// revision that published it. That context may have been deleted since.
type Origin struct {
	Key             Key
	Cycle, Revision int64
}

// MaxName is the longest name of a context in bytes.
const MaxName = 512

// CheckName returns E_DOCUMENT_INVALID for a name that a command line or a file cannot hold.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName || !canon.ValidText(name) || name[0] == '@' || name[0] == '-' {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, name,
			"the name of the context is not 1 to "+strconv.Itoa(MaxName)+
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

// NameTaken returns the error for a name that another context has: E_CONFLICT.
func NameTaken(name string) error {
	return fault.New(fault.Conflict, "there is a context "+strconv.Quote(name)+" already",
		"choose another name, or delete that one")
}
