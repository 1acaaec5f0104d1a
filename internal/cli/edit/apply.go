package edit

import (
	"bytes"
	"context"
	"errors"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/operations"
	"github.com/spf13/cobra"
)

func applyCommand(a *command.App) *cobra.Command {
	cmd := a.Command("apply")
	into := cmd.Flags().String("into", "", "also store the context, as `NAME`")
	compact := cmd.Flags().Bool("compact", false, "print each version of a node once")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		in, err := a.Read(ctx, args[0])
		if err != nil {
			return err
		}
		r := operations.New()
		m := a.Meter("applying")
		total := bytes.Count(in.Data, []byte("\n")) + 1
		number := 0
		for line := range bytes.Lines(in.Data) {
			number++
			m.At(number, total)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if err := r.Line(ctx, line); err != nil {
				return refused(err, in.Name, line, number)
			}
		}
		m.End()
		if *into != "" {
			if err := storeAs(ctx, a, r, *into); err != nil {
				return err
			}
		}
		if r.Context == nil {
			return nil
		}
		if *compact {
			return r.Context.Export(ctx, a.Out)
		}
		first, last := r.Context.Info().First, r.Context.Info().Cycle
		if last < first {
			return nil
		}
		return r.Context.ExportSnapshots(ctx, a.Out, pact.Cycle(first), "latest")
	})
	return cmd
}

// refused adds the line to the error of an operation.
func refused(err error, file string, line []byte, number int) error {
	if fault.CodeOf(err) == "" { // the run was interrupted
		return err
	}
	text := string(line)
	if at := (*operations.Misplaced)(nil); errors.As(err, &at) {
		err, text = command.InArgument(at.Err, at.Text), at.Text
	}
	f := *command.FactsOf(err)
	f.Line = number
	return &command.Located{Err: &f, Name: file, Text: text, Exit: command.ExitInvalid}
}

// storeAs stores the replayed context.
func storeAs(ctx context.Context, a *command.App, r *operations.Replay, name string) error {
	if r.Context == nil {
		return fault.New(fault.SnapshotNotFound, "the operations make no snapshot to store", "end them with a commit")
	}
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = r.Context.Copy(ctx, s, name)
	return err
}
