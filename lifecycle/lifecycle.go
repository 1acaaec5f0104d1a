// Package lifecycle is the commit of a cycle as a pure function of a working
// state and a policy: expire, prune, seal (03 §7). It reads no clock of its
// own and does no I/O.
package lifecycle

import (
	"github.com/contexttree/pact/tree"
)

// Input is what a commit depends on, and all of it.
type Input struct {
	Working  *tree.Tree
	Stamps   tree.Stamps
	Env      tree.Env
	Policy   Policy
	Prune    []string             // nodes to prune on explicit request
	Retained func(id string) bool // whether a holder keeps the node; nil for none
}

// Reason says why a node went.
type Reason string

// The reasons.
const (
	Expired  Reason = "expired"
	Cascaded Reason = "cascade" // a removable group lost its last child (02 §5.3.1)
	Pruned   Reason = "pruned"
)

// Removal is a node that the commit took out.
type Removal struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`
}

// Held is a node that was to go and stayed.
type Held struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`       // why it was to go
	Kept   string `json:"kept"`         // what kept it: referenced, retained, pinned, recent or contains
	By     string `json:"by,omitempty"` // the node that refers to it or that it contains
}

// What keeps a node that was to go.
const (
	Referenced = "referenced"
	Retained   = "retained"
	Pinned     = "pinned"
	Recent     = "recent"   // among the protected most recent turns
	Contains   = "contains" // something that stays is below it
)

// Report is what a commit did besides sealing, in document order for expiry
// and in canonical pruning order for pruning.
type Report struct {
	Policy   *Policy   `json:"policy,omitempty"`
	Removed  []Removal `json:"removed,omitempty"`
	Held     []Held    `json:"held,omitempty"`
	Retained []string  `json:"retained,omitempty"`
	Budget   string    `json:"budget,omitempty"` // said where a budget could not be kept
	Named    []string  `json:"named,omitempty"`  // beside a budget, what of the pruned was asked for by name
}

// Commit returns the snapshot of the input's cycle, the stamps for the cycle
// after it and what was done. It changes nothing.
//
// Cost: the nodes that expire or are pruned, the children of ^ah, and one path
// for each. A budget that is exceeded costs a look at every candidate.
func Commit(in Input) (*tree.Tree, tree.Stamps, Report, error) {
	var report Report
	if in.Retained == nil {
		in.Retained = func(string) bool { return false }
	}
	t, idle := expire(in.Working, in.Stamps.Cycle, in.Retained, &report)
	t, err := prune(t, idle, in, &report)
	if err != nil {
		return nil, in.Stamps, Report{}, err
	}
	t, stamps, err := tree.Seal(t, in.Stamps, in.Env)
	if err != nil {
		return nil, in.Stamps, Report{}, err
	}
	return t, stamps, report, nil
}

// core reports whether an entry is the core of the turn or head above it.
func core(e *tree.Entry, above tree.Class) bool {
	return e.Class() == tree.Container && e.Node().Offset == 0 && (above == tree.Turn || above == tree.Head)
}

// cascade removes the removable groups that lost their last child, repeatedly:
// the largest set that nobody outside it refers to and no holder retains.
// parents are the ids of nodes that lost a child. It returns what went, inner
// groups first, and the empty groups that something keeps.
func cascade(t *tree.Tree, parents []string, retained func(string) bool) (next *tree.Tree, gone []string, idle []Held) {
	var groups []string
	going := make(map[string]bool)
	for len(parents) > 0 {
		id := parents[0]
		parents = parents[1:]
		if path := t.Path(id); !going[id] && emptied(path, going) {
			going[id] = true
			groups = append(groups, id)
			parents = append(parents, path[len(path)-2].Node().ID)
		}
	}
	if len(groups) == 0 {
		return t, nil, nil
	}
	held := hold(t, groups, going, retained, Cascaded)
	for _, id := range groups {
		if h, ok := held[id]; !ok {
			gone = append(gone, id)
		} else if h.Kept != Contains {
			idle = append(idle, h)
		}
	}
	return t.Without(gone...), gone, idle
}

// emptied reports whether a removable group is at the end of path and has no
// child but those that go.
func emptied(path []*tree.Entry, going map[string]bool) bool {
	if len(path) < 2 {
		return false
	}
	e := path[len(path)-1]
	if c := e.Class(); !e.Node().Removable || c.Region() || c == tree.Turn || core(e, path[len(path)-2].Class()) {
		return false
	}
	for k := range e.Children().All() {
		if !going[k.Node().ID] {
			return false
		}
	}
	return true
}

// referrer returns the first, by id, of the nodes outside going that refer to
// id, "" without one.
func referrer(t *tree.Tree, id string, going map[string]bool) string {
	first := ""
	for from := range t.Referrers(id) {
		if from != id && !going[from] && (first == "" || from < first) {
			first = from
		}
	}
	return first
}
