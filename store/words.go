package store

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

func label(cycle int64) string { return "@c" + strconv.FormatInt(cycle, 10) }

func sprintMoved(g Guard, cycle, revision int64) string {
	return "another writer changed the context: expected cycle " + strconv.FormatInt(g.Cycle, 10) + " revision " +
		strconv.FormatInt(g.Revision, 10) +
		", found cycle " + strconv.FormatInt(cycle, 10) + " revision " + strconv.FormatInt(revision, 10)
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

// Closed returns the error for using a closed store: E_STORE.
func Closed() error {
	return fault.New(fault.Store, "the store is closed", "open it again")
}
