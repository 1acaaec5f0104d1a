package pact

import "github.com/contexttree/pact/store"

// VerifyReport is what Verify found.
type VerifyReport struct {
	Context   string  `json:"context"`
	Snapshots int     `json:"snapshots"` // that were rendered again and hold
	Versions  int     `json:"versions"`  // of nodes, each with its content read and hashed again
	Recorded  int     `json:"recorded"`  // snapshots whose digests were recorded with their commit
	Sent      int     `json:"sent"`      // snapshots whose bytes were recorded when they were sent
	Attempts  *Joined `json:"attempts,omitempty"`
	Broken    *Broken `json:"broken,omitempty"` // the first thing that does not hold, nil where all of it does

	Erased   int           `json:"erased,omitempty"`   // nodes of which only a mark is left, in any snapshot or the working state
	Remains  string        `json:"remains,omitempty"`  // what erasures in this store left to clean up, "" for nothing
	Erasures []PastErasure `json:"erasures,omitempty"` // what the logs say of that, oldest first
}

// PastErasure is what the log says of an erasure.
type PastErasure struct {
	Revision int64  `json:"revision,omitempty"` // 0 where it is in the log of an origin only
	TimeNS   int64  `json:"time_ns"`
	Actor    string `json:"actor,omitempty"`
	Reason   string `json:"reason"`
	store.Erased
}

// Joined says what the attempts of a context (03 §6) have to do with what was
// committed. A cycle that was committed otherwise than sent holds all the same:
// edits are allowed after an attempt.
type Joined struct {
	Records    int     `json:"records"`
	Running    int     `json:"running"`          // that nobody ended
	AsSent     int     `json:"as_sent"`          // snapshots with a completed attempt that was sent exactly their thread
	Otherwise  []int64 `json:"otherwise"`        // cycles of snapshots with completed attempts, all of which were sent something else
	Unanswered int     `json:"unanswered"`       // snapshots with attempts, none of which was completed
	Erased     int     `json:"erased,omitempty"` // snapshots of which an erasure took what their attempts were sent
}

// Broken is something in a context that is not as it was.
type Broken struct {
	Loose    bool     `json:"loose,omitempty"`   // it belongs to no cycle that could be told: to the file, or to what says which contexts there are
	Cycle    int64    `json:"cycle"`             // of the snapshot, or of the commit to come
	Working  bool     `json:"working,omitempty"` // it is in the working state
	Node     string   `json:"node,omitempty"`    // id of the node, where it is known
	Among    []string `json:"among,omitempty"`   // else the few nodes that came or changed there, of which it is one
	What     string   `json:"what"`
	Recorded string   `json:"recorded,omitempty"` // what it should be
	Found    string   `json:"found,omitempty"`    // and is
}
