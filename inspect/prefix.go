package inspect

import "github.com/contexttree/pact/diff"

// Prefix says how large the canonical thread of one cycle is and how much of the
// thread of the cycle before it repeats. Providers cache by that prefix, byte
// for byte.
type Prefix struct {
	Cycle  int64         `json:"cycle"`            // of the thread
	Blocks int           `json:"blocks"`           // of the whole thread
	Bytes  int64         `json:"bytes"`            // of the whole thread
	Tokens *int64        `json:"tokens,omitempty"` // of all contents, nil if the context has no counter
	Shared *SharedPrefix `json:"prefix,omitempty"` // nil in the first cycle
	Break  *Break        `json:"break,omitempty"`  // nil if the thread repeats all of the thread before it
	Call   *CallPrefix   `json:"call,omitempty"`   // nil if no request was recorded
}

// SharedPrefix says how many blocks at the beginning of the canonical threads
// (02 §12) of an older and a newer snapshot render to the same bytes.
type SharedPrefix struct {
	Blocks   int    `json:"blocks"`              // that both threads begin with
	OfBlocks int    `json:"of_blocks"`           // of the whole older thread
	Bytes    int64  `json:"bytes"`               // of the shared blocks, their commas and the opening bracket
	OfBytes  int64  `json:"of_bytes"`            // of the whole older thread
	Tokens   *int64 `json:"tokens,omitempty"`    // of the shared contents, nil if nothing was counted
	OfTokens *int64 `json:"of_tokens,omitempty"` // of all contents of the older thread, nil if nothing was counted
	Complete bool   `json:"complete"`            // the newer thread repeats the whole older one
	Older    string `json:"older,omitempty"`     // id of the first block that differs, "" if Complete
	Newer    string `json:"newer,omitempty"`     // id of the block in its place now, "" if there is none
}

// Share is the part of the older thread that the newer one repeats, by bytes:
// from 0 to 1.
func (p *SharedPrefix) Share() float64 {
	if p.Complete || p.OfBytes == 0 {
		return 1
	}
	return float64(p.Bytes) / float64(p.OfBytes)
}

// Break says why the thread of a cycle does not repeat all of the thread before it.
type Break struct {
	Node        string     `json:"node"`           // id of the first node that differs
	Role        string     `json:"role,omitempty"` // with which the thread shows it
	Kind        string     `json:"kind,omitempty"` // its kind, "" without one
	Cause       diff.Cause `json:"cause"`          // expiry, pruning, cascade, edit, insertion or reordering
	diff.Ranges            // of the node in both threads
}
