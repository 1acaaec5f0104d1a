package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/spf13/cobra"
)

// remedy says what to do about the error of a command. The library knows no
// commands, so remedy names them where one helps, ready to type. Otherwise it
// returns the library's own remedy.
func (a *app) remedy(cmd *cobra.Command, f *fault.Error) string {
	db := a.inStore()
	switch f.Code {
	case fault.ContextNotFound:
		list := "pact contexts" + db + " lists those of " + a.shown()
		if f.Token == "" || cmd.Name() == "copy" {
			return list
		}
		if _, ready := readyPolicies[f.Token]; ready && cmd.Name() == "policy" {
			return "pact policy --print " + f.Token + " prints the ready policy " + f.Token + "; " + list
		}
		if a.nearest != "" {
			return "did you mean " + quote(a.nearest) + "? " + list
		}
		return list + "; pact new " + quote(f.Token) + db + " makes it"
	case fault.Conflict:
		if lost := (*pact.Conflict)(nil); errors.As(f, &lost) && cmd.Flags().Lookup("rebase") != nil {
			return "pact log " + a.subject + db + " --edits shows the new state; repeat the command, " +
				"or add --rebase to let it repeat by itself"
		}
	case fault.AttemptNotFound:
		return "pact attempts " + a.subject + db + " lists those that are there"
	case fault.NodeNotFound:
		return cmp.Or(a.whereNodesAre(cmd, f), f.Remedy)
	case fault.SnapshotNotFound:
		if cmd.Name() == "erase" && f.Token == "" { // an unknown revision
			return "pact log " + a.subject + db + " --edits --json lists the revisions"
		}
	case fault.DocumentInvalid:
		switch {
		case cmd.Name() == "erase" && f.Token != "": // another context's name holds the text
			return "rename that context first: pact rename " + quote(f.Token) + " NEW" + db
		case f.Token == "pact:policy": // an imported root has something else there
			return "keep no policy: pact policy " + a.subject + db + " --clear"
		case cmd.Name() != "apply" && f.Token == "cycle" && f.Line > 0: // a history with a gap
			return "a history has one snapshot for every cycle; to count its snapshots anew, import it with --renumber"
		}
	case fault.Store:
		switch {
		case cmd.Name() == "copy" && f.Token == a.shown():
			return "--from names the store to copy from"
		case f.Token != "" && f.Token == a.shown(): // the store does not exist
			return "pact open FILE" + db + " or pact new NAME" + db + " makes one; --db or PACT_DB names another"
		}
	}
	return f.Remedy
}

// whereNodesAre names the command that lists the ids, "" if the command is not
// about one context or already named it.
func (a *app) whereNodesAre(cmd *cobra.Command, f *fault.Error) string {
	db := a.inStore()
	if a.subject == "" {
		return ""
	}
	if strings.HasPrefix(f.Node, "^") {
		return "the regions are ^sys, ^seq and ^ah"
	}
	switch cmd.Name() {
	case "erase":
		if f.Node == "" { // the selector found nothing
			return ""
		}
		return "pact select " + a.subject + db + " '@* *' lists the ids of all snapshots"
	case "life":
		return "pact select " + a.subject + db + " '@* *' lists the ids of all snapshots, pact show " + a.subject + db +
			" working draws the working state"
	case "hash":
		return "pact show " + a.subject + db + " --all draws what is there"
	}
	return "pact show " + a.subject + db + " working --all draws what is there"
}

// inStore returns the flag that names the store in a suggested command, after a
// space; "" if the command finds the store without it.
func (a *app) inStore() string {
	if a.db == a.getenv("PACT_DB", "pact.db") {
		return ""
	}
	return " --db " + quote(a.shown())
}
