package conformance_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/cli"
)

func TestNormativeCases(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 30 {
		t.Fatalf("only %d cases were read", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if err := conformance.Run(context.Background(), c, t.TempDir(), command); err != nil {
				t.Error(err)
			}
		})
	}
}

// A check that cannot fail proves nothing: every case has to fail against a
// command line that gives another answer.
func TestCasesFailAgainstAnotherAnswer(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"select": `["wrong"]`, "thread": `[]`, "hash": "0", "export": "{}", "apply": "", "import": "", "commit": ""}
	for _, c := range cases {
		n := 0
		wrong := func(_ context.Context, args ...string) ([]byte, int, error) {
			n++
			if c.Kind == "stable" { // the answer must change from call to call
				return []byte(strings.Repeat("x", n)), 0, nil
			}
			return []byte(answers[args[0]]), 0, nil
		}
		if conformance.Run(context.Background(), c, t.TempDir(), wrong) == nil {
			t.Errorf("case %s passes against a wrong answer", c.ID)
		}
	}
}

func command(ctx context.Context, args ...string) ([]byte, int, error) {
	var out, errs bytes.Buffer
	exit := cli.Run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if out.Len() == 0 && exit != 0 {
		return errs.Bytes(), exit, nil
	}
	return out.Bytes(), exit, nil
}
