package store

import (
	"context"
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

// TokenKeeper keeps the tokens that open a server, beside the contexts, so that every process
// that serves the store knows the same ones.
type TokenKeeper interface {
	// AddToken keeps a token; E_CONFLICT if there is one with its name. It is durable before
	// AddToken returns.
	AddToken(ctx context.Context, t AccessToken) error
	// Tokens lists the tokens by name, in the order of their bytes. Cost: one row each.
	Tokens(ctx context.Context) ([]AccessToken, error)
	// RevokeToken removes a token; E_DOCUMENT_INVALID if there is none with this name.
	RevokeToken(ctx context.Context, name string) error
}

// TokenTaken returns the error for the name of a token that is there already: E_CONFLICT.
func TokenTaken(name string) error {
	return fault.At(fault.Conflict, fault.NoOffset, name, "there is a token "+strconv.Quote(name)+" already",
		"choose another name, or revoke that one first")
}

// NoToken returns the error for the name of a token that is not there: E_DOCUMENT_INVALID.
func NoToken(name string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, name, "there is no token "+strconv.Quote(name),
		"Tokens lists those that are there")
}
