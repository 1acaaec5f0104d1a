package bring

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/record/sums"
	"github.com/contexttree/pact/internal/view"
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
	cmd.Flags().StringVar(&f.name, "name", "", "the `NAME` of the context; by default that of the file or its session")
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

// unused returns an error if a flag says how to read a file, of which there is none.
func (f *importFlags) unused(cmd *cobra.Command) error {
	for _, name := range []string{"name", "edition", "strict", "renumber", "unanswered", "again", "conversation"} {
		if cmd.Flags().Changed(name) {
			return command.Usage(cmd, "--%s says how a file is imported, and a stored context is opened", name)
		}
	}
	return nil
}

// plan is a file and the contexts that it gives.
type plan struct {
	*command.Input
	*intake.Plan
	to *gathered.Store // where the contexts go, nil for one in memory
}

// planOf reads a file. One that holds a session of this machine is named like that, whoever imports it: under another
// name nothing would be known of what was erased.
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
	named := *f
	if s := sessions.At(a.Env, file); s != nil && named.name == "" {
		named.name = s.Name()
	}
	return planFor(ctx, a, in, &named)
}

// planFor divides the input into parts, one for each context.
func planFor(ctx context.Context, a *command.App, in *command.Input, f *importFlags) (p *plan, err error) {
	p = &plan{Input: in}
	p.Plan, err = intake.PlanFile(ctx, in.File, intake.Options{Name: cmp.Or(f.name, in.Base()), Only: f.conversation,
		Choose: command.Choose, Again: f.again,
		ImportOptions: pact.ImportOptions{OpenOptions: pact.OpenOptions{Actor: a.Getenv("USER", "")},
			Edition: selector.Edition(f.edition), Strict: f.strict, Renumber: f.renumber},
		Beside: func(log *calllog.Log) error {
			return intake.AddSubAgents(in.Name, log, func(path string) (*calllog.Log, error) {
				file, err := a.ReadFile(ctx, path, false)
				if err != nil {
					return nil, err
				}
				of, err := file.Log()
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
	if in.Plan.Kind == intake.Log {
		defer allowGarbage(callHeap)()
	}
	m := a.Meter("importing")
	list, err := in.Import(ctx, s, func(done, total int) {
		m.At(done, total)
		if in.to != nil {
			in.to.Pause(ctx)
		}
	})
	if in.to != nil { // also after an error: the same import again goes on behind what it made
		err = in.to.End(ctx, err)
	}
	m.End()
	for i := range list {
		for j, f := range list[i].Findings {
			if f.Code == fault.Conflict { // calls that were erased
				list[i].Findings[j].Message += ": --again"
			}
		}
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
	imports := withMemory(a, func(ctx context.Context, cmd *cobra.Command, args []string) error {
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

// madeContext is a line of the answer of an import.
type madeContext struct {
	Name    string      `json:"name"`
	Kind    intake.Kind `json:"kind"`
	Edition string      `json:"edition"`
	First   int64       `json:"first_cycle"`
	Last    int64       `json:"last_cycle"`
	Nodes   int         `json:"nodes"`
	Existed bool        `json:"existed,omitempty"` // it was there before, made of the same contents
	Added   int64       `json:"added,omitempty"`   // how many cycles it has more now, because the file grew
	Format  string      `json:"format,omitempty"`  // of the log
	Exact   string      `json:"exact,omitempty"`   // how the requests of the log relate to what was sent
	Missing []string    `json:"missing,omitempty"` // parts that rebuilt requests lack
	Calls   int         `json:"calls,omitempty"`   // recorded now, in all contexts of the session
	Known   int         `json:"known,omitempty"`   // recorded before
	Lost    *story.Loss `json:"lost,omitempty"`    // to the limits
	Sums    *sums.Sums  `json:"sums,omitempty"`    // of the file, beside its first context
}

// reportImport prints the contexts that an import made, or would make.
func reportImport(a *command.App, list []intake.Made, lost map[*intake.Part]*story.LossReader, kind intake.Kind, dry bool) error {
	answer := make([]madeContext, len(list))
	for i, l := range list {
		first, last := l.Context.Info().First, l.Context.Info().Cycle
		m := madeContext{Name: l.Context.Info().Name, Kind: kind, Edition: string(l.Context.Info().Edition), First: first, Last: last,
			Nodes: l.Context.Working().Len(), Existed: l.Existed, Added: l.Added,
			Calls: l.Calls, Known: l.Known, Lost: lost[l.Part].Total()}
		if s := l.Part.Session; s != nil {
			m.Format, m.Exact, m.Missing = s.Format, string(s.Exact), s.Missing
			if i == 0 {
				m.Sums = s.Sums
			}
		}
		answer[i] = m
		if a.JSON {
			continue
		}
		would, records := "", l.Part.Records()
		if dry && (records || !l.Existed) {
			would = "would be made: "
		}
		a.Printf("%s%s: %s, edition %s, %s", would, view.Visible(m.Name), view.Plural(int(max(0, last-first+1)), "cycle"), m.Edition,
			view.Plural(m.Nodes, "node"))
		if l.Existed && !records {
			what := ", made of the same contents"
			if m.Added > 0 {
				what = " and gets " + view.Plural(int(m.Added), "new cycle")
			}
			a.Printf("; it is there already%s", what)
		}
		if records && m.Calls+m.Known > 0 {
			a.Printf("; %s: %s", m.Format, view.Plural(m.Calls, "new call"))
			if m.Known > 0 {
				a.Printf(", %d known", m.Known)
			}
			a.Printf(", requests %s", m.Exact)
			if len(m.Missing) > 0 {
				a.Printf(" without %s", strings.Join(m.Missing, ", "))
			}
		}
		a.Printf("\n")
		a.DrawImportLoss(m.Lost)
	}
	if a.JSON {
		return a.PrintJSON(answer)
	}
	return nil
}
