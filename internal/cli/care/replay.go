package care

import (
	"bytes"
	"context"
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
)

// replay imports an exported history into a new store, exports it again and compares the two.
func replay(ctx context.Context, a *command.App, file string) error {
	in, err := a.Read(ctx, file)
	if err != nil {
		return err
	}
	m := a.Meter("replaying")
	r, err := pact.Replay(ctx, &metered{Reader: bytes.NewReader(in.Data), total: 2 * len(in.Data), m: m}, nil)
	m.End()
	if f := command.FactsOf(err); err != nil && f.Line > 0 {
		return command.InFile(err, in.Name, in.Line(f.Line))
	}
	if err != nil {
		return command.InFile(err, in.Name, in.Data)
	}
	a.Failed = !r.Same
	if a.JSON {
		return a.PrintJSON(r)
	}
	a.Warn(r.Findings)
	drawReplay(a, r)
	return nil
}

// metered shows how much of an input has been read.
type metered struct {
	*bytes.Reader
	done, total int
	m           *screen.Meter
}

func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += n
	r.m.At(r.done, r.total)
	return n, err
}

func drawReplay(a *command.App, r *inspect.Replay) {
	snapshots := int(max(0, r.Last-r.First+1))
	if r.Same {
		a.Printf("%s: %s, %d bytes\n", a.Paint.Good("the same"), view.Plural(snapshots, "snapshot"), r.Bytes)
		return
	}
	d := r.Difference
	of := fmt.Sprintf("the %s of cycle %d", d.Kind, d.Cycle)
	if d.Kind == "head" {
		of = "the head"
	}
	a.Printf("%s at byte %d: line %d, %s, byte %d of the line\n", a.Paint.Bad("differs"), d.Byte, d.Line, of, d.LineByte)
	a.Printf("  file    %s\n  export  %s\n", restOfLine(d.Original), restOfLine(d.Export))
}

func restOfLine(text string) string {
	if text == "" {
		return "ends the line there"
	}
	return view.Visible(text)
}
