package cli

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/fault"
	"github.com/spf13/cobra"
)

func (a *app) conformanceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conformance [CASE…]",
		Short: "Run the normative cases of the specification",
		Long: `Run the normative cases of the specification and print its checklist, annex 10,
filled in: each demand with its verdict and its cases, then the reason for every
case that failed, was mended or is contradicted, and the totals.

Verdicts: passed; failed; mended, passed after an evident misprint is corrected;
contradicted, printed but impossible under any reading.

--against puts the same cases to another program that speaks the contract of
docs/conformance.md. Its words are split as a shell would, and no shell is used.
With CASE only those cases run, and no checklist is filled in. The exit code is 1
if a case failed.`,
		Example: `  pact conformance
  pact conformance --all
  pact conformance --json > report.json
  pact conformance --against 'python3 -m mypact'
  pact conformance --against ./mypact 000-6.2-L341 000-6.2-L342`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeCases,
	}
	f := cmd.Flags()
	against := f.String("against", "", "run the cases against the program `CMD`")
	timeout := f.Duration("timeout", 30*time.Second, "with --against, how long one call may `TAKE`")
	all := f.Bool("all", false, "print the checklists of all chapters")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		cases, err := chosen(args)
		if err != nil {
			return err
		}
		command := conformance.Command(inProcess)
		if cmd.Flags().Changed("against") {
			if command, err = conformance.Against(*against, *timeout); err != nil {
				return usage(cmd, "--against %s: %s", *against, err.Error())
			}
		} else if cmd.Flags().Changed("timeout") {
			return usage(cmd, "--timeout needs --against")
		}
		m := a.meter("running cases")
		report, err := conformance.RunAll(ctx, cases, command, m.at)
		m.end()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			report.Checklists = []conformance.Filled{}
		}
		a.failed = report.Summary.Failed > 0
		if a.json {
			return a.printJSON(report)
		}
		a.printReport(report, *all, len(args) > 0)
		return nil
	})
	return cmd
}

// chosen returns the cases with these ids; without ids, all cases.
func chosen(ids []string) ([]conformance.Case, error) {
	cases, err := conformance.Cases()
	if err != nil || len(ids) == 0 {
		return cases, err
	}
	var some []conformance.Case
	for _, id := range ids {
		i := slices.IndexFunc(cases, func(c conformance.Case) bool { return c.ID == id })
		if i < 0 {
			return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, id, "there is no case "+id,
				"pact conformance --json lists the cases")
		}
		some = append(some, cases[i])
	}
	return some, nil
}

func completeCases(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cases, err := conformance.Cases()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	ids := make([]string, len(cases))
	for i, c := range cases {
		ids[i] = c.ID
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// inProcess answers a case with this implementation, without starting a
// process.
func inProcess(ctx context.Context, args ...string) (conformance.Answer, error) {
	var out, errs bytes.Buffer
	exit := Run(ctx, args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return conformance.Answer{Out: out.Bytes(), Err: errs.Bytes(), Exit: exit}, nil
}

// printReport prints a report for a person.
func (a *app) printReport(r *conformance.Report, all, some bool) {
	for i, list := range r.Checklists {
		if i == 0 || all {
			a.printChecklist(list)
		}
	}
	if !all && len(r.Checklists) > 1 {
		a.printOthers(r.Checklists[1:])
	}
	for _, v := range []conformance.Verdict{conformance.Passed, conformance.Mended, conformance.Contradicted,
		conformance.Failed} {
		if v == conformance.Passed && !some {
			continue // printed after the items
		}
		for _, c := range r.Cases {
			if c.Verdict == v {
				a.printCase(c)
			}
		}
	}
	s := r.Summary
	a.printf("%s: %d passed, %d mended, %d contradicted, %s\n", plural(s.Cases, "case"), s.Passed, s.Mended,
		s.Contradicted, a.colored(s.Failed))
}

func (a *app) colored(failed int) string {
	text := strconv.Itoa(failed) + " failed"
	if failed > 0 {
		return a.paint.bad(text)
	}
	return text
}

// verdict pads a verdict to one width and colours it.
func (a *app) verdict(v conformance.Verdict) string {
	text := string(v)
	if v == "" {
		text = "not shown"
	}
	text += strings.Repeat(" ", len(conformance.Contradicted)-len(text))
	switch v {
	case conformance.Failed:
		return a.paint.bad(text)
	case conformance.Passed:
		return a.paint.good(text)
	}
	return a.paint.changed(text)
}

// printChecklist prints a list with the cases behind each item.
func (a *app) printChecklist(list conformance.Filled) {
	a.printf("%s\n", a.paint.strong(list.Title))
	group := ""
	for _, item := range list.Items {
		if item.Group != group {
			group = item.Group
			a.printf("\n  %s\n", group)
		}
		a.printf("    %s  %-6s  %s\n", a.verdict(item.Verdict), item.Level, item.Text)
		if item.Unshown != "" {
			a.printf("%s\n", wrapped(unshown(item), 26))
		}
		if len(item.Cases) > 0 {
			a.printf("%s\n", a.paint.faint(wrapped(strings.Join(item.Cases, " "), 26)))
		}
	}
	a.printf("\n")
}

// unshown says which part of an item no case shows, or that none shows it at
// all.
func unshown(item conformance.FilledItem) string {
	if item.Verdict == "" {
		return "not shown: " + item.Unshown
	}
	return "not shown in part: " + item.Unshown
}

// printOthers counts the items of the checklists that printReport leaves out.
func (a *app) printOthers(lists []conformance.Filled) {
	for _, list := range lists {
		count := map[conformance.Verdict]int{}
		for _, item := range list.Items {
			count[item.Verdict]++
		}
		var parts []string
		for _, v := range []conformance.Verdict{conformance.Passed, conformance.Partial, conformance.Mended,
			conformance.Contradicted, conformance.Failed, ""} {
			if n := count[v]; n > 0 {
				parts = append(parts, strconv.Itoa(n)+" "+strings.TrimSpace(a.verdict(v)))
			}
		}
		a.printf("%s: %s\n", list.Title, strings.Join(parts, ", "))
	}
	a.printf("%s\n\n", a.paint.faint("--all prints them"))
}

// printCase prints a case with its reason.
func (a *app) printCase(c conformance.Result) {
	a.printf("%s  %s  %s\n", a.verdict(c.Verdict), c.ID, a.paint.faint(places(c.Sources)))
	if c.Reason != "" {
		a.printf("%s\n", wrapped(visible(strings.Join(strings.Fields(c.Reason), " ")), 14))
	}
}

// places names the sections that a case comes from.
func places(sources []conformance.Source) string {
	var list []string
	for _, s := range sources {
		list = append(list, s.Document+" §"+s.Section+" line "+strconv.Itoa(s.Line))
	}
	return strings.Join(list, "; ")
}

// wrapped breaks a text into indented lines of 100 columns.
func wrapped(text string, indent int) string {
	const most = 100
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(strings.Repeat(" ", indent))
			column = indent
		case column+1+len(word) > most:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
