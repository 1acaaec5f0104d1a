package history

import (
	"strconv"

	"github.com/contexttree/pact/fault"
)

// AccessToken is a right to use the contexts of a store through a server, given to whoever
// knows a secret. The store has a hash of that secret only.
type AccessToken struct {
	Name      string   // says whose it is; unique in the store
	Hash      [32]byte // of the secret, as package server makes it
	Write     bool     // may change contexts, not only read them
	Pattern   string   // names of the contexts that it opens, * for any characters; "" opens all
	CreatedNS int64    // Unix time in nanoseconds
}

// Check returns E_DOCUMENT_INVALID for a token that no store keeps.
func (t *AccessToken) Check() error {
	if err := CheckName(t.Name); err != nil {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, t.Name,
			"the name of the token is not 1 to "+strconv.Itoa(MaxName)+" bytes of text, or begins with @ or -",
			"choose another name")
	}
	if t.Pattern == "" {
		return nil
	}
	if err := CheckName(t.Pattern); err != nil {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, t.Pattern, "no context has a name like this pattern",
			"write a name of a context, with * for any characters")
	}
	return nil
}
