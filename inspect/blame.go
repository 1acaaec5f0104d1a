package inspect

import "github.com/contexttree/pact/diff"

// Blame names the cycle that added a block of a thread, and its actor (06 §6).
type Blame struct {
	ID      string      `json:"id"`                // of the block
	Turn    string      `json:"turn,omitempty"`    // id of the sealed turn that holds it, "" outside ^seq
	Region  string      `json:"region"`            // ^sys, ^seq or ^ah
	Role    string      `json:"role"`              // as the thread shows it (02 §12.4)
	Kind    string      `json:"kind,omitempty"`    // the node's kind, "" without one
	Cycle   int64       `json:"cycle"`             // the cycle that brought the block
	By      diff.Author `json:"by"`                // who brought it
	Version *Version    `json:"version,omitempty"` // nil if no later cycle changed the block in place
	Range   diff.Range  `json:"range"`             // bytes of the block's object in the canonical thread
}

// Version names the cycle that made the current version of a node, and its actor.
type Version struct {
	Cycle int64       `json:"cycle"` // that made the version
	By    diff.Author `json:"by"`    // who made it
}
