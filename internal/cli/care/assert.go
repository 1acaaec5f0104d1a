package care

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/junit"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/contexttree/pact/internal/view"
)

// assertFlags are the limits that a run has to keep.
type assertFlags struct {
	breaks                     int
	tokens                     int64
	cost                       float64
	base, check, prices, junit string
	orphans                    bool
}

func assertCommand(a *command.App) *cobra.Command {
	cmd := a.Command("assert")
	source := a.SourceFlags(cmd)
	f, flags := &assertFlags{}, cmd.Flags()
	apis := []string{"openai", "responses", "anthropic", "gemini"}
	flags.IntVar(&f.breaks, "breaks", 0, "at most `N` calls break the prefix, as log --breaks lists them")
	flags.Int64Var(&f.tokens, "max-tokens", 0, "providers count at most `N` tokens in all calls, in and out")
	flags.Float64Var(&f.cost, "max-cost", 0, "all calls cost at most this `AMOUNT`, in the currency of the prices")
	flags.StringVar(&f.base, "prefix-of", "", "the run sends what the run `BASE` sends, as far as both go")
	flags.StringVar(&f.check, "check", "", "every request keeps the rules of `API`: "+strings.Join(apis, ", "))
	flags.BoolVar(&f.orphans, "no-orphans", false, "no call sends a result without its call or a call without its result")
	flags.StringVar(&f.prices, "prices", "", "take the list of prices in `FILE` in place of the built-in one")
	flags.StringVar(&f.junit, "junit", "", "write the report as JUnit XML to `FILE` too")
	command.OneOf(cmd, "check", apis)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		l, err := f.limits(ctx, a, cmd)
		if err != nil {
			return err
		}
		s, _, err := a.Source(ctx, cmd, source, args)
		if err != nil {
			return err
		}
		defer s.Close()
		if s.Alone != nil {
			return fault.New(fault.DocumentInvalid, "a document on its own is no run", "name a history, a log or a context")
		}
		if f.base != "" {
			file := ""
			if source.File != "" {
				file = f.base
			}
			base, _, err := a.Source(ctx, cmd, &command.SourceFlags{File: file}, []string{f.base})
			if err != nil {
				return err
			}
			defer base.Close()
			if l.PrefixOf = base.Context; base.Alone != nil {
				return fault.At(fault.DocumentInvalid, fault.NoOffset, f.base, "a document on its own is no run", "name a history or a log")
			}
		}
		return f.judge(ctx, a, s, l)
	})
	return cmd
}

// limits reads what the flags ask for.
func (f *assertFlags) limits(ctx context.Context, a *command.App, cmd *cobra.Command) (l runs.Limits, err error) {
	given := cmd.Flags().Changed
	l = runs.Limits{Check: f.check, NoOrphans: f.orphans}
	if given("breaks") {
		l.Breaks = &f.breaks
	}
	if given("max-tokens") {
		l.MaxTokens = &f.tokens
	}
	if given("max-cost") {
		l.MaxCost = &f.cost
	}
	switch {
	case f.breaks < 0 || f.tokens < 0 || f.cost < 0 || f.cost != f.cost:
		return l, command.Usage(cmd, "--breaks, --max-tokens and --max-cost take a number of 0 or more")
	case l.Breaks == nil && l.MaxTokens == nil && l.MaxCost == nil && f.base == "" && f.check == "" && !f.orphans:
		return l, command.Usage(cmd, "assert needs a limit: --breaks, --max-tokens, --max-cost, --prefix-of, --check or --no-orphans")
	}
	if f.junit != "" {
		err = safefile.CanReplace(f.junit)
	}
	if err == nil && f.prices != "" {
		l.Prices, err = a.Prices(ctx, f.prices)
	}
	return l, err
}

// judge prints which limits the run keeps.
func (f *assertFlags) judge(ctx context.Context, a *command.App, s *command.Source, l runs.Limits) error {
	m := a.Meter("judging")
	v, err := runs.Judge(ctx, s.Context, l, m.At)
	m.End()
	if err != nil {
		return err
	}
	if v.Overlap, err = view.OverlapOf(ctx, s.Store, s.Context); err != nil {
		return err
	}
	a.Failed = v.Fails()
	if f.junit != "" {
		if err := a.ReplaceFile(f.junit, reportOf(v).Write); err != nil {
			return err
		}
	}
	if a.JSON {
		return a.PrintJSON(v)
	}
	var kept []string
	for _, limit := range v.Limits {
		for _, failure := range limit.Failures {
			a.Printf("%s: %s: %s\n", a.Paint.Bad(failure.Place), limit.Name, failure.Cause)
		}
		if len(limit.Failures) == 0 {
			kept = append(kept, strings.TrimSpace(limit.Name+" "+view.Visible(limit.Asked)))
		}
	}
	if !a.Failed {
		a.Sentence(a.Paint.Good("kept") + ": " + view.Visible(v.Run) + ", " + view.Plural(v.Calls, "call") + ", " + strings.Join(kept, ", "))
		if text := v.InWords(); text != "" {
			a.Sentence(text)
		}
	}
	return nil
}

// reportOf returns the verdict as tests, one for each limit.
func reportOf(v *runs.Verdict) *junit.Report {
	suite := junit.Suite{Name: v.Run}
	for _, limit := range v.Limits {
		test := junit.Case{Class: v.Run, Name: strings.TrimSpace(limit.Name + " " + limit.Asked)}
		var lines []string
		for _, failure := range limit.Failures {
			lines = append(lines, failure.Place+": "+failure.Cause)
		}
		if len(lines) > 0 {
			message := lines[0]
			if more := len(lines) - 1; more > 0 {
				message += " (and " + strconv.Itoa(more) + " more)"
			}
			test.Failure = &junit.Failure{Message: message, Type: limit.Name, Text: strings.Join(lines, "\n")}
		}
		suite.Cases = append(suite.Cases, test)
	}
	return &junit.Report{Name: "pact assert", Suites: []junit.Suite{suite}}
}
