package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
)

// validating allocates for what changed: four times the turns, about four times
// as much, in a file as well.
func TestValidatingCostsWhatChanged(t *testing.T) {
	testrun.CountsAllocations(t)
	var allocations []float64
	for _, turns := range []int{100, 400} {
		db := filepath.Join(t.TempDir(), "v.db")
		var ops strings.Builder
		for i := range turns {
			fmt.Fprintf(&ops, `{"op":"add","into":"^ah","node":{"content":"Hello %d","role":"user"}}`+"\n"+
				`{"op":"add","into":"^ah","node":{"content":"n","offset":1,"ttl":3}}`+"\n"+`{"op":"commit"}`+"\n", i)
		}
		do := func(in string, args ...string) string {
			var out, errs bytes.Buffer
			if exit := Run(context.Background(), append([]string{"--db", db}, args...), command.Streams{In: strings.NewReader(in),
				Out: &out, Err: &errs}); exit != 0 {
				t.Fatalf("pact %v: %s", args, &errs)
			}
			return out.String()
		}
		do(ops.String(), "apply", "-", "--into", "long")
		allocations = append(allocations, testing.AllocsPerRun(1, func() {
			if out := do("", "verify", "--export", "long"); out != fmt.Sprintf("valid, %d snapshots\n", turns) {
				t.Error(out)
			}
		}))
	}
	t.Logf("allocations: %.0f", allocations)
	if allocations[1] > 5*allocations[0] {
		t.Errorf("400 turns allocate %.0f times, want about four times the %.0f of 100", allocations[1], allocations[0])
	}
}
