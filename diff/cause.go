package diff

// Kind is what made a node differ.
type Kind string

// The kinds (06 §6). Expiry, pruning, cascade and seal are the work of commits,
// insertion and reordering what an edit did to a prefix.
const (
	ByExpiry    Kind = "expiry"    // its ttl ended, or that of a node above it
	ByPruning   Kind = "pruning"   // a budget or a request took it
	ByCascade   Kind = "cascade"   // a removable group lost its last child
	ByEdit      Kind = "edit"      // added, updated, moved or removed by an edit
	BySeal      Kind = "seal"      // the active head became a turn
	ByTTL       Kind = "ttl"       // only time passed
	ByErasure   Kind = "erasure"   // of a life: it was emptied for good, in all snapshots
	BySelection Kind = "selection" // it is the same on both sides; what the selector goes by is not

	ByInsertion  Kind = "insertion"  // of a prefix: a new node came before what was there
	ByReordering Kind = "reordering" // of a prefix: a node moved, or the order changed
)

// Cause says what made a node differ, in which cycle, and who did it, if the log knows.
type Cause struct {
	Kind  Kind  `json:"kind"`  // what made the node differ
	Cycle int64 `json:"cycle"` // in which it happened last
	// of pruning: "named", or a limit such as "max_nodes 40"; "stub" of what it left
	Rule     string `json:"rule,omitempty"`
	Inferred bool   `json:"inferred,omitempty"` // from the snapshots, because the log has no report of that commit
	Author
}

// Author is who made a change, according to the log.
type Author struct {
	Revision int64  `json:"revision,omitempty"` // of the log entry; 0 where several may be meant
	Actor    string `json:"actor,omitempty"`    // "" where nobody was named, or several changed it
	Message  string `json:"message,omitempty"`  // that of the edit or, where it has none, of the commit of its cycle
}
