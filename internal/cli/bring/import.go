package bring

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/spf13/cobra"
)

// importFlags are the flags that import and open share.
type importFlags struct {
	name, edition, conversation  string
	strict, renumber, unanswered bool
	again                        bool
}

func newImportFlags(a *command.App, cmd *cobra.Command) *importFlags {
	f := &importFlags{}
	cmd.Flags().StringVar(&f.name, "name", "", "the `NAME` of the context; by default that of the file")
	cmd.Flags().StringVar(&f.edition, "edition", "", "the `EDITION` to read it in: "+command.EditionNames)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "refuse a history that would have to be mended, and a log with damaged lines")
	cmd.Flags().BoolVar(&f.renumber, "renumber", false,
		"count the cycles of a history with gaps anew, one for each snapshot")
	cmd.Flags().BoolVar(&f.unanswered, "unanswered", false,
		"take the requests of a directory of bodies that have no answer, too: a later import adds none")
	cmd.Flags().BoolVar(&f.again, "again", false, "record calls of a log that were erased after an earlier import, too")
	cmd.Flags().StringVar(&f.conversation, "conversation", "", "take one conversation of several, by its `NAME`")
	command.CompleteFlag(cmd, "edition", selector.Editions())
	return f
}

// plan is a file and the contexts that it gives.
type plan struct {
	*command.Input
	*intake.Plan
	to *gathered.Store // where the contexts go, nil for one in memory
}

func planOf(ctx context.Context, a *command.App, file string, f *importFlags) (*plan, error) {
	if f.edition != "" {
		if _, err := selector.ParseEdition(f.edition); err != nil {
			return nil, err
		}
	}
	in, err := a.ReadFile(ctx, file, f.unanswered)
	if err != nil {
		return nil, err
	}
	return planFor(ctx, a, in, f)
}

// planFor divides the input into parts, one for each context.
func planFor(ctx context.Context, a *command.App, in *command.Input, f *importFlags) (p *plan, err error) {
	p = &plan{Input: in}
	p.Plan, err = intake.PlanFile(ctx, in.File, intake.Options{Name: cmp.Or(f.name, in.Base()), Only: f.conversation, Again: f.again,
		OpenOptions:    pact.OpenOptions{Actor: a.Getenv("USER", "")},
		HistoryOptions: pact.HistoryOptions{Edition: selector.Edition(f.edition), Strict: f.strict, Renumber: f.renumber},
		Beside: func(log *calllog.Log) error {
			return intake.AddSubAgents(in.Name, log, func(path string) (*calllog.Log, error) {
				file, err := a.ReadFile(ctx, path, false)
				if err != nil {
					return nil, err
				}
				of, err := file.Log("")
				return of, file.Located(err)
			})
		}})
	if err != nil {
		return nil, in.Located(err)
	}
	p.Plan.Findings = slices.Concat(in.Findings, p.Plan.Findings)
	return p, nil
}

// importAll makes the contexts of a file in a store.
func importAll(ctx context.Context, a *command.App, s *pact.DB, in *plan) ([]intake.Made, error) {
	a.Warn(in.Plan.Findings)
	m := a.Meter("importing")
	list, err := in.Import(ctx, s, m.At)
	if in.to != nil { // also after an error: the same import again goes on behind what it made
		err = cmp.Or(err, in.to.Flush(ctx))
	}
	m.End()
	for i := range list {
		a.Warn(list[i].Findings)
	}
	return list, in.refused(a, err)
}

func importCommand(a *command.App) *cobra.Command {
	cmd := a.Command("import")
	flags := newImportFlags(a, cmd)
	policy := a.PolicyFlags(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "say what would be made, and store nothing")
	policy.Bare = lifecycle.ReadyDefault
	hooks := newHookFlags(cmd)
	takes := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if hooks.hook && len(args) > 0 {
			return command.Usage(cmd, "import --hook takes no arguments; %d given", len(args))
		}
		if hooks.hook {
			return nil
		}
		return takes(cmd, args)
	}
	imports := within(a, func(ctx context.Context, cmd *cobra.Command, args []string) error {
		in, err := planOf(ctx, a, args[0], flags)
		if err != nil {
			return err
		}
		if in.Policy, in.Counter, err = policy.Policy(ctx, a, cmd, nil); err != nil {
			return err
		}
		if !in.Replays() && !in.Policy.Empty() {
			return in.refuseLimits(policy.Typed(cmd))
		}
		lost := map[*intake.Part]*story.LossReader{}
		for i := range in.Parts {
			if part := &in.Parts[i]; policy.Prunes(&in.Policy) {
				reader := &story.LossReader{Counter: in.Counter}
				lost[part] = reader
				part.Pruned = func(before *pact.Snapshot, r *lifecycle.Report) error { return reader.Take(ctx, before, r) }
			}
		}
		s := pact.NewDB(store.NewMemory())
		if *dry {
			err = rehearse(ctx, a, in)
		} else {
			s, err = storeFor(ctx, a, in)
		}
		if err != nil {
			return err
		}
		defer s.Close()
		list, err := importAll(ctx, a, s, in)
		if err != nil {
			return err
		}
		return reportImport(a, list, lost, in.Plan.Kind, *dry)
	})
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if hooks.hook {
			return hooks.answer(ctx, a, cmd, policy.File)
		}
		return imports(ctx, cmd, args)
	})
	return cmd
}
