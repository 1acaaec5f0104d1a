package cli

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// validated is the answer of pact validate --json.
type validated struct {
	Valid     bool              `json:"valid"`
	Kind      intake.Kind       `json:"kind,omitempty"` // for a file
	Snapshots int               `json:"snapshots"`
	Findings  []inspect.Finding `json:"findings"`
}

func (a *app) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate NAME | validate --file FILE",
		Short: "Check a file or a stored context",
		Long: `Check a file strictly. What no context can have makes it invalid; other faults are
listed. If a stored context is named, its snapshots are exported, read back and
compared byte for byte: the oldest and the latest as a whole, every other one in the
turns and groups that differ from the snapshot before.`,
		Example: `  pact validate --file snapshot.json
  pact validate --file history.jsonl --json
  pact validate chat`,
	}
	flags := a.sourceFlags(cmd)
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if err := count(cmd, flags.file, args); err != nil {
			return err
		}
		v := &validated{Findings: []inspect.Finding{}}
		var err error
		if flags.file != "" {
			err = a.validateFile(ctx, flags, v)
		} else {
			err = a.validateStored(ctx, cmd, flags, args, v)
		}
		if !a.json {
			for _, f := range v.Findings {
				a.printf("%s\n", findingText(f))
			}
		}
		if err != nil {
			return err
		}
		v.Valid = true
		if a.json {
			return a.printJSON(v)
		}
		what := "valid, " + plural(v.Snapshots, "snapshot")
		if len(v.Findings) > 0 {
			what += ", " + plural(len(v.Findings), "finding")
		}
		a.printf("%s\n", what)
		return nil
	})
	return cmd
}

func (a *app) validateFile(ctx context.Context, flags *sourceFlags, v *validated) error {
	if flags.edition != "" {
		if _, err := selector.ParseEdition(flags.edition); err != nil {
			return err
		}
	}
	in, err := a.readFile(ctx, flags.file, true)
	if err != nil {
		return err
	}
	if v.Kind, err = in.shape(); err != nil {
		return err
	}
	edition := selector.Edition(flags.edition)
	switch v.Kind {
	case intake.Log:
		log, err := in.log("")
		if err != nil {
			return err
		}
		for _, s := range log.Sessions {
			v.Snapshots += len(s.Calls)
		}
		v.Findings = append(v.Findings, log.Findings...)
		return nil
	case intake.Transcript:
		list, err := transcript.Read(in.data)
		for _, c := range list {
			v.Snapshots += c.Calls()
			v.Findings = append(v.Findings, c.Findings()...)
		}
		return inFile(err, in.name, in.data)
	case intake.Snapshot:
		v.Snapshots = 1
		return in.validateSnapshot(edition, v)
	}
	c, findings, err := in.begin(ctx, intake.History, store.NewMemory(), "history",
		pact.ImportHistoryOptions{HistoryOptions: pact.HistoryOptions{Edition: edition, Strict: true}})
	if err != nil {
		return err
	}
	v.Findings = append(v.Findings, findings...)
	first, last := c.Cycles()
	v.Snapshots = int(max(0, last-first+1))
	return nil
}

// validateSnapshot reads a document strictly. If that fails, it reads it again
// leniently to find everything wrong with its shape.
func (in *input) validateSnapshot(edition selector.Edition, v *validated) error {
	d, err := document.Read(in.data, document.Options{Edition: edition})
	if err == nil {
		v.Findings = append(v.Findings, d.Findings...)
		return nil
	}
	if d, lenient := document.Read(in.data, document.Options{Edition: edition, Lenient: true}); lenient == nil {
		v.Findings = append(v.Findings, d.Findings...)
	}
	return inFile(err, in.name, in.data)
}

func (a *app) validateStored(ctx context.Context, cmd *cobra.Command, flags *sourceFlags, args []string,
	v *validated) error {
	s, _, err := a.source(ctx, cmd, flags, args)
	if err != nil {
		return err
	}
	defer s.close()
	first, last := s.context.Cycles()
	if last < first {
		return nil
	}
	m := a.meter("validating")
	defer m.end()
	r := readBack{found: make(map[inspect.Finding]bool)}
	for snapshot, err := range s.context.History(ctx, pact.Cycle(first), pact.Latest) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		findings, err := r.snapshot(ctx, snapshot, snapshot.Cycle() == last)
		v.Findings = append(v.Findings, findings...)
		if err != nil {
			return err
		}
		v.Snapshots++
		m.at(v.Snapshots, int(last-first+1))
	}
	return nil
}
