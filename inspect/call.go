package inspect

// CallPrefix says what a provider can reuse of one recorded call, by its rules of caches
// (docs/providers.md), and what the provider reported about it.
type CallPrefix struct {
	Cycle   int64       `json:"cycle"`
	Attempt string      `json:"attempt"`              // that sent the request
	Started string      `json:"started_at,omitempty"` // "" if the log has no times
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
	// Broken counts the attempts of the cycle before this one whose answers broke off. The
	// provider has cached what they sent.
	Broken int `json:"broken,omitempty"`
	// FirstByte is after how many milliseconds the answer began, nil if that is not known.
	FirstByte *int64 `json:"first_byte_ms,omitempty"`
	// Took is how many milliseconds the attempt took, nil if that is not known.
	Took *int64 `json:"took_ms,omitempty"`
	// Attempts counts all attempts of the cycle, Failed those of them that ended with an error.
	Attempts int `json:"-"`
	Failed   int `json:"-"`
	// Refused says that the provider refused the request with a status of 400 to 499.
	Refused bool `json:"-"`
	// Compacted says that the record of the call says that the agent compacted the conversation before it, TakenOut how
	// many parts a recorder that managed the conversation took out of this request and later ones.
	Compacted bool `json:"-"`
	TakenOut  int  `json:"-"`
	// Earlier has what the provider counted of these and of other attempts of the cycle before this one.
	Earlier []ProviderCache `json:"earlier,omitempty"`
	// Markers is how many places the recorded request marks to be cached, nil where the provider takes no marks or the
	// request was rebuilt from a log, which has none.
	Markers *int `json:"markers,omitempty"`
	// ManagingEnded says why a recorder that managed the conversation ended that with this call, "" if it did not.
	ManagingEnded string `json:"managing_ended,omitempty"`
	// Left is how many tokens the calls of this context had left in the provider's cache, nil if that is not
	// known because the provider did not say; 0 for the first call.
	Left *int64 `json:"left,omitempty"`
	// CacheBreak is nil unless the provider read clearly less than was left.
	CacheBreak *CacheBreak `json:"cache_break,omitempty"`
	Cost       *CallCost   `json:"cost,omitempty"`   // nil without prices for the model, or without counts of the provider
	Window     int64       `json:"window,omitempty"` // how many tokens a request to the model may have, 0 if no list says
	Seen       Seen        `json:"seen"`
	// Problem says why the request cannot be rebuilt: it was erased or edited. Then
	// only the attempt is known.
	Problem string `json:"problem,omitempty"`
}

// CallShared says how much of the request before it a request repeats from the front.
type CallShared struct {
	Blocks   int   `json:"blocks"`
	OfBlocks int   `json:"of_blocks"` // of the request before
	Bytes    int64 `json:"bytes"`     // of the canonical threads without their last bracket
	OfBytes  int64 `json:"of_bytes"`
}

// Cut says why a request does not repeat all of the request before it.
type Cut struct {
	Cause string   `json:"cause"`           // model, parameters, tools, system, compaction, block or thinking
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
	Terms     string `json:"terms,omitempty"`      // on which it answered, if they are not its ordinary ones, such as fast or flex
	Reason    string `json:"reason,omitempty"`     // why it did not read more, in the provider's word, if it was asked
}

// Evidence says how something is known.
type Evidence string

// The classes of evidence, the strongest first.
const (
	Counted     Evidence = "counted"  // by the provider, in its answers
	SeenInBytes Evidence = "seen"     // in the bytes of the requests, as far as the log has them
	Computed    Evidence = "computed" // by rules that the provider publishes, or by a tokenizer
	NotKnown    Evidence = "unknown"
)

// CacheBreak says that a provider read less from its cache than an earlier call of the same context had left there:
// at least the shortest prefix that it caches less, and 5 % of what it could have read.
type CacheBreak struct {
	// Evidence is counted if the provider counted what was left, and computed if that follows from its count of the
	// whole request and from its rules.
	Evidence Evidence   `json:"evidence"`
	Since    int64      `json:"since"`          // cycle of the call that left the tokens
	Left     int64      `json:"left"`           // tokens that it read or wrote
	Read     int64      `json:"read"`           // tokens that this call read
	Again    int64      `json:"again"`          // tokens that this call could have read and was charged for in full or to write
	Cost     *float64   `json:"cost,omitempty"` // of these, above what reading them would have cost; nil without a price
	Cause    BreakCause `json:"cause"`
}

// BreakCause says why a provider read less.
type BreakCause struct {
	// Kind is model, provider, key, idle, parallel, parameters, tools, system, compaction, block, thinking or reason
	// (the provider's own), and unknown if nothing that the log has explains it.
	Kind     string   `json:"kind"`
	Evidence Evidence `json:"evidence"`
	Cut      *Cut     `json:"cut,omitempty"`   // of a change in the request
	Cycle    int64    `json:"cycle,omitempty"` // whose request has the change, if an earlier call has it
	// Names are the old and the new model or provider, or the provider's reason.
	Names       []string `json:"names,omitempty"`
	IdleSeconds int64    `json:"idle_seconds,omitempty"`     // since the last call, if Kind is idle
	LifeSeconds int64    `json:"lifetime_seconds,omitempty"` // for which the provider keeps a prefix, if Kind is idle
}

// CallCost is the cost of a call by a list of prices.
type CallCost struct {
	Currency string  `json:"currency"`
	Paid     float64 `json:"paid"` // for what was sent and answered, by the provider's counts, of all attempts of the cycle
	// BreakCost is what the break of the cache cost, of what was paid: 0 without a break, nil if the provider did not say
	// what the call before had left.
	BreakCost *float64 `json:"lost"`
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
