package care

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"

	"github.com/spf13/cobra"
)

// eraseFlags are the flags of pact erase.
type eraseFlags struct {
	selectors, texts, files []string
	revisions               []int64
	reason, actor           string
	dryRun, yes, clean      bool
	everywhere              bool
}

// erased is the answer of pact erase --json.
type erased struct {
	*record.Erased
	DryRun bool     `json:"dry_run,omitempty"`
	AlsoIn []string `json:"also_in,omitempty"` // names of other contexts in the store that hold a text
}

func eraseCommand(a *command.App) *cobra.Command {
	cmd := a.Command("erase")
	cmd.Args = cobra.ArbitraryArgs
	f, flags := &eraseFlags{}, cmd.Flags()
	flags.StringArrayVar(&f.selectors, "select", nil,
		"the nodes that a `SELECTOR` finds, anywhere if it has no address; may be repeated")
	flags.StringArrayVar(&f.texts, "containing", nil, "everything that holds this `TEXT`; may be repeated")
	flags.StringArrayVar(&f.files, "containing-file", nil, "everything that holds a line of `FILE`; - is standard input")
	flags.Int64SliceVar(&f.revisions, "revision", nil,
		"actor, message, request and report of the entry `N` of the log; may be repeated")
	flags.StringVarP(&f.reason, "reason", "m", "", "why, a `TEXT` for the log")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would go")
	flags.BoolVar(&f.yes, "yes", false, "do not ask")
	flags.BoolVar(&f.everywhere, "everywhere", false, "in all contexts of the store, what --containing or --containing-file names")
	flags.BoolVar(&f.clean, "clean", false, "only finish the clean-up of earlier erasures")
	for _, other := range []string{"select", "containing", "containing-file", "revision", "reason", "dry-run", "everywhere"} {
		cmd.MarkFlagsMutuallyExclusive("clean", other)
	}
	for _, other := range []string{"select", "revision"} {
		cmd.MarkFlagsMutuallyExclusive("everywhere", other)
	}
	actor := a.ActorFlag(cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		f.actor = *actor
		if f.clean {
			if len(args) > 0 {
				return command.Usage(cmd, "--clean takes no arguments; %d given", len(args))
			}
			return cleanStore(ctx, a)
		}
		switch {
		case f.everywhere && len(args) > 0:
			return command.Usage(cmd, "erase --everywhere takes no arguments; %d given", len(args))
		case f.everywhere:
			return eraseEverywhere(ctx, a, cmd, f)
		case len(args) == 0:
			return command.Usage(cmd, "erase takes NAME [ID…]; 0 given")
		}
		return erase(ctx, a, cmd, f, args[0], args[1:])
	})
	return cmd
}

func cleanStore(ctx context.Context, a *command.App) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	done, err := engine.Of(s).Erase(ctx, 0, engine.Erase{})
	if err != nil {
		return err
	}
	if done.Remains != "" {
		return unfinished(done.Remains)
	}
	return a.Answer(a.Shown()+" holds nothing that was erased", map[string]any{"clean": true})
}

// unfinished is the error for an erasure whose clean-up is still to do.
func unfinished(remains string) error {
	return fault.New(fault.Store, "the store is not cleaned up: "+remains, "then pact erase --clean finishes it")
}

func erase(ctx context.Context, a *command.App, cmd *cobra.Command, f *eraseFlags, name string, ids []string) error {
	texts, err := f.allTexts(ctx, a)
	if err != nil {
		return err
	}
	c, s, err := a.OpenContext(ctx, name, f.actor)
	if err != nil {
		return err
	}
	defer s.Close()
	e := pact.Erasure{IDs: ids, Texts: texts, Revisions: f.revisions, Reason: f.reason, DryRun: true}
	for _, text := range f.selectors {
		found, err := everywhere(ctx, c, text)
		if err != nil {
			return command.InSelector(err, text, c.Working())
		}
		if len(found) == 0 {
			return fault.At(fault.NodeNotFound, fault.NoOffset, text, "the selector finds nothing", "pact select "+screen.Quote(name)+
				" "+screen.Quote(text)+" tries it; without an address it is asked of all snapshots here, as with @*")
		}
		e.IDs = append(e.IDs, found...)
	}
	if err := f.check(cmd, &e); err != nil {
		return err
	}
	m := a.Meter("erasing")
	defer m.End()
	e.Progress = m.At
	plan, err := record.Erase(ctx, s, c, e)
	if err != nil {
		return err
	}
	m.End()
	also, err := holding(ctx, s, texts, reached(plan), c.Info().Name)
	if err != nil {
		return err
	}
	return carryOut(ctx, a, f, s, c, e, plan, also)
}

// check returns an error if nothing is to be erased, or without a reason.
func (f *eraseFlags) check(cmd *cobra.Command, e *pact.Erasure) error {
	if len(e.IDs)+len(e.Texts)+len(e.Revisions) == 0 {
		return command.Usage(cmd, "erase needs an ID, --select, --containing or --revision")
	}
	if strings.TrimSpace(f.reason) == "" && !f.dryRun {
		return command.Usage(cmd, "erase needs a --reason, for the log")
	}
	return nil
}

// eraseEverywhere erases the texts from every context of the store. It plans all of it first, so that a context that
// refuses, because its name holds the text, leaves all others as they are.
func eraseEverywhere(ctx context.Context, a *command.App, cmd *cobra.Command, f *eraseFlags) error {
	texts, err := f.allTexts(ctx, a)
	e := pact.Erasure{Texts: texts, Reason: f.reason, DryRun: true}
	if err := cmp.Or(err, f.check(cmd, &e)); err != nil {
		return err
	}
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	infos, err := pact.List(ctx, s)
	if err != nil {
		return err
	}
	type planned struct {
		in   *pact.Context
		plan *record.Erased
	}
	var list []planned
	seen := make(map[string]bool)
	m := a.Meter("searching")
	defer m.End()
	for n, i := range infos {
		m.At(n, len(infos))
		if seen[i.Name] {
			continue // it shares the history of one that is planned
		}
		c, err := pact.Open(ctx, s, i.Name, &pact.OpenOptions{Actor: f.actor})
		if err != nil {
			return err
		}
		plan, err := record.Erase(ctx, s, c, e)
		if err != nil {
			return err
		}
		for _, name := range reached(plan) {
			seen[name] = true
		}
		if len(reached(plan)) > 0 {
			list = append(list, planned{c, plan})
		}
	}
	m.End()
	for _, p := range list {
		if err := carryOut(ctx, a, f, s, p.in, e, p.plan, nil); err != nil {
			return err
		}
	}
	if len(list) == 0 && !a.JSON {
		a.Printf("nothing to erase in the %s of %s\n", view.Plural(len(infos), "context"), a.Shown())
	}
	return nil
}

// carryOut does what was planned, unless it is to say so only, and reports it.
func carryOut(ctx context.Context, a *command.App, f *eraseFlags, s *pact.DB, c *pact.Context, e pact.Erasure,
	plan *record.Erased, also []string) (err error) {
	if !f.dryRun && len(reached(plan)) > 0 && !f.yes {
		if err := askToErase(a, plan); err != nil {
			return err
		}
	}
	m := a.Meter("erasing")
	defer m.End()
	if e.DryRun = f.dryRun; !f.dryRun { // the last check, so that nothing runs between the erasure and its receipt
		e.Progress, e.Random, e.Receipt = m.At, rand.Reader, func(receipt string) error {
			m.End()
			return printReceipt(a, receipt)
		}
		if plan, err = record.Erase(ctx, s, c, e); plan == nil {
			return err
		}
	}
	m.End()
	return errors.Join(reportErased(a, plan, f.dryRun, also), err)
}

// allTexts returns the texts of the flags and the lines of the files.
func (f *eraseFlags) allTexts(ctx context.Context, a *command.App) ([]string, error) {
	texts := slices.Clone(f.texts)
	for _, name := range f.files {
		in, err := a.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(strings.TrimPrefix(string(in.Data), "\ufeff")) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				texts = append(texts, line)
			}
		}
	}
	return texts, nil
}

// everywhere returns the ids that a selector finds at its own address or, without an
// address, in every snapshot and in the working state.
func everywhere(ctx context.Context, c *pact.Context, text string) ([]string, error) {
	q, err := selector.Parse(text, c.Info().Edition)
	if err != nil {
		return nil, err
	}
	o := &pact.SelectOptions{}
	if q.Time == nil {
		q.Time = &selector.Time{Kind: selector.All}
		text, o.Working = q.String(), true
	}
	hits, err := c.Find(ctx, text, o)
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Node.ID)
	}
	return ids, err
}

// holding returns the names of other contexts in a store that hold one of the
// texts.
func holding(ctx context.Context, s *pact.DB, texts, done []string, name string) ([]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	infos, err := pact.List(ctx, s)
	if err != nil {
		return nil, err
	}
	seen, list := map[string]bool{name: true}, []string(nil)
	for _, other := range done {
		seen[other] = true
	}
	for _, i := range infos {
		if seen[i.Name] || command.OriginOf(i, infos) != nil && command.OriginOf(i, infos).Name != "" {
			continue // already erased, or a fork that shares the erased history
		}
		c, err := pact.Open(ctx, s, i.Name, nil)
		if err != nil {
			return nil, err
		}
		of, err := c.Erase(ctx, pact.Erasure{Texts: texts, DryRun: true})
		switch {
		case fault.CodeOf(err) == fault.DocumentInvalid: // a name holds the text, and an erasure keeps names
			list = append(list, i.Name)
		case err != nil:
			return nil, err
		case len(of.IDs)+of.Entries+of.Said > 0:
			list = append(list, of.Contexts...)
		}
	}
	return list, nil
}
