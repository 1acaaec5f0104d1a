package inspect

import "slices"

// Verification says whether a context is still what its commits published, and how much was
// checked.
type Verification struct {
	Context   string         `json:"context"`            // name of the context
	Snapshots int            `json:"snapshots"`          // how many were checked and hold
	Versions  int            `json:"versions"`           // versions of nodes, each with its content read and hashed again
	Recorded  int            `json:"recorded"`           // snapshots whose digests were recorded with their commit
	Sent      int            `json:"sent"`               // snapshots whose bytes were recorded when they were sent
	Attempts  *AttemptCounts `json:"attempts,omitempty"` // nil if the context has no attempts
	Defect    *Defect        `json:"broken,omitempty"`   // the first one, nil if the context holds

	// nodes of any snapshot or the working state of which an erasure left only a mark
	Erased   int       `json:"erased,omitempty"`
	Remains  string    `json:"remains,omitempty"`  // what erasures in this store left to clean up, "" for nothing
	Erasures []Erasure `json:"erasures,omitempty"` // as the logs of the context and its origins tell, oldest first
}

// Holds reports whether no defect was found.
func (v *Verification) Holds() bool { return v.Defect == nil }

// StoreVerification is the verification of everything in a store.
type StoreVerification struct {
	Defect   *Defect         `json:"broken,omitempty"` // in what belongs to no single context, nil if all of that holds
	Contexts []*Verification `json:"contexts"`         // by name; empty if a defect hides which contexts there are
}

// Holds reports whether neither the contexts nor the rest of the store have a defect.
func (v *StoreVerification) Holds() bool {
	return v.Defect == nil && !slices.ContainsFunc(v.Contexts, func(c *Verification) bool { return !c.Holds() })
}

// Defect is a fault that a verification found: something in a context that differs from
// what was written. A store.Damage is a fault that a store found in its own rows; it can be
// the reason for a defect, but a defect can also come from intact rows that contradict each
// other.
type Defect struct {
	NoCycle bool   `json:"loose,omitempty"`   // it belongs to no cycle: in the file, or in the list of contexts
	Cycle   int64  `json:"cycle"`             // of the snapshot, or of the commit to come
	Working bool   `json:"working,omitempty"` // it is in the working state
	Node    string `json:"node,omitempty"`    // id of the node, "" if it is not known
	// if Node is "": up to 50 ids of nodes that the cycle brought; the node is one of them
	Suspects []string `json:"among,omitempty"`
	What     string   `json:"what"`               // what does not hold
	Recorded string   `json:"recorded,omitempty"` // what it should be
	Found    string   `json:"found,omitempty"`    // what it is
	// nothing is lost: readers work without it, and compacting the store builds it again
	Derived bool `json:"derived,omitempty"`
}

// AttemptCounts compares the threads that completed attempts (03 §6) sent with the threads
// that were committed. They may differ without a defect, because edits are allowed after an
// attempt. Each snapshot with attempts counts once, in Matching, Differing, Erased or
// Incomplete.
type AttemptCounts struct {
	Records  int `json:"records"` // all attempts of the context
	Running  int `json:"running"` // attempts that nobody ended
	Matching int `json:"as_sent"` // snapshots whose very thread a completed attempt was sent
	// cycles of snapshots of which all completed attempts were sent other bytes; never nil
	Differing  []int64 `json:"otherwise"`
	Incomplete int     `json:"unanswered"`       // snapshots with attempts, none of which was completed
	Erased     int     `json:"erased,omitempty"` // snapshots whose attempts an erasure stripped of their hashes
	// Of requests that a recorder stored, told by package record: how many are restored byte for byte, and the attempts whose
	// request is not, mostly because a snapshot was changed since.
	Restored   int      `json:"restored,omitempty"`
	Unrestored []string `json:"not_restored,omitempty"`
}

// Erasure is an erasure as the log tells of it.
type Erasure struct {
	Revision int64    `json:"revision,omitempty"` // 0 if only the log of an origin tells of it
	TimeNS   int64    `json:"time_ns"`            // nanoseconds since the epoch
	Actor    string   `json:"actor,omitempty"`    // who asked for it
	Reason   string   `json:"reason"`             // why
	IDs      []string `json:"ids,omitempty"`      // of the nodes that were emptied, sorted
	Versions int      `json:"versions,omitempty"` // of these nodes
	Entries  int      `json:"entries,omitempty"`  // of the log, which lost actor, message, request and report
	// attempts that lost the hash of what they sent, or texts of the provider
	Attempts int    `json:"attempts,omitempty"`
	Digests  int    `json:"digests,omitempty"`     // of drafts that are gone
	Salt     string `json:"salt_sha256,omitempty"` // SHA-256 of the salt of the marks, in hexadecimal
}
