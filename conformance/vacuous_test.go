package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/fault"
)

// closed are the codes that there are.
var closed = []fault.Code{
	fault.SelectorInvalid, fault.RangeKindMismatch, fault.RangeWildcard, fault.RangeLimit, fault.SnapshotNotFound,
	fault.PlacementInvalid,
	fault.Sealed, fault.NodeNotFound, fault.NodeDuplicate, fault.AttemptNotFound, fault.DocumentInvalid, fault.Conflict,
	fault.Limit, fault.Busy, fault.Store,
	fault.SelectorAmbiguous, fault.SelectorLegacy, fault.TooManyFragments, fault.DepthNegative, fault.DepthRangeInvalid,
	fault.DepthNotInt, fault.RangePrefixMismatch, fault.InvalidParent, fault.ParentNotContainer, fault.CycleDetected,
	fault.DuplicateContainer, fault.ParentMissing, fault.AmbiguousKey, fault.Mismatch, fault.OverlapViolatesODI,
}

// TestCodes: a case names codes of the closed list, and never one that says
// merely that the node is not there where it is about an operation.
func TestCodes(t *testing.T) {
	for _, c := range cases(t) {
		for _, check := range checksOf(c) {
			for _, code := range check.Error {
				if !slices.Contains(closed, fault.Code(code)) || check.Kind == "refused" && code == string(fault.NodeNotFound) {
					t.Errorf("%s expects the code %q", c.ID, code)
				}
			}
		}
	}
}

func checksOf(c conformance.Case) []conformance.Check {
	if len(c.Checks) > 0 {
		return c.Checks
	}
	return []conformance.Check{c.Check}
}

// TestMissingOperations: a program that lacks an operation fails the cases in
// which it is to be refused, even if it says so with the code that is wanted.
func TestMissingOperations(t *testing.T) {
	tried := map[string]int{}
	for _, c := range cases(t) {
		op, codes := refusal(c)
		if op == "" {
			continue
		}
		tried[op]++
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			for _, code := range append(codes, string(fault.DocumentInvalid)) {
				if conformance.Run(t.Context(), c, t.TempDir(), lacking(op, code)) == nil {
					t.Errorf("passed by a program that answers every %s with %s", op, code)
				}
			}
		})
	}
	for _, op := range []string{"add", "update", "move", "remove", "import"} {
		if tried[op] == 0 {
			t.Errorf("no %s is to be refused", op)
		}
	}
}

// refusal is the operation that a case wants refused, with the codes.
func refusal(c conformance.Case) (op string, codes []string) {
	for _, s := range c.Steps {
		if len(s.Error) > 0 {
			return s.Op, s.Error
		}
	}
	check := checksOf(c)[0]
	switch {
	case check.Kind != "refused":
		return "", nil
	case c.Operations == nil:
		return "import", check.Error
	}
	return operation(c.Operations[len(c.Operations)-1]), check.Error
}

func operation(line []byte) string {
	var o struct{ Op string }
	_ = json.Unmarshal(line, &o)
	return o.Op
}

// lacking is this implementation without one operation.
func lacking(op, code string) conformance.Command {
	unknown := conformance.Answer{Out: []byte(`{"error":{"code":"` + code + `","message":"unknown operation"}}`), Exit: 2}
	return func(ctx context.Context, args ...string) (conformance.Answer, error) {
		if args[0] == op {
			return unknown, nil
		}
		if args[0] == "apply" {
			lines, err := os.ReadFile(args[1])
			if err != nil {
				return unknown, err
			}
			for line := range bytes.Lines(lines) {
				if operation(line) == op {
					return unknown, nil
				}
			}
		}
		return command(ctx, args...)
	}
}

// TestNothingFound: a program that does everything right but finds nothing
// fails every case that expects to find nothing somewhere.
func TestNothingFound(t *testing.T) {
	blind := func(ctx context.Context, args ...string) (conformance.Answer, error) {
		if args[0] == "select" {
			return conformance.Answer{Out: []byte("[]\n")}, nil
		}
		return command(ctx, args...)
	}
	empty := 0
	for _, c := range cases(t) {
		expected := slices.ContainsFunc(checksOf(c), func(check conformance.Check) bool {
			return check.Kind == "select" && len(check.Error) == 0 && len(check.Expect) == 0 &&
				(check.Count == nil || *check.Count == 0)
		})
		if !expected {
			continue
		}
		empty++
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if conformance.Run(t.Context(), c, t.TempDir(), blind) == nil {
				t.Error("passed by a program that finds nothing")
			}
		})
	}
	if empty < 50 {
		t.Errorf("only %d cases expect to find nothing somewhere", empty)
	}
}
