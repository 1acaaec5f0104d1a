package care

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// reached returns the names of all contexts that lose something.
func reached(plan *record.Erased) []string {
	names := slices.Clone(plan.Contexts)
	for _, of := range plan.Originals {
		names = append(names, of.Contexts...)
	}
	return names
}

func askToErase(a *command.App, plan *record.Erased) error {
	what := view.Plural(len(plan.IDs), "node")
	for _, of := range plan.Originals {
		what += " and in " + view.Visible(strings.Join(of.Contexts, ", ")) + " " + view.Plural(len(of.IDs), "original")
	}
	if plan.Entries > 0 {
		what += " and in the log " + strconv.Itoa(plan.Entries) + " of what people wrote"
	}
	if plan.Digests > 0 {
		what += " and " + view.Plural(plan.Digests, "digest") + " of drafts that are gone"
	}
	return a.MustConfirm("nothing was erased", "erasing "+what, "look with --dry-run, then repeat with --yes",
		"Erase "+what+" in "+view.Visible(strings.Join(reached(plan), ", "))+", for good?")
}

func reportErased(a *command.App, of *record.Erased, dryRun bool, also []string) error {
	if a.JSON {
		a.Failed = of.Remains != "" // the object reports this itself, and an error would replace it
		return a.PrintJSON(erased{of, dryRun, also})
	}
	drawErased(a, of, dryRun, also)
	if of.Remains != "" {
		return unfinished(of.Remains)
	}
	return nil
}

// printReceipt prints the receipt before the erasure, so that a user who
// interrupts the command has it. Under --json the answer has to stand alone, so
// the object repeats the receipt.
func printReceipt(a *command.App, receipt string) error {
	if a.JSON {
		_, err := fmt.Fprintf(a.Err, "pact: receipt %s\n", receipt)
		return err
	}
	a.Printf("receipt  %s\n", receipt)
	return a.Out.Flush()
}

func drawErased(a *command.App, of *record.Erased, dryRun bool, also []string) {
	if len(reached(of)) == 0 {
		a.Printf("nothing to erase\n")
	}
	verb := "erased"
	if dryRun {
		verb = "would erase"
	}
	for _, part := range append([]*history.Erased{of.Erased}, of.Originals...) {
		if len(part.Contexts) == 0 {
			continue
		}
		a.Printf("%s %s, %s, in %s\n", verb, view.Plural(len(part.IDs), "node"), view.Plural(part.Versions, "version"),
			view.Visible(strings.Join(part.Contexts, ", ")))
		for _, id := range part.IDs {
			if dryRun {
				a.Printf("  %s %s\n", a.Paint.Bad("-"), view.Visible(id))
			}
		}
	}
	if of.Entries > 0 {
		a.Printf("  entries of the log: %d\n", of.Entries)
	}
	if of.Digests > 0 {
		a.Printf("  digests of drafts that are gone: %d\n", of.Digests)
	}
	if of.Attempts > 0 {
		a.Printf("  attempts: %d\n", of.Attempts)
	}
	if len(also) > 0 {
		a.Printf("  the text is also in %s\n", view.Visible(strings.Join(also, ", ")))
	}
	if len(reached(of)) > 0 && !dryRun {
		a.Printf("  exports, backups and imported copies are as they were\n")
	}
}
