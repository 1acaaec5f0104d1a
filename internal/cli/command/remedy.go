package command

import (
	"cmp"
	"errors"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/spf13/cobra"
)

// StartsProxy names the command for a remedy that says to start a proxy.
const StartsProxy = "pact proxy --upstream URL --addr ADDRESS starts one, which lets WebSockets pass with --websocket tunnel"

// remedy returns the advice for the error of a command. The library knows no
// commands, so remedy names them where one helps, ready to type. Otherwise it
// returns the library's own remedy.
func (a *App) remedy(cmd *cobra.Command, f *fault.Error) string {
	db := a.InStore()
	if names, several := strings.CutPrefix(f.Remedy, "choose one by its name: "); several {
		return "choose one with --conversation: " + names
	}
	switch f.Code {
	case fault.ContextNotFound:
		list := "pact contexts" + db + " lists those of " + a.Shown()
		if f.Token == "" || cmd.Name() == "copy" {
			return list
		}
		if _, ready := ReadyPolicies[f.Token]; ready && cmd.Name() == "policy" {
			return "pact policy --print " + f.Token + " prints the ready policy " + f.Token + "; " + list
		}
		if a.nearest != "" {
			return "did you mean " + screen.Quote(a.nearest) + "? " + list
		}
		return list + "; pact new " + screen.Quote(f.Token) + db + " makes it"
	case fault.Conflict:
		if lost := (*pact.Conflict)(nil); errors.As(f, &lost) && cmd.Flags().Lookup("rebase") != nil {
			return "pact log " + a.Subject + db + " --edits shows the new state; repeat the command, " +
				"or add --rebase to let it repeat by itself"
		}
	case fault.AttemptNotFound:
		return "pact log " + a.Subject + db + " --attempts lists those that are there"
	case fault.NodeNotFound:
		return cmp.Or(a.whereNodesAre(cmd, f), f.Remedy)
	case fault.SnapshotNotFound:
		if cmd.Name() == "erase" && f.Token == "" { // an unknown revision
			return "pact log " + a.Subject + db + " --edits --json lists the revisions"
		}
	case fault.DocumentInvalid:
		switch {
		case strings.HasPrefix(f.Remedy, "start a proxy"): // for an agent that takes no address
			return f.Remedy + "; " + StartsProxy
		case cmd.Name() == "erase" && f.Token != "": // another context's name holds the text
			return "rename that context first: pact rename " + screen.Quote(f.Token) + " NEW" + db
		case f.Token == "pact:policy": // an imported root has something else there
			return "keep no policy: pact policy " + a.Subject + db + " --clear"
		case cmd.Name() != "apply" && f.Token == "cycle" && f.Line > 0: // a history with a gap
			return "a history has one snapshot for every cycle; to count its snapshots anew, import it with --renumber"
		}
	case fault.Store, fault.NotFound:
		switch {
		case cmd.Name() == "revoke" && f.Code == fault.NotFound && f.Token != a.Shown():
			return "pact token list" + db + " lists those that are there"
		case cmd.Name() == "copy" && f.Token == a.Shown():
			if given(cmd, "compact") || given(cmd, "backup") || given(cmd, "edition") || given(cmd, "discard") { // not beside --from
				return "--db or PACT_DB names another store"
			}
			return "--from names the store to copy from"
		case f.Token != "" && f.Token == a.Shown(): // the store does not exist
			return "pact open FILE" + db + " or pact new NAME" + db + " makes one; --db or PACT_DB names another"
		}
	}
	return f.Remedy
}

// whereNodesAre names the command that lists the ids, "" if the command is not
// about one context or already named it.
func (a *App) whereNodesAre(cmd *cobra.Command, f *fault.Error) string {
	db := a.InStore()
	if a.Subject == "" {
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
		return "pact select " + a.Subject + db + " '@* *' lists the ids of all snapshots"
	case "life":
		return "pact select " + a.Subject + db + " '@* *' lists the ids of all snapshots, pact show " + a.Subject + db +
			" working draws the working state"
	case "verify":
		return "pact show " + a.Subject + db + " --all draws what is there"
	}
	return "pact show " + a.Subject + db + " working --all draws what is there"
}

// InStore returns the flag that names the store in a suggested command, after a
// space; "" if the command finds the store without it.
func (a *App) InStore() string {
	if a.DB == a.Getenv("PACT_DB", "pact.db") {
		return ""
	}
	return " --db " + screen.Quote(a.Shown())
}
