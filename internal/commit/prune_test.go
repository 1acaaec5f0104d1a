package commit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/lifecycle"
)

// history is three sealed turns t1 t2 t3 (as the cases call them), each with
// the core block ask1 ask2 ask3 and the block late1 late2 late3 behind it, and
// two rules in ^sys: 2 + 3·3 nodes, and 12 with the core of the turn to come.
func history(t *testing.T) *cycles {
	t.Helper()
	s := beginCycles(t)
	for _, n := range []string{"1", "2", "3"} {
		nodes := []node{{id: "ask" + n, into: "^ah", ttl: forever}, {id: "late" + n, into: "^ah", offset: 1, ttl: forever}}
		if n == "1" {
			nodes = append(nodes, node{id: "rule1", into: "^sys", ttl: forever}, node{id: "rule2", into: "^sys", ttl: forever})
		}
		s.commit(s.add(nodes), commit.Input{})
	}
	return s
}

// A commit that cannot be made is not made at all.
func TestFailedCommitLeavesNothingBehind(t *testing.T) {
	for _, c := range []struct {
		rule, named string
		taken       error
		code        fault.Code
		node        string
	}{
		{"pruning nobody", "late1 nobody", nil, fault.NodeNotFound, "nobody"},
		{"pruning a core", "late1 CORE", nil, fault.PlacementInvalid, "CORE"},
		{"pruning part of a core", "ask1", nil, fault.PlacementInvalid, "ask1"},
		{"pruning a region", "sys", nil, fault.PlacementInvalid, "sys"},
		{"pruning the root", "root", nil, fault.PlacementInvalid, "root"},
		{"pruning a group", "group", nil, fault.PlacementInvalid, "group"},
		{"a history that cannot be asked", "late1", fault.New(fault.Store, "away", ""), fault.Store, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := history(t)
			working := s.add([]node{{id: "x", into: "^ah", ttl: 0}, {id: "group", into: "^sys", group: true, ttl: forever}})
			core := sure.Get(s.tree.Parent("ask1"))
			in := commit.Input{Working: working, Stamps: s.stamps, Env: s.env,
				Prune: strings.Fields(strings.ReplaceAll(c.named, "CORE", core))}
			in.Stamps.Given = 99
			in.Env.Taken = func(string) (bool, error) { return false, c.taken }
			before := working.Digest()
			tr, stamps, report, err := commit.Run(context.Background(), in)
			e, _ := err.(*fault.Error)
			if e == nil || e.Code != c.code || e.Node != strings.ReplaceAll(c.node, "CORE", core) {
				t.Errorf("got %v\nwant %s on node %q", err, c.code, c.node)
			}
			if tr != nil || len(report.Removed) > 0 || len(report.Kept) > 0 {
				t.Errorf("a tree %v and a report %+v came with the error", tr != nil, report)
			}
			equal(t, "stamps", stamps, in.Stamps)
			equal(t, "digest of the input", working.Digest(), before)
		})
	}
}

func TestStubsAreText(t *testing.T) {
	policy := lifecycle.Policy{MaxNodes: 1, Stub: "caf\xe9"}
	if err := policy.Check(); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a stub that is no UTF-8: %v", err)
	}
}
