package inspect

// Explanation says how a selector is evaluated and what that cost. A node counts once for
// each snapshot that has it.
type Explanation struct {
	Selector string           `json:"selector"`                // canonical text
	Edition  string           `json:"edition"`                 // of the selector language
	Groups   []ExplainedGroup `json:"groups" nullable:"false"` // in the order of the selector
	Order    string           `json:"order"`                   // of the nodes, in words
	Choice   string           `json:"choice,omitempty"`        // the parts that choose from all nodes of one key
	// the controls that leave nodes out, in the order in which they apply
	Window []string `json:"window,omitempty"`

	Snapshots int `json:"snapshots"` // that were asked
	Nodes     int `json:"nodes"`     // in all of them
	Visited   int `json:"visited"`   // looked at; a list of edition 1.0 looks once for each fragment
	Skipped   int `json:"skipped"`   // ruled out by ids, ranks and summaries without a look
	// what is left after controls and windows; of a range that gives changes, in all its snapshots
	Returned int `json:"returned"`
}

// ExplainedGroup explains one group of a selector. A group that begins with
// within(…) has one for each hop that is not a depth.
type ExplainedGroup struct {
	Text  string          `json:"text"`                   // canonical text of the group
	Steps []ExplainedStep `json:"steps" nullable:"false"` // positions and searches spelled out
}

// ExplainedStep explains one step of a group.
type ExplainedStep struct {
	Text  string   `json:"text"`            // canonical text, with the combinator ">" where it has one
	Reach string   `json:"reach"`           // how its nodes are reached from the step before
	Skips []string `json:"skips,omitempty"` // the values whose absence from a summary rules a subtree out
}
