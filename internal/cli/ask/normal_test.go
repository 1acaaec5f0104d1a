package ask

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
)

// A selector in its normal form is shown on a terminal and written elsewhere.
func TestSelectorsOnATerminalAreVisible(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		for _, args := range [][]string{{".cb[id='\u009b\u202ex']"}, nil} {
			var b bytes.Buffer
			a := command.New(command.Streams{In: strings.NewReader(".cb[id='\u009b\u202ex']\n"), Out: &b})
			a.OutTerminal = terminal
			cmd := selectCommand(a)
			cmd.SetArgs(append([]string{"--normal"}, args...))
			if err := cmd.ExecuteContext(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := a.Out.Flush(); err != nil {
				t.Fatal(err)
			}
			want := ".cb[id='\u009b\u202ex']\n"
			if terminal {
				want = ".cb[id='\ufffd\ufffdx']\n"
			}
			if b.String() != want {
				t.Errorf("terminal %v, arguments %v: %q, want %q", terminal, args, b.String(), want)
			}
		}
	}
}
