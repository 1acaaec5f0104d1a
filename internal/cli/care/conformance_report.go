package care

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
)

// printReport prints a report for a person: kit is what a claim names, some says that the cases were chosen one by one.
func printReport(a *command.App, r *conformance.Report, kit string, all, some bool) {
	for i, list := range r.Checklists {
		if i == 0 || all {
			printChecklist(a, list)
		}
	}
	if !all && len(r.Checklists) > 1 {
		printOthers(a, r.Checklists[1:])
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
				printCase(a, c)
			}
		}
	}
	if grouped {
		printFailures(a, r)
	}
	s := r.Summary
	if !some {
		for _, c := range r.Claims {
			a.Printf("PACT %s, kit %s: %d of %d%s%s\n", c.Profile, kit, c.Passed, c.Cases,
				inForm(", %d more in meaning", c.Form), ofHouse(c))
		}
	}
	byHouse := r.Origins[len(r.Origins)-1].Failed
	a.Printf("%s: %d passed, %d mended, %d contradicted, %s%s%s%s%s\n", view.Plural(s.Cases, "case"), s.Passed, s.Mended,
		s.Contradicted, colored(a, s.Failed), inForm(", %d of them by a code or bytes alone", s.Form),
		inForm(", %d by house rules alone, which no sentence of the documents demands", byHouse),
		inForm("; %d not claimed", s.NotClaimed), inForm("; %d not applicable", s.NotApplicable))
}

// ofHouse adds to a claim how many house rules the program keeps.
func ofHouse(c conformance.Claim) string {
	if c.House == 0 {
		return ""
	}
	return fmt.Sprintf("; house rules: %d of %d", c.Ours, c.House)
}

// inForm writes how many cases failed by their form alone, if some did.
func inForm(text string, n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(text, n)
}

// printFailures prints failed cases by reason, each with its first case, then all
// cases by command.
func printFailures(a *command.App, r *conformance.Report) {
	groups := r.Failures()
	const most = 20
	for i, g := range groups {
		if i == most {
			a.Printf("%s\n", a.Paint.Faint(view.Plural(len(groups)-most, "more reason")+"; --json prints every case"))
			break
		}
		by := ""
		if g.House {
			by = " by a house rule"
		}
		a.Printf("%s  %s%s at %s: %s\n", verdict(a, conformance.Failed), view.Plural(len(g.Cases), "case"), by,
			cmp.Or(g.Command, "no command"), view.FirstWords("", canon.String(g.Reason), 60))
		a.Printf("%s\n", a.Paint.Faint(wrapped("first "+g.Cases[0].ID+": "+
			view.FirstWords("", canon.String(g.Cases[0].Reason), 200), 14)))
	}
	a.Printf("\n")
	rows := [][]string{{"command", "cases", "failed at it"}}
	for _, c := range r.Commands {
		rows = append(rows, []string{c.Command, strconv.Itoa(c.Cases), strconv.Itoa(c.Failed)})
	}
	a.Aligned(rows, "lrr")
	a.Printf("\n")
}

func colored(a *command.App, failed int) string {
	text := strconv.Itoa(failed) + " failed"
	if failed > 0 {
		return a.Paint.Bad(text)
	}
	return text
}

// verdict pads a verdict to one width and colours it.
func verdict(a *command.App, v conformance.Verdict) string {
	text := string(v)
	if v == "" {
		text = "not shown"
	}
	text += strings.Repeat(" ", max(0, len(conformance.Contradicted)-len(text)))
	switch v {
	case conformance.Failed:
		return a.Paint.Bad(text)
	case conformance.Passed:
		return a.Paint.Good(text)
	}
	return a.Paint.Changed(text)
}

// printChecklist prints a list with the cases behind each item.
func printChecklist(a *command.App, list conformance.Filled) {
	a.Printf("%s\n", a.Paint.Strong(list.Title))
	group := ""
	for _, item := range list.Items {
		if item.Group != group {
			group = item.Group
			a.Printf("\n  %s\n", group)
		}
		a.Printf("    %s  %-6s  %s\n", verdict(a, item.Verdict), item.Level, item.Text)
		if item.Unshown != "" {
			a.Printf("%s\n", wrapped(unshown(item), 26))
		}
		if len(item.Cases) > 0 {
			a.Printf("%s\n", a.Paint.Faint(wrapped(strings.Join(item.Cases, " "), 26)))
		}
	}
	a.Printf("\n")
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
func printOthers(a *command.App, lists []conformance.Filled) {
	for _, list := range lists {
		count := map[conformance.Verdict]int{}
		for _, item := range list.Items {
			count[item.Verdict]++
		}
		var parts []string
		for _, v := range []conformance.Verdict{conformance.Passed, conformance.Partial, conformance.Mended,
			conformance.Contradicted, conformance.Failed, conformance.NotClaimed, conformance.NotApplicable, ""} {
			if n := count[v]; n > 0 {
				parts = append(parts, strconv.Itoa(n)+" "+strings.TrimSpace(verdict(a, v)))
			}
		}
		a.Printf("%s: %s\n", list.Title, strings.Join(parts, ", "))
	}
	a.Printf("%s\n\n", a.Paint.Faint("--all prints them"))
}

// printCase prints a case with its reason.
func printCase(a *command.App, c conformance.Result) {
	origin := ""
	if c.Verdict == conformance.Failed {
		origin = "  " + string(c.Origin)
	}
	a.Printf("%s  %s  %s%s\n", verdict(a, c.Verdict), c.ID, a.Paint.Faint(places(c.Sources)), origin)
	if c.Reason != "" {
		a.Printf("%s\n", wrapped(view.Visible(strings.Join(strings.Fields(c.Reason), " ")), 14))
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
	return strings.Join(screen.WrapLine(line, most), "\n")
}
