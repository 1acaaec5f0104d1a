package bring

import (
	"bufio"
	"context"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// importFlags are the flags that import and open share.
type importFlags struct {
	name, edition, conversation  string
	strict, renumber, unanswered bool
	anySize                      bool
}

// importMemory is how many bytes an import may hold without --any-size.
const importMemory = 256 << 20

func newImportFlags(a *command.App, cmd *cobra.Command) *importFlags {
	f := &importFlags{}
	cmd.Flags().StringVar(&f.name, "name", "", "the `NAME` of the context; by default that of the file")
	cmd.Flags().StringVar(&f.edition, "edition", "", "the `EDITION` to read it in: v0.1, depth or canonical")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "refuse a history whose order or regions would have to be mended")
	cmd.Flags().BoolVar(&f.renumber, "renumber", false,
		"count the cycles of a history with gaps anew, one for each snapshot")
	cmd.Flags().BoolVar(&f.unanswered, "unanswered", false,
		"take the requests of a directory of bodies that have no answer, too: a later import adds none")
	cmd.Flags().BoolVar(&f.anySize, "any-size", false, "take a file that needs more than 256 MiB of memory, too")
	cmd.Flags().StringVar(&f.conversation, "conversation", "", "take one conversation of several, by its `NAME`")
	command.CompleteFlag(cmd, "edition", command.Editions)
	return f
}

// backupMemory is how many bytes an import may hold for each byte of a backup, if that is more. A node of
// an export takes some 300 bytes in the file, and 2 KiB and its content in memory; a line as long as the
// file takes as much again while it is read.
const backupMemory = 32

// limited returns a context in which an import of a file with a command may hold what the flags allow.
func (f *importFlags) limited(ctx context.Context, cmd *cobra.Command, file string) context.Context {
	if f.anySize {
		return ctx
	}
	most := int64(importMemory)
	if size := backupSize(file); size > most/backupMemory {
		most = size * backupMemory
	}
	ctx, _ = budget.WithMemory(ctx, most, "divide the file, or take it as it is: "+cmd.CommandPath()+" "+
		screen.Quote(file)+" --any-size")
	return ctx
}

// backupSize returns the size of a file on disk that is a history in the compact form, 0 for any other. A
// compressed one is small beside what it can hold, so its size warrants nothing.
func backupSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	file, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer file.Close()
	if !intake.IsBackup(bufio.NewReader(file)) {
		return 0
	}
	return info.Size()
}

// split divides the input into parts, one for each context.
func split(ctx context.Context, a *command.App, in *command.Input, kind intake.Kind, f *importFlags) ([]command.Part, error) {
	name := f.name
	if name == "" {
		name = in.Base()
	}
	if kind == intake.Log {
		log, err := in.Log(f.conversation)
		if err != nil {
			return nil, err
		}
		if f.conversation == "" {
			if err := intake.AddSubAgents(in.Name, log, func(path string) (*calllog.Log, error) {
				file, err := a.ReadFile(ctx, path, false)
				if err != nil {
					return nil, err
				}
				return file.Log("")
			}); err != nil {
				return nil, err
			}
		}
		in.Findings = append(in.Findings, log.Findings...)
		return in.LogParts(ctx, log, name)
	}
	if kind != intake.Transcript {
		if kind == intake.Snapshot {
			if err := intake.HoldNodes(ctx, in.Data); err != nil {
				return nil, command.InFile(err, in.Name, nil)
			}
		}
		if f.conversation != "" {
			return nil, fault.New(fault.DocumentInvalid, "--conversation is for transcripts", "leave it out: this is a "+
				string(kind))
		}
		return []command.Part{{Name: name}}, nil
	}
	if f.conversation != "" {
		c, err := in.Conversation(f.conversation)
		return []command.Part{{Name: name + "/" + f.conversation, Conversation: c}}, err
	}
	list, err := intake.Conversations(ctx, in.Data)
	if err != nil {
		return nil, command.InFile(err, in.Name, in.Data)
	}
	parts := make([]command.Part, len(list))
	for i, c := range list {
		parts[i] = command.Part{Name: name, Conversation: c}
		in.Findings = append(in.Findings, c.Findings()...)
		if len(list) > 1 {
			parts[i].Name += "/" + c.Name
		}
	}
	return parts, nil
}

// plan is a file and how to import it.
type plan struct {
	*command.Input
	kind             intake.Kind
	edition          string
	strict, renumber bool
	parts            []command.Part
	policy           lifecycle.Policy // the policy under which the calls of a transcript are replayed
	counter          tree.Counter     // counts tokens for the policy, nil if it needs none
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

func planFor(ctx context.Context, a *command.App, in *command.Input, f *importFlags) (p *plan, err error) {
	p = &plan{Input: in, edition: f.edition, strict: f.strict, renumber: f.renumber}
	if p.kind, err = in.Shape(); err == nil {
		p.parts, err = split(ctx, a, in, p.kind, f)
	}
	return p, err
}

// importAll makes the contexts of a file. A context of that name gets what it lacks if it
// was made of the beginning of the same contents; importAll refuses any other. It checks all
// names before the first import.
func importAll(ctx context.Context, a *command.App, s *pact.DB, in *plan) ([]command.Imported, error) {
	found := make([]command.Imported, len(in.parts))
	total := 0
	for i, p := range in.parts {
		var err error
		if found[i], err = existing(ctx, a, s, in, p); err != nil {
			return nil, err
		}
		total += p.Calls()
	}
	a.Warn(in.Findings)
	m, done := a.Meter("importing"), 0
	defer m.End()
	var list []command.Imported
	for i, p := range in.parts {
		switch {
		case p.Session != nil:
			made, err := a.RecordLog(ctx, s, p, pact.OpenOptions{Actor: a.Getenv("USER", ""), Counter: in.counter},
				func(n int) { m.At(done+n, total) })
			if err != nil {
				return nil, command.InFile(err, in.Name, in.Data)
			}
			list = append(list, made...)
		case found[i].Context == nil:
			c, err := makeContext(ctx, a, s, in, p, func(n, _ int) { m.At(done+n, total) })
			if err != nil {
				return nil, err
			}
			list = append(list, command.Imported{Context: c, Existed: p.There, Added: p.Adds, Part: p})
		default:
			if grows := found[i].Grows; grows != nil {
				if err := grows.Apply(ctx); err != nil {
					return nil, err
				}
				found[i].Added = grows.Cycles
			}
			list = append(list, found[i])
		}
		done += p.Calls()
		m.At(done, total)
	}
	return list, nil
}

// makeContext makes one context in a store.
func makeContext(ctx context.Context, a *command.App, s *pact.DB, in *plan, p command.Part, progress func(done, total int)) (*pact.Context,
	error) {
	open := pact.OpenOptions{Actor: a.Getenv("USER", ""), Counter: in.counter}
	if in.kind == intake.Transcript {
		made := pact.CreateOptions{OpenOptions: open, Edition: selector.Edition(in.edition)}
		options := &transcript.ImportOptions{CreateOptions: made, Policy: in.policy, Progress: progress}
		if p.Lost != nil {
			options.Pruned = func(before *pact.Snapshot, r *lifecycle.Report) error { return p.Lost.Take(ctx, before, r) }
		}
		c, err := transcript.Import(ctx, s, p.Name, p.Conversation, options)
		return c, command.InFile(err, in.Name, in.Data)
	}
	c, findings, err := in.Begin(ctx, in.kind, s, p.Name, pact.ImportHistoryOptions{OpenOptions: open,
		HistoryOptions: pact.HistoryOptions{Edition: selector.Edition(in.edition), Strict: in.strict, Renumber: in.renumber}})
	if err != nil {
		return nil, err
	}
	lacking, err := record.Lacking(ctx, c)
	a.Warn(append(findings, lacking...))
	return c, err
}

func importCommand(a *command.App) *cobra.Command {
	cmd := a.Command("import")
	flags := newImportFlags(a, cmd)
	policy := a.PolicyFlags(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "say what would be made, and store nothing")
	policy.Bare = lifecycle.ReadyDefault
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		ctx = flags.limited(ctx, cmd, args[0])
		in, err := planOf(ctx, a, args[0], flags)
		if err != nil {
			return err
		}
		if in.policy, in.counter, err = policy.Policy(ctx, a, cmd, nil); err != nil {
			return err
		}
		if in.kind != intake.Transcript && !in.policy.Empty() {
			return in.refuseLimits(policy.Typed(cmd))
		}
		for i := range in.parts {
			if policy.Prunes(&in.policy) {
				in.parts[i].Lost = &story.LossReader{Counter: in.counter}
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
		return reportImport(a, list, in.kind, *dry)
	})
	return cmd
}
