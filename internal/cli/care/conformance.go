package care

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

func conformanceCommand(a *command.App) *cobra.Command {
	cmd := a.Command("conformance")
	cmd.ValidArgsFunction = completeCases
	f := cmd.Flags()
	against := f.String("against", "", "run the cases against the program `CMD`")
	persistent := f.Bool("persistent", false, "with --against, start the program once and send it lines")
	timeout := f.Duration("timeout", 30*time.Second, "with --against, how long one call may `TAKE`")
	all := f.Bool("all", false, "print the checklists of all chapters")
	list := f.Bool("list", false, "print the cases instead of running them")
	areas := f.StringSlice("area", nil, "only the cases of an `AREA`; may be repeated")
	profiles := f.StringSlice("profile", nil, "only the cases of a `PROFILE`, such as select-v01; may be repeated")
	exclude := f.StringSlice("exclude", nil, "leave out these `CASES` or areas; may be repeated")
	edition := f.String("edition", "", "only the cases in an `EDITION` of selectors")
	generate := f.Int("generate", 0, "draw `N` more cases, documents and selectors")
	seed := f.Uint64("seed", 1, "with --generate, the `SEED` they are drawn with")
	first := f.Bool("first", false, "stop after the first case that fails")
	junit := f.String("junit", "", "write the report as JUnit XML to `FILE` too")
	_ = cmd.RegisterFlagCompletionFunc("area", completeAreas)
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions(conformance.Profiles, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("edition", cobra.FixedCompletions(conformance.Editions, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("list", "junit")
	cmd.MarkFlagsMutuallyExclusive("list", "against")
	cmd.MarkFlagsMutuallyExclusive("list", "first")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		cases, err := chosen(args, *areas)
		if err == nil {
			cases, err = leaveOutCases(cases, *exclude)
		}
		if err != nil {
			return err
		}
		scope := conformance.Scope{Profiles: *profiles}
		if *edition != "" {
			scope.Editions = []string{*edition}
		}
		if err := scope.Check(); err != nil {
			return command.Usage(cmd, "%s", err.Error())
		}
		if *list {
			return listCases(a, slices.DeleteFunc(cases, func(c conformance.Case) bool { return !scope.Has(&c) }))
		}
		program, end, err := underTest(a, cmd, *against, *persistent, *timeout)
		if err != nil {
			return err
		}
		defer end()
		if cmd.Flags().Changed("against") && len(args)+len(*areas)+len(*profiles)+len(*edition) == 0 {
			if scope, err = conformance.Capabilities(ctx, program); err != nil {
				return command.Usage(cmd, "--against %s: %s", *against, err.Error())
			}
		}
		if cmd.Flags().Changed("generate") {
			more, err := drawn(*generate, *seed, scope)
			if err != nil {
				return err
			}
			cases = append(cases, more...)
		}
		if *junit != "" {
			if err := safefile.CanReplace(*junit); err != nil {
				return err
			}
		}
		m := a.Meter("running cases")
		report, err := conformance.RunAll(ctx, cases, program, conformance.RunOptions{Scope: scope, First: *first, Progress: m.At})
		m.End()
		if err != nil {
			return err
		}
		some := len(args)+len(*areas)+len(*exclude) > 0 || *first
		if some {
			report.Checklists = []conformance.Filled{}
		}
		a.Failed = report.Summary.Failed > 0 || report.Summary.Cases == 0
		if *junit != "" {
			if err := a.ReplaceFile(*junit, report.JUnit); err != nil {
				return err
			}
		}
		if a.JSON {
			return a.PrintJSON(report)
		}
		kit := report.Version
		if *generate > 0 {
			kit += fmt.Sprintf(" and %d cases of seed %d", *generate, *seed)
		}
		printReport(a, report, kit, *all, some)
		return nil
	})
	return cmd
}

// underTest returns the program that runs the cases, this one or that of --against, and what ends it.
func underTest(a *command.App, cmd *cobra.Command, against string, persistent bool, timeout time.Duration) (
	program conformance.Command, end func(), err error) {
	end = func() {}
	switch {
	case !cmd.Flags().Changed("against"):
		return func(ctx context.Context, args ...string) (conformance.Answer, error) {
			return inProcess(ctx, a, args...)
		}, end, nil
	case persistent:
		program, end, err = conformance.Persistent(against, timeout)
	default:
		program, err = conformance.Against(against, timeout)
	}
	if err != nil {
		err = command.Usage(cmd, "--against %s: %s", against, err.Error())
	}
	return program, end, err
}

// drawn draws cases for the editions in which the program selects.
func drawn(n int, seed uint64, scope conformance.Scope) ([]conformance.Case, error) {
	editions := slices.DeleteFunc(slices.Clone(conformance.Editions), func(e string) bool {
		return !scope.Has(&conformance.Case{Edition: e, Check: conformance.Check{Kind: "select"}})
	})
	const most = 10_000
	switch {
	case n < 1 || n > most:
		return nil, fault.At(fault.Usage, fault.NoOffset, strconv.Itoa(n), "--generate draws 1 to 10000 cases", "take another seed for more")
	case len(editions) == 0:
		return nil, fault.New(fault.Usage, "the drawn cases select, and the program has no profile that does",
			"leave --generate out, or add a profile such as select-v01")
	}
	return conformance.Generate(n, seed, editions), nil
}

// chosen returns the cases with these ids; without ids, all cases. With areas it
// keeps only the cases of these areas.
func chosen(ids, areas []string) ([]conformance.Case, error) {
	cases, err := conformance.Cases()
	if err != nil {
		return nil, err
	}
	for _, area := range areas {
		if !slices.Contains(areasOf(cases), area) {
			return nil, fault.At(fault.Usage, fault.NoOffset, area, "there is no area "+area,
				"the areas are "+strings.Join(areasOf(cases), ", "))
		}
	}
	some := cases
	if len(ids) > 0 {
		some = nil
	}
	for _, id := range ids {
		i := slices.IndexFunc(cases, func(c conformance.Case) bool { return c.ID == id })
		if i < 0 {
			return nil, fault.At(fault.Usage, fault.NoOffset, id, "there is no case "+id,
				"pact conformance --list prints the cases")
		}
		some = append(some, cases[i])
	}
	if len(areas) > 0 {
		some = slices.DeleteFunc(some, func(c conformance.Case) bool { return !slices.Contains(areas, c.Area) })
	}
	return some, nil
}

// leaveOutCases leaves out cases, by their id or their area.
func leaveOutCases(cases []conformance.Case, names []string) ([]conformance.Case, error) {
	for _, name := range names {
		left := slices.DeleteFunc(slices.Clone(cases), func(c conformance.Case) bool { return c.ID == name || c.Area == name })
		if len(left) == len(cases) {
			return nil, fault.At(fault.Usage, fault.NoOffset, name, "there is no such case or area to leave out: "+name,
				"pact conformance --list prints the cases and their areas")
		}
		cases = left
	}
	return cases, nil
}

// areasOf returns the areas of cases in the order of the kit.
func areasOf(cases []conformance.Case) []string {
	areas := make([]string, len(cases))
	for i, c := range cases {
		areas[i] = c.Area
	}
	return slices.Compact(areas) // the cases of an area stand together
}

// listCases prints cases without running them.
func listCases(a *command.App, cases []conformance.Case) error {
	type listed struct {
		ID      string               `json:"id"`
		Area    string               `json:"area"`
		Profile string               `json:"profile"`
		Needs   []string             `json:"needs"`
		Origin  conformance.Origin   `json:"origin"`
		Edition string               `json:"edition"`
		Shows   string               `json:"shows"`
		Sources []conformance.Source `json:"sources"`
	}
	rows := make([][]string, len(cases))
	answer := make([]listed, len(cases))
	for i, c := range cases {
		shows := cmp.Or(c.About, c.Selector, c.Kind)
		answer[i] = listed{c.ID, c.Area, c.Profile(), c.Needs(), c.Origin, c.Edition, shows, c.Sources}
		rows[i] = []string{c.ID, c.Area, c.Profile(), c.Edition, string(c.Origin), places(c.Sources[:1]), view.Visible(shows)}
	}
	if a.JSON {
		return a.PrintJSON(answer)
	}
	a.Aligned(append([][]string{{"case", "area", "profile", "edition", "origin", "place", "shows"}}, rows...), "lllllll")
	a.Printf("\n")
	a.Aligned(listAreas(cases), "lrl")
	return nil
}

// listAreas counts the cases of each area, with the commands that they need together.
func listAreas(cases []conformance.Case) [][]string {
	rows := [][]string{{"area", "cases", "commands"}}
	for _, area := range areasOf(cases) {
		n, needs := 0, []string{}
		for _, c := range cases {
			if c.Area == area {
				n, needs = n+1, append(needs, c.Needs()...)
			}
		}
		slices.Sort(needs)
		rows = append(rows, []string{area, strconv.Itoa(n), strings.Join(slices.Compact(needs), " ")})
	}
	return rows
}

func completeCases(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return completed(func(cases []conformance.Case) []string {
		ids := make([]string, len(cases))
		for i, c := range cases {
			ids[i] = c.ID
		}
		return ids
	})
}

func completeAreas(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return completed(areasOf)
}

func completed(words func([]conformance.Case) []string) ([]string, cobra.ShellCompDirective) {
	cases, err := conformance.Cases()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return words(cases), cobra.ShellCompDirectiveNoFileComp
}

// inProcess answers a case with this implementation, without starting a
// process.
func inProcess(ctx context.Context, a *command.App, args ...string) (conformance.Answer, error) {
	var out, errs bytes.Buffer
	exit := a.Rerun(ctx, args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return conformance.Answer{Out: out.Bytes(), Err: errs.Bytes(), Exit: exit}, nil
}
