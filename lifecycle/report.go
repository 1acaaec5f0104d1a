package lifecycle

// Reason says why a commit removed a node.
type Reason string

// The reasons.
const (
	Expired  Reason = "expired" // its ttl is over (03 §4)
	Cascaded Reason = "cascade" // a removable group lost its last child (02 §5.3.1)
	Pruned   Reason = "pruned"  // a limit or the caller asked for it (02 §7)
	Orphaned Reason = "orphan"  // a call without a result or the reverse, after expiry or where the policy drops them
)

// Removal is a node that the commit removed.
type Removal struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`
	// of a pruned node: the limit that asked for it, such as max_nodes 200, or named, or rewritten; of
	// one that went by a rule of the policy: such as rule 3 after 12 calls
	Rule   string `json:"rule,omitempty"`
	Number int    `json:"number,omitempty"` // of that rule, counted from 1; 0 for none
}

// What [Removal.Rule] says of nodes that the caller asked for.
const (
	RuleNamed     = "named"     // by an id or a selector
	RuleRewritten = "rewritten" // as turns that the conversation replaces
)

// Kept is a node that was to go and that something kept.
type Kept struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`       // why it was to go
	Why    string `json:"kept"`         // what kept it, one of the words below
	By     string `json:"by,omitempty"` // the node that refers to it, must go with it, or is below it
}

// What keeps a node that was to go.
const (
	Referenced   = "referenced" // a node that stays refers to it
	Retained     = "retained"   // a holder in this process retains it
	Pinned       = "pinned"     // it, or a node that must go with it, is pinned
	Recent       = "recent"     // it is among the protected most recent turns
	FirstMessage = "task"       // it is, or holds, the first message of the user, and the policy protects that
	Contains     = "contains"   // a node below it stays
	PruningWaits = "waiting"    // the policy postpones pruning
	PartOfTurn   = "whole"      // it can only go with a turn that the caller did not name
)

// Ruled is a node that a rule found before it was first sent.
type Ruled struct {
	ID   string `json:"id"`
	Rule int    `json:"rule"` // counted from 1
	Does string `json:"does"` // what it set, such as "ttl 12"
}

// Savings is how much smaller pruning made the state.
type Savings struct {
	Nodes  int   `json:"nodes"` // blocks and containers
	Bytes  int64 `json:"bytes"` // of the canonical thread
	Tokens int64 `json:"tokens,omitempty"`
}

// Postponed is a pruning that the policy postponed (decision 060).
type Postponed struct {
	Would Savings `json:"would_free"`      // what it would free now
	Until int64   `json:"until,omitempty"` // the cycle in which it happens at the latest, 0 if no cycle is set
}

// StubKind is the kind of the blocks that replace pruned nodes.
const StubKind = "stub"

// Stub is a block that replaces pruned nodes.
type Stub struct {
	ID  string   `json:"id"`  // of the stub
	For []string `json:"for"` // the ids of the roots of what it replaces
}

// Orphan is a call without a result or a result without a call.
type Orphan struct {
	ID   string `json:"id"`
	What string `json:"what"` // what is missing, as a sentence
}

// Report tells what a commit did besides sealing. Expired nodes are listed in document order,
// pruned nodes in the order in which they were pruned.
type Report struct {
	Policy    *Policy    `json:"policy,omitempty"`   // nil for a policy that says nothing
	Ruled     []Ruled    `json:"ruled,omitempty"`    // the new nodes that rules found
	Removed   []Removal  `json:"removed,omitempty"`  // the nodes that went
	Kept      []Kept     `json:"held,omitempty"`     // the nodes that were to go and stayed
	Retained  []string   `json:"retained,omitempty"` // ids that holders of the context retained at the time
	Budget    string     `json:"budget,omitempty"`   // the limits that are still exceeded, by how much and why
	Over      []Over     `json:"over,omitempty"`     // the same limits, one by one
	Savings   *Savings   `json:"freed,omitempty"`    // nil if nothing was pruned
	Postponed *Postponed `json:"waiting,omitempty"`  // nil if no pruning was postponed
	Stubs     []Stub     `json:"stubs,omitempty"`    // the stubs that the commit left
	Orphans   []Orphan   `json:"orphans,omitempty"`  // the orphans that the commit dropped or kept
	Scheduled []string   `json:"-"`                  // what comes again, for the next commit (1.0 03 §3.4)
}

// Over is a limit that a commit could not keep.
type Over struct {
	Limit string `json:"limit"` // such as max_tokens, or max_nodes in ^sys
	Most  int64  `json:"most"`  // what it allows
	Has   int64  `json:"has"`   // what the snapshot has, in the unit of the limit
}
