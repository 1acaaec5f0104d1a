package command

import (
	"slices"
	"strings"
)

// habits are words that other programs have for what commands of pact do.
var habits = []struct{ command, words string }{
	{"contexts", "ls list dir ps status info stats sessions"},
	{"show", "print get less head"},
	{"log", "history tail watch calls cost costs trace"},
	{"grep", "search find"},
	{"new", "init create make"},
	{"copy, pact verify or pact erase", "db"},
	{"rename", "mv"},
	{"delete NAME for a context, or remove NAME ID for a node", "rm del"},
	{"fork", "branch clone checkout cp"},
	{"undo", "revert rollback reset"},
	{"run", "record start exec wrap"},
	{"open", "ui web browse view inspect dashboard"},
	{"import", "load ingest"},
	{"export", "dump save"},
	{"erase", "redact forget"},
	{"update", "edit set"},
}

// habit returns the command that somebody means who types a word of other programs, "" if nobody knows.
func habit(word string) string {
	for _, h := range habits {
		if slices.Contains(strings.Fields(h.words), word) {
			return h.command
		}
	}
	return ""
}
