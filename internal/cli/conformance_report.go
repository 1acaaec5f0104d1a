package cli

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/canon"
)

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
	shown := []conformance.Verdict{conformance.Mended, conformance.Contradicted}
	const most = 10
	grouped := r.Summary.Failed > most
	if !grouped {
		shown = append(shown, conformance.Failed)
	}
	if some && !grouped {
		shown = append([]conformance.Verdict{conformance.Passed}, shown...) // otherwise the items name those that passed
	}
	for _, v := range shown {
		for _, c := range r.Cases {
			if c.Verdict == v {
				a.printCase(c)
			}
		}
	}
	if grouped {
		a.printFailures(r)
	}
	s := r.Summary
	a.printf("%s: %d passed, %d mended, %d contradicted, %s\n", plural(s.Cases, "case"), s.Passed, s.Mended,
		s.Contradicted, a.colored(s.Failed))
}

// printFailures prints failed cases by reason, each with its first case, then all
// cases by command.
func (a *app) printFailures(r *conformance.Report) {
	groups := r.Failures()
	const most = 20
	for i, g := range groups {
		if i == most {
			a.printf("%s\n", a.paint.faint(plural(len(groups)-most, "more reason")+"; --json prints every case"))
			break
		}
		a.printf("%s  %s at %s: %s\n", a.verdict(conformance.Failed), plural(len(g.Cases), "case"),
			cmp.Or(g.Command, "no command"), excerpt(canon.String(g.Reason), 60))
		a.printf("%s\n", a.paint.faint(wrapped("first "+g.Cases[0].ID+": "+
			excerpt(canon.String(g.Cases[0].Reason), 200), 14)))
	}
	a.printf("\n")
	rows := [][]string{{"command", "cases", "failed at it"}}
	for _, c := range r.Commands {
		rows = append(rows, []string{c.Command, strconv.Itoa(c.Cases), strconv.Itoa(c.Failed)})
	}
	a.aligned(rows, "lrr")
	a.printf("\n")
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
	line := strings.Repeat(" ", indent) + strings.Join(strings.Fields(text), " ")
	return strings.Join(wrapLine(line, most), "\n")
}
