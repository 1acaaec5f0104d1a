package inspect

// Occurrence is a content that was searched for, and the snapshots that have it.
type Occurrence struct {
	ID     string // of the node
	Role   string // its header, "" without one
	Shown  string // the role with which the thread shows it (02 §12.4)
	Kind   string // its header, "" without one
	Erased bool   // an erasure removed the content
	First  int64  // cycle of the first searched snapshot with this content
	Last   int64  // cycle of the last one

	Working bool // no searched snapshot has the content, only the working state
	Sealed  bool // of such a one: the latest snapshot has it too, which was not searched
}
