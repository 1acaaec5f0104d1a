package lifecycle

// Reason says why a node went.
type Reason string

// The reasons.
const (
	Expired  Reason = "expired"
	Cascaded Reason = "cascade" // a removable group lost its last child (02 §5.3.1)
	Pruned   Reason = "pruned"
	Orphaned Reason = "orphan" // a call without a result or the reverse, which expiry left so or the policy drops
)

// Removal is a node that the commit took out.
type Removal struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`
	// of what was pruned: the limit that it went for, such as max_nodes 200, or named, or rewritten
	Rule string `json:"rule,omitempty"`
}

// Held is a node that was to go and stayed.
type Held struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`       // why it was to go
	Kept   string `json:"kept"`         // what kept it, one of the words below
	By     string `json:"by,omitempty"` // the node that refers to it, belongs to it, or that it contains
}

// What keeps a node that was to go.
const (
	Referenced = "referenced"
	Retained   = "retained"
	Pinned     = "pinned"
	Recent     = "recent"   // among the protected most recent turns
	Contains   = "contains" // something that stays is below it
	Waits      = "waiting"  // pruning waits for more to free
	Whole      = "whole"    // a turn would have to go that was not asked for, or it is no block
)

// Freed is how much less there is after pruning than before.
type Freed struct {
	Nodes  int   `json:"nodes"` // blocks and containers
	Bytes  int64 `json:"bytes"` // of the canonical thread
	Tokens int64 `json:"tokens,omitempty"`
}

// Waiting is a pruning that was put off.
type Waiting struct {
	Would Freed `json:"would_free"`
	Until int64 `json:"until,omitempty"` // the cycle that it waits for at most, 0 where it waits for more to free alone
}

// Stub is a block that stands for what was pruned.
type Stub struct {
	ID  string   `json:"id"`
	For []string `json:"for"`
}

// Orphan is a call without a result or a result without a call.
type Orphan struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// Report is what a commit did besides sealing, in document order for expiry
// and in canonical pruning order for pruning.
type Report struct {
	Policy   *Policy   `json:"policy,omitempty"`
	Removed  []Removal `json:"removed,omitempty"`
	Held     []Held    `json:"held,omitempty"`
	Retained []string  `json:"retained,omitempty"`
	Budget   string    `json:"budget,omitempty"`  // said where a limit could not be kept, and why
	Freed    *Freed    `json:"freed,omitempty"`   // by pruning
	Waiting  *Waiting  `json:"waiting,omitempty"` // where pruning waits
	Stubs    []Stub    `json:"stubs,omitempty"`
	Orphans  []Orphan  `json:"orphans,omitempty"` // that were dropped or kept
}

// Idle returns the removable groups that the commit left empty because something
// kept them (02 §5.3.1). The next commit looks at them again: see Input.Idle.
func (r *Report) Idle() (ids []string) {
	for _, h := range r.Held {
		if h.Reason == Cascaded {
			ids = append(ids, h.ID)
		}
	}
	return ids
}
