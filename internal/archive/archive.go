package archive

import (
	"encoding/json"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Options say how to read bytes that become a context.
type Options struct {
	Edition selector.Edition // "" to take the one in the input
	Actor   string           // who imports, for the log
	// Strict refuses a history that needs repair, and one that no context can have had.
	// Otherwise findings say what was repaired or accepted as it is.
	Strict bool
	// Renumber counts the cycles of snapshots anew from that of the oldest. Otherwise a history
	// with a gap between its cycles is refused (05 §3.2, §6.6).
	Renumber bool
	// Root returns what becomes of a version of the root in the compact form; nil to take it as it is.
	Root func(*tree.Node) *tree.Node
}

// compactVersion is the version of the compact form.
const compactVersion = 1

// compactEntry is a log entry in the compact form. Revision and request token belong
// to the store of the original, so it leaves them out.
type compactEntry struct {
	Actor   string          `json:"actor,omitempty"`
	Digest  string          `json:"digest,omitempty"`
	Idle    []string        `json:"idle,omitempty"`
	Message string          `json:"message,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"`
	Sent    string          `json:"sent,omitempty"`
	Thread  string          `json:"thread,omitempty"`
	TimeNS  int64           `json:"time_ns"`
}
