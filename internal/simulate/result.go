package simulate

// Basis names the run that was replayed, and the rules of caching and the prices that count.
type Basis struct {
	Run      string `json:"run"`
	Calls    int    `json:"calls"`
	Model    string `json:"model,omitempty" doc:"Whose prices count; absent if no call names one"`
	Dialect  string `json:"dialect" doc:"Whose rules of caching count"`
	Counter  string `json:"counter" doc:"That counted the tokens of blocks"`
	Scaled   bool   `json:"scaled" doc:"To what the provider counted"`
	Currency string `json:"currency,omitempty"`
	AsOf     string `json:"as_of,omitempty" doc:"The date of the prices"`
	Window   int64  `json:"window,omitempty" doc:"How many tokens a request to the model may have; absent if no list says"`
}

// Result is a run under several policies.
type Result struct {
	Basis
	Outcomes  []Outcome `json:"outcomes" nullable:"false" doc:"The run as it was, then one for each policy; that alone if the rules of caching miss by more than 2 % what the provider counted of it; none for a policy that other estimates of tokens would have decide otherwise, by more than 2 %"`
	Sentences []string  `json:"sentences" nullable:"false" doc:"What this says, and what it does not"`

	lines []*policyRun // of the run as it was and of each policy, or the first alone
}

// Outcome is how much a run would have sent and cost under a policy.
type Outcome struct {
	Policy    string   `json:"policy" doc:"Its name; none for the run as it was"`
	Sent      int64    `json:"sent" doc:"Tokens of all requests"`
	Read      int64    `json:"read" doc:"Of these, from the cache"`
	Written   int64    `json:"written" doc:"Of these, to the cache"`
	Cost      *float64 `json:"cost,omitempty" doc:"Of what was sent, without answers; absent if the model has no price"`
	Breaks    int      `json:"breaks" doc:"Calls that do not repeat all of the request before"`
	Reasoning int      `json:"reasoning" doc:"Blocks of reasoning behind a break, which some models drop or refuse"`
	Removed   int      `json:"removed" doc:"Blocks that the policy took, each once"`
	Shaped    int      `json:"shaped" doc:"Blocks that were shortened before they were first sent"`
	Over      int      `json:"over,omitempty" doc:"Calls above max_tokens: when decides, and not the limit, when something goes"`
	Again     int      `json:"again,omitempty" doc:"Calls that asked again for what the policy had taken"`
	Ended     string   `json:"ended,omitempty" doc:"Why managing ended for the run"`
	Regrets   []Regret `json:"regrets,omitempty"`
	// Further is after how many more calls like the last one a policy that costs more would not; nil if
	// it costs no more, or never would.
	Further *int64 `json:"further_calls,omitempty" doc:"After how many more calls like the last one a policy that costs more would not; absent if it costs no more, or never would"`
	ByCall  []Call `json:"by_call,omitempty" doc:"Absent unless calls were asked for"`

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
	Reasoning int      `json:"reasoning,omitempty" doc:"Blocks behind the break"`
	Removed   int      `json:"removed,omitempty" doc:"Blocks that went at this call"`
}

// Regret is a text or a call that the run needed later and that a policy had removed.
type Regret struct {
	Cycle int64  `json:"cycle" doc:"Whose context lacked it"`
	Node  string `json:"node" doc:"The block that needed it"`
	Of    string `json:"of" doc:"The removed or shortened block"`
	Short bool   `json:"shortened,omitempty" doc:"That block is there, and shorter"`
	Tool  string `json:"tool,omitempty" doc:"Of a call that was made again with the same arguments"`
	Text  string `json:"text,omitempty" doc:"The line that was quoted"`
}
