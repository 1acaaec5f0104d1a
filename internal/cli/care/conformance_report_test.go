package care

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
)

// With --all the items of every checklist are printed, with what the cases say of each.
func TestAllPrintsEveryChecklist(t *testing.T) {
	cases, err := chosen([]string{"001-7.1-L608"}, nil)
	testrun.Must(t, err)
	fails := func(context.Context, ...string) (conformance.Answer, error) { return conformance.Answer{Exit: 1}, nil }
	report, err := conformance.RunAll(t.Context(), cases, fails, conformance.RunOptions{})
	testrun.Must(t, err)
	var out bytes.Buffer
	a := command.New(command.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard})
	printReport(a, report, "1.4", true, false)
	testrun.Must(t, a.Out.Flush())
	for _, line := range []string{"Annex 10: ", "Chapter 08: algorithms and their tests\n", "MUST    Circles are refused",
		"    not shown     SHOULD  Moves are recognised by equal contents\n", " 0 mended, 0 contradicted, 1 failed, 1 by house rules alone"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is not printed", line)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
