package history

import "encoding/json"

// Kind is the kind of a log entry.
type Kind string

// The kinds of entry.
const (
	Create     Kind = "create"
	Edit       Kind = "edit"
	Commit     Kind = "commit"
	Forked     Kind = "fork"  // the first entry that a fork does not share
	Superseded Kind = "aside" // a fork took over the name of the context

	Erasing Kind = "erase" // an erasure removed something from the context
)

// Entry is one revision in the log of a context. The engine sets Digest and Thread.
type Entry struct {
	Revision int64           `json:"revision"`
	Kind     Kind            `json:"kind"`
	Cycle    int64           `json:"cycle"` // published by this revision, or current
	TimeNS   int64           `json:"time_ns"`
	Actor    string          `json:"actor,omitempty"`
	Message  string          `json:"message,omitempty"`
	Request  string          `json:"request,omitempty"` // token by which a retry is recognised
	Report   json.RawMessage `json:"report,omitempty"`  // what a commit removed and held back, and why
	Digest   string          `json:"digest,omitempty"`  // of the snapshot or, after an edit, of the working state
	Thread   string          `json:"thread,omitempty"`  // of the snapshot's thread, made of its blocks
	Sent     string          `json:"sent,omitempty"`    // SHA-256 of the bytes that Send or StartAttempt wrote

	// Anew is how many bytes of the thread of the snapshot the call sent anew because it does not
	// begin with the whole thread of the snapshot before it, 0 if it does. Writers work it out.
	Anew int64 `json:"-"`

	// Idle are the removable groups that are empty in the snapshot and that something kept (02
	// §5.3.1), and what comes again (1.0 03 §3.4); the next commit looks at them again. Only an entry that publishes a snapshot has
	// any.
	Idle []string `json:"-"`
}

// Erased says what an erasure removed. The log of each context of the family keeps the part
// that concerns it.
type Erased struct {
	IDs      []string `json:"ids,omitempty"`         // of the nodes, sorted
	Versions int      `json:"versions,omitempty"`    // of these nodes
	Entries  int      `json:"entries,omitempty"`     // of the log
	Attempts int      `json:"attempts,omitempty"`    // that lost the hash of their thread, or their error
	Digests  int      `json:"digests,omitempty"`     // of drafts that are gone; each could help to guess a text
	Salt     string   `json:"salt_sha256,omitempty"` // SHA-256 of the salt, which identifies it; "" for a dry run
	Said     int      `json:"-"`                     // of the attempts, those with a text in provider, model or error
	Contexts []string `json:"contexts,omitempty"`    // whose log records the erasure, sorted; no log keeps this list
	Keys     []Key    `json:"-"`                     // of these contexts
	// Remains says why the text may still be in places that nothing refers to, such as free
	// pages, and what finishes the work; "" if nothing remains. No log keeps it.
	Remains string `json:"remains,omitempty"`
	// Receipt is the salt of the marks in hexadecimal, "" if nothing was erased. The erasure returns it once, and nothing
	// keeps it. With it and a copy of a node one can prove later what the node was (docs/erasure.md).
	Receipt string `json:"receipt,omitempty"`
}

// erasing is the report of an entry of the kind Erasing.
type erasing struct {
	Erased *Erased `json:"erased"`
}

// Erased returns what a log entry says about an erasure, nil for an entry of another kind.
func (e *Entry) Erased() *Erased {
	var r erasing
	if e.Kind != Erasing || json.Unmarshal(e.Report, &r) != nil {
		return nil
	}
	return r.Erased
}

// Undone returns the name that an undo gave to the line which it took the last commit off, on the entry of that line and on
// the one with which the next line begins; "" for an entry of anything else.
func (e *Entry) Undone() string {
	var undo struct {
		Undone string `json:"undone"`
	}
	if e.Kind != Forked && e.Kind != Superseded || json.Unmarshal(e.Report, &undo) != nil {
		return ""
	}
	return undo.Undone
}

// Blank replaces the actor and the message of an entry that lost them.
const Blank = "[erased]"

// BlankReport replaces a report that was erased.
const BlankReport = `{"blank":true}`
