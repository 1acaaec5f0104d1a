package cli

import (
	"bytes"
	"context"
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/spf13/cobra"
)

func (a *app) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay HISTORY.jsonl",
		Short: "Run an exported history again and compare it byte for byte",
		Long: `Import an exported history, in either form, into a new store in memory, export it
again in the same form and compare the two byte for byte. - reads standard input.
If they differ, the first byte that differs is named with its line and cycle, and
the exit code is 1.`,
		Example: `  pact export chat --all -o history.jsonl && pact replay history.jsonl
  pact export chat --all --compact | pact replay - --json`,
		Args: exactly("HISTORY.jsonl"),
	}
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		in, err := a.read(ctx, args[0])
		if err != nil {
			return err
		}
		m := a.meter("replaying")
		r, err := pact.Replay(ctx, &metered{Reader: bytes.NewReader(in.data), total: 2 * len(in.data), m: m}, nil)
		m.end()
		if f := factsOf(err); err != nil && f.Line > 0 {
			return inFile(err, in.name, in.line(f.Line))
		}
		if err != nil {
			return inFile(err, in.name, in.data)
		}
		a.failed = !r.Same
		if a.json {
			return a.printJSON(r)
		}
		a.warn(r.Findings)
		a.drawReplay(r)
		return nil
	})
	return cmd
}

// metered shows how much of an input has been read.
type metered struct {
	*bytes.Reader
	done, total int
	m           *meter
}

func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += n
	r.m.at(r.done, r.total)
	return n, err
}

func (a *app) drawReplay(r *inspect.Replay) {
	snapshots := int(max(0, r.Last-r.First+1))
	if r.Same {
		a.printf("%s: %s, %d bytes\n", a.paint.good("the same"), plural(snapshots, "snapshot"), r.Bytes)
		return
	}
	d := r.Difference
	of := fmt.Sprintf("the %s of cycle %d", d.Kind, d.Cycle)
	if d.Kind == "head" {
		of = "the head"
	}
	a.printf("%s at byte %d: line %d, %s, byte %d of the line\n", a.paint.bad("differs"), d.Byte, d.Line, of, d.LineByte)
	a.printf("  file    %s\n  export  %s\n", goesOn(d.Original), goesOn(d.Export))
}

func goesOn(text string) string {
	if text == "" {
		return "ends the line there"
	}
	return visible(text)
}
