package pact

import (
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/selector"
)

// Address names a state of a context, as a text: @t0 is the snapshot of the latest commit, @t-3 the one three commits
// before, @c12 that of cycle 12 (05 §2.3). The words latest and latest-3 mean the same as @t0 and @t-3, and the word
// working is the working state, which the next commit publishes. A call that takes an Address returns
// E_SELECTOR_INVALID for any other text, and E_SNAPSHOT_NOT_FOUND if there is no such snapshot. In edition 1.0 a user
// writes @t0 for the working state and @t-1 for the snapshot of the latest commit: [ParseAddress] and [Address.Text]
// translate.
//
// Specification: 02 §8.4, 05 §2.3.
type Address string

// Cycle returns @cN: the snapshot of cycle n.
func Cycle(n int64) Address { return Address(address.Cycle(n).Word()) }

// ParseAddress checks a text that a user wrote in an edition; "" is that of the documents before edition 1.0. It returns
// the form that the functions of this package return for the same state, or the text where zeros in front of the number
// make it another one, so that errors quote what was written; E_SELECTOR_INVALID for a text that is no address of one
// state.
//
// Specification: 02 §8.4, 1.0 05 §2.3.
func ParseAddress(s string, e selector.Edition) (Address, error) {
	a, err := address.ParseIn(s, e)
	return Address(a), err
}

// String returns the address as the documents before edition 1.0 write it: @t0, @t-3, @c12 or working.
func (a Address) String() string { return a.Text("") }

// isWorking reports whether an address names the working state.
func (a Address) isWorking() bool {
	at, err := address.Parse(string(a))
	return err == nil && at.IsWorking()
}

// Text returns the address as an edition writes it.
func (a Address) Text(e selector.Edition) string { return address.Text(string(a), e) }
