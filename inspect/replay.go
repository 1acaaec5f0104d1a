package inspect

import (
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// Finding is a fault in a document or a history that was read in spite of it.
type Finding struct {
	Code    fault.Code `json:"code"`           // of the error that a strict read would return
	Node    string     `json:"node,omitempty"` // id of the node, "" if it concerns the whole
	Message string     `json:"message"`        // what is wrong
}

// Replay is the result of running an exported history again (06 §5.2).
type Replay struct {
	Form       string           `json:"form"`                 // snapshots or compact
	Edition    selector.Edition `json:"edition"`              // of the history
	First      int64            `json:"first_cycle"`          // of the oldest snapshot; there is none while Last < First
	Last       int64            `json:"last_cycle"`           // of the latest snapshot
	Bytes      int64            `json:"bytes"`                // how many were the same: all if nothing differs
	Same       bool             `json:"same"`                 // nothing differs
	Difference *Difference      `json:"difference,omitempty"` // nil if nothing differs
	Findings   []Finding        `json:"findings"`             // what Replay had to mend to read it at all, never nil
}

// Difference is the first byte at which a history differs from its export.
type Difference struct {
	Line     int    `json:"line"`   // from 1
	Kind     string `json:"what"`   // of the line: snapshot, working, or head and empty in the compact form
	Cycle    int64  `json:"cycle"`  // of the line
	Byte     int64  `json:"byte"`   // of the file, from 0
	LineByte int64  `json:"in"`     // byte of the line, from 0
	Original string `json:"was"`    // how the history goes on there, "" at its end
	Export   string `json:"export"` // how the export goes on there, "" at its end
}
