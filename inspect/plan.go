package inspect

import "github.com/contexttree/pact/lifecycle"

// PrunePlan says what a commit would prune (02 §7), and what that would cost.
type PrunePlan struct {
	Cycle  int64             `json:"cycle"`                   // of the commit
	Report *lifecycle.Report `json:"report" nullable:"false"` // what the commit would report
	Before Weight            `json:"before"`                  // of the snapshot without pruning
	After  Weight            `json:"after"`                   // of the snapshot with pruning
	Cached *CachedPrefix     `json:"cached,omitempty"`        // nil before the first snapshot
}

// Weight is how much a snapshot has of what a policy can limit.
type Weight struct {
	Nodes  int   `json:"nodes"`            // blocks and containers
	Turns  int   `json:"turns"`            // sealed ones
	Blocks int   `json:"blocks"`           // of the canonical thread
	Bytes  int64 `json:"bytes"`            // of the canonical thread
	Tokens int64 `json:"tokens,omitempty"` // of the contents, 0 if the context has no counter
}

// CachedPrefix says how many bytes of the last committed thread are also the beginning of
// the next one. A provider's prompt cache can reuse that much.
type CachedPrefix struct {
	Without   int64 `json:"without_bytes"` // of the next thread without pruning
	With      int64 `json:"with_bytes"`    // of the next thread with pruning
	LostBytes int64 `json:"lost_bytes"`    // by pruning, at least 0
	// LostTokens is how many tokens the blocks of these bytes have, 0 if the context has no counter.
	LostTokens int64         `json:"lost_tokens,omitempty"`
	Shared     *SharedPrefix `json:"prefix"` // of the last thread and the next one with pruning
	// Reasoning is how many blocks of kind thinking both threads have behind the shared
	// blocks, if pruning makes the shared blocks fewer. Some models drop reasoning if what
	// stood before it changed.
	Reasoning int `json:"reasoning_behind"`
}
