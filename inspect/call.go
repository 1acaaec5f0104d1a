package inspect

// CallPrefix says what a provider can reuse of one recorded call, by its rules of caches
// (docs/providers.md), and what the provider reported about it.
type CallPrefix struct {
	Cycle   int64       `json:"cycle"`
	Attempt string      `json:"attempt"` // that sent the request
	Started string      `json:"started_at"`
	Dialect string      `json:"dialect"`
	Model   string      `json:"model"`
	Blocks  int         `json:"blocks"`           // of the request
	Shared  *CallShared `json:"prefix,omitempty"` // nil for the first call
	Cut     *Cut        `json:"cut,omitempty"`    // nil if the request repeats all of the request before it
	// Attribution says that a block of the system prompt changed which this provider
	// removes before it caches. Other servers of the same API keep it, and there it is the
	// cut.
	Attribution bool           `json:"attribution_changed,omitempty"`
	Expected    *Expected      `json:"expected,omitempty"` // nil if the dialect knows no cache or the call failed
	Provider    *ProviderCache `json:"provider,omitempty"` // nil if the provider reported nothing
	Agreement   string         `json:"agreement,omitempty"`
	// Broken counts the attempts of the cycle before this one whose answers broke off. The
	// provider has cached what they sent.
	Broken int       `json:"broken,omitempty"`
	Cost   *CallCost `json:"cost,omitempty"`   // nil without prices for the model
	Window int64     `json:"window,omitempty"` // how many tokens a request to the model may have, 0 if no list says
	Seen   Seen      `json:"seen"`
	// Problem says why the request cannot be rebuilt: it was erased or edited. Then
	// only the attempt is known.
	Problem string `json:"problem,omitempty"`
}

// CallShared says how much of the request before it a request repeats from the front.
type CallShared struct {
	Blocks   int   `json:"blocks"`
	OfBlocks int   `json:"of_blocks"` // of the request before
	Bytes    int64 `json:"bytes"`     // of the bodies if these are compared, else of the canonical threads
	OfBytes  int64 `json:"of_bytes"`
}

// Cut says why a request does not repeat all of the request before it.
type Cut struct {
	Cause string   `json:"cause"`           // model, parameters, tools, system, block or thinking
	Names []string `json:"names,omitempty"` // of parameters or tools; for a model the old and the new one
	Node  string   `json:"node,omitempty"`  // id of the first block that differs, if the cause is a block
	// Reasoning is how many blocks of reasoning the request has behind the cut. Some
	// models drop these, because what they were made from has changed.
	Reasoning int `json:"reasoning_behind"`
}

// Expected says how much a provider should read from its cache by its rules.
type Expected struct {
	Blocks int    `json:"blocks"`           // of the longest prefix that is cached
	Tokens *int64 `json:"tokens,omitempty"` // of that, as the provider counted them before; nil if it did not
	// Unsure says that nobody used the prefix for longer than the provider promises to
	// keep it.
	Unsure bool `json:"lifetime_unsure,omitempty"`
	// Lapsed is how many blocks were cached but not used for longer than the provider
	// keeps them: time passed, and nothing was cut.
	Lapsed      int   `json:"lapsed_blocks,omitempty"`
	IdleSeconds int64 `json:"idle_seconds,omitempty"` // since they were used, if Unsure or Lapsed is set
	LeastTokens int64 `json:"least_tokens,omitempty"` // of the shortest cached prefix, 0 if the provider does not say
}

// ProviderCache holds the provider's report about its cache; nil for what it did not
// report.
type ProviderCache struct {
	In        *int64 `json:"in"`                   // all tokens that the model was sent
	Out       *int64 `json:"out"`                  // all tokens that it wrote
	Read      *int64 `json:"read"`                 // of In, from the cache
	Written   *int64 `json:"written"`              // of In, to the cache
	Written1h *int64 `json:"written_1h,omitempty"` // of Written, to live for an hour
	Reason    string `json:"reason,omitempty"`     // why it did not read more, in the provider's word, if it was asked
}

// CallCost is the cost of a call by a list of prices.
type CallCost struct {
	Currency string  `json:"currency"`
	Paid     float64 `json:"paid"` // for what was sent and answered
	// Lost is the extra cost of tokens that were read from the cache before and were not
	// this time, above what reading them would have cost; nil if the provider did not say
	// what it had in its cache before.
	Lost *float64 `json:"lost"`
}

// Seen says whether the model saw the snapshot.
type Seen struct {
	State      string      `json:"state"`                // whole, resolved or partly unknown
	References []Reference `json:"references,omitempty"` // to what the provider holds
	Asked      []string    `json:"asked,omitempty"`      // parameters that let the provider change what it was sent
	Changed    []any       `json:"changed,omitempty"`    // what the provider said that it changed, in its own form
}

// Reference is a reference of a request to what the provider holds.
type Reference struct {
	Field string `json:"field"`
	ID    string `json:"id"`
	Cycle int64  `json:"cycle,omitempty"` // of the call whose answer it leads to, 0 if that was not recorded
}

// States of Seen.
const (
	SeenWhole   = "whole"          // the model saw what the snapshot has, except for what Changed lists
	SeenTraced  = "resolved"       // it also saw answers that were recorded
	SeenPartial = "partly unknown" // it also saw what nobody recorded, or the provider may have changed more than it says
)
