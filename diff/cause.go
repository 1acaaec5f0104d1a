package diff

// Kind says what made a node differ.
type Kind string

// The kinds (06 §6). Commits cause expiry, pruning, cascade and seal. Insertion and
// reordering are what edits do to a prefix.
const (
	ByExpiry    Kind = "expiry"    // its ttl ended, or that of a node above it
	ByPruning   Kind = "pruning"   // a budget or a request took it
	ByCascade   Kind = "cascade"   // a removable group lost its last child
	ByEdit      Kind = "edit"      // added, updated, moved or removed by an edit
	BySeal      Kind = "seal"      // the active head became a turn
	ByTTL       Kind = "ttl"       // only time passed
	ByErasure   Kind = "erasure"   // in a timeline: an erasure emptied it in all snapshots
	ByContext   Kind = "context"   // the sides are snapshots of two contexts
	BySelection Kind = "selection" // the node is the same on both sides; what the selector tests differs

	ByInsertion  Kind = "insertion"  // in a prefix: a new node came before older ones
	ByReordering Kind = "reordering" // in a prefix: a node moved, or the order changed
)

// Cause says what made a node differ, in which cycle, and who did it, if the log knows.
type Cause struct {
	Kind  Kind  `json:"kind"`  // what made the node differ
	Cycle int64 `json:"cycle"` // the cycle in which it happened last
	// for pruning: "named", or a limit such as "max_nodes 40"; "stub" for the stub that it left; for
	// what went by a rule of the policy, such as "rule 3 after 12 calls"
	Rule     string `json:"rule,omitempty"`
	Inferred bool   `json:"inferred,omitempty"` // from the snapshots, because the log has no report of that commit
	Author
}

// Author is who made a change, according to the log.
type Author struct {
	Revision int64  `json:"revision,omitempty"` // of the log entry; 0 if several entries may be it
	Actor    string `json:"actor,omitempty"`    // "" if the log names no actor, or several changed it
	Message  string `json:"message,omitempty"`  // of the edit or, if it has none, of the commit of its cycle
}
