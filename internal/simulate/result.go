package simulate

// Result is a run under several policies.
type Result struct {
	Run       string    `json:"run"`
	Calls     int       `json:"calls"`
	Model     string    `json:"model,omitempty"` // whose prices count; "" if none is known
	Dialect   string    `json:"dialect"`         // whose rules of caching count
	Counter   string    `json:"counter"`         // that counted the tokens of blocks
	Scaled    bool      `json:"scaled"`          // to what the provider counted
	Currency  string    `json:"currency,omitempty"`
	AsOf      string    `json:"as_of,omitempty"` // the date of the prices
	Outcomes  []Outcome `json:"outcomes"`        // the run as it was, then one for each policy
	Sentences []string  `json:"sentences"`       // what this says, and what it does not

	hour bool // the run wrote to the cache for an hour
}

// Outcome is what a run would have sent and cost under a policy.
type Outcome struct {
	Policy    string   `json:"policy"`         // its name; "none" for the run as it was
	Sent      int64    `json:"sent"`           // tokens of all requests
	Read      int64    `json:"read"`           // of these, from the cache
	Written   int64    `json:"written"`        // of these, to the cache
	Cost      *float64 `json:"cost,omitempty"` // of what was sent, without answers; nil if the model has no price
	Breaks    int      `json:"breaks"`         // calls that do not repeat all of the request before
	Reasoning int      `json:"reasoning"`      // blocks of reasoning behind a break, which some models drop or refuse
	Removed   int      `json:"removed"`        // blocks that the policy took, each once
	Shaped    int      `json:"shaped"`         // blocks that were shortened before they were first sent
	Regrets   []Regret `json:"regrets,omitempty"`
	// Further is after how many more calls like the last one a policy that costs more would not; nil if
	// it costs no more, or never would.
	Further *int64 `json:"further_calls,omitempty"`
	ByCall  []Call `json:"by_call,omitempty"`

	last struct{ sent, read int64 } // of the last call
}

// Call is one call under a policy.
type Call struct {
	Cycle     int64    `json:"cycle"`
	Sent      int64    `json:"sent"`
	Read      int64    `json:"read"`
	Written   int64    `json:"written"`
	Cost      *float64 `json:"cost,omitempty"`
	Broke     bool     `json:"broke,omitempty"`
	Reasoning int      `json:"reasoning,omitempty"` // blocks behind the break
	Removed   int      `json:"removed,omitempty"`   // blocks that went at this call
	Waiting   int      `json:"waiting,omitempty"`   // nodes that were due and stayed
}

// Regret is something that the run needed later and that a policy had removed.
type Regret struct {
	Cycle int64  `json:"cycle"`          // whose context lacked it
	Node  string `json:"node"`           // the block that needed it
	Of    string `json:"of"`             // the removed or shortened block
	Tool  string `json:"tool,omitempty"` // of a call that was made again with the same arguments
	Text  string `json:"text,omitempty"` // the line that was quoted
}
