package history

import "github.com/contexttree/pact/selector"

// Key identifies a context within its store for as long as the context lives, also when it
// is renamed.
type Key int64

// Info describes a context, without its nodes.
type Info struct {
	Key      Key
	Name     string
	Edition  selector.Edition // fixed when the context is created
	First    int64            // cycle of the oldest snapshot: 1, or that of an imported document
	Cycle    int64            // cycle of the latest snapshot, First-1 if there is none yet
	Revision int64            // counts batches of edits and commits, from 1
	Fork     int64            // its number among all forks of a family of contexts, 0 for a context that is no fork
	Origin   Origin           // where a fork began
	Erasures int64            // counts the erasures that changed its snapshots or its log
	Listed   Listed
}

// Origin is the snapshot from which a fork was made: its context, its cycle, and the
// revision that published it. That context may have been deleted since.
type Origin struct {
	Key             Key
	Cycle, Revision int64
}

// MaxName is the longest name of a context in bytes.
const MaxName = 512
