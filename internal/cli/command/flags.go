package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/nearest"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagRule says of each of some flags of a command that it needs one of others, or that it excludes them all: beside them,
// or without, it would be ignored. Lists are separated by blanks.
type FlagRule struct {
	Command                string // "" for every command that has the flags
	Flags, Needs, Excludes string
}

// FlagRules are the rules of all commands.
var FlagRules = []FlagRule{
	{Command: "commit", Flags: "prices", Needs: "dry-run"},
	{Command: "commit", Flags: "provider params-file", Needs: "start"},
	{Command: "commit", Flags: "model", Needs: "start prices"},
	{Command: "conformance", Flags: "timeout persistent", Needs: "against"},
	{Command: "conformance", Flags: "seed", Needs: "generate"},
	{Command: "conformance", Flags: "generate seed", Excludes: "list"},
	{Command: "copy", Flags: "compact backup", Excludes: "discard edition"},
	{Command: "copy", Flags: "edition", Excludes: "from discard"},
	{Command: "copy", Flags: "force", Needs: "edition"},
	{Command: "diff", Flags: "content-mode context-lines", Needs: "rich"},
	{Command: "export", Flags: "from to", Needs: "snapshots"},
	{Command: "import", Flags: "print", Needs: "hook"},
	{Command: "import", Flags: "for", Needs: "print"},
	{Command: "import", Flags: "hook", Excludes: "name edition conversation strict renumber unanswered again dry-run max-tokens " +
		"max-bytes max-nodes max-turns protect-turns min-tokens min-bytes every-cycles stub orphans tokenizer"},
	{Command: "log", Flags: "family", Excludes: "newest since edits stat attempts compactions " + asksPrefix},
	{Command: "log", Flags: "compactions", Excludes: "newest since edits stat attempts " + asksPrefix},
	{Command: "log", Flags: "attempts", Excludes: "newest since edits stat " + asksPrefix},
	{Command: "log", Flags: asksPrefix, Excludes: "newest since edits stat"},
	{Command: "move", Flags: "offset", Needs: "into"},
	{Command: "open", Flags: "redact", Needs: "export"},
	{Command: "policy", Flags: "check", Needs: "on"},
	{Command: "policy", Flags: "on", Needs: "check"},
	{Command: "proxy", Flags: "manage", Needs: "policy"},
	{Command: "request", Flags: "status token-in token-out error", Needs: "end"},
	{Command: "request", Flags: "end", Excludes: "asked attempt broken"},
	{Command: "run", Flags: "manage", Needs: "policy"},
	{Command: "select", Flags: "strict", Needs: "normal"},
	{Command: "show", Flags: "request", Needs: "as"},
	{Command: "verify", Flags: "all", Excludes: "edition"},
	{Command: "verify", Flags: "export", Needs: "file"},
	{Command: "verify", Flags: "receipt", Needs: "node"},
	{Command: "verify", Flags: "conversation", Needs: "hash node"},
	{Flags: "conversation", Needs: "file"},
}

// oneOf annotates a flag with the values that it takes, and no others.
const oneOf = "pact: one of"

// asksPrefix are the flags of log each of which asks for prefixes.
const asksPrefix = "prefix breaks provider dialect prices tokens tokenizer"

// MarkFlags has the flag parser refuse what the rules exclude, for all commands below root.
func MarkFlags(root *cobra.Command) {
	for _, r := range FlagRules {
		if r.Excludes == "" {
			continue
		}
		cmd, _, _ := root.Find([]string{r.Command})
		for flag := range strings.FieldsSeq(r.Flags) {
			for other := range strings.FieldsSeq(r.Excludes) {
				cmd.MarkFlagsMutuallyExclusive(flag, other)
			}
		}
	}
}

// CheckFlags returns E_USAGE for a flag without one that it needs, and for a value that a flag does not take.
func CheckFlags(cmd *cobra.Command) (err error) {
	for _, r := range FlagRules {
		if r.Needs == "" || r.Command != cmd.Name() && r.Command != "" {
			continue
		}
		needs := strings.Fields(r.Needs)
		for flag := range strings.FieldsSeq(r.Flags) {
			if given(cmd, flag) && cmd.Flags().Lookup(needs[0]) != nil &&
				!slices.ContainsFunc(needs, func(other string) bool { return given(cmd, other) }) {
				return Usage(cmd, "--%s needs --%s", flag, strings.Join(needs, " or --"))
			}
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil {
			err = checkValue(cmd, f)
		}
	})
	return err
}

// given reports whether the user gave a flag, with a value that asks for something.
func given(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && f.Changed && f.Value.String() != "" && f.Value.String() != "false"
}

// checkValue returns E_USAGE for a value that a flag of several commands does not take.
func checkValue(cmd *cobra.Command, f *pflag.Flag) (err error) {
	value, words := f.Value.String(), f.Annotations[oneOf]
	switch {
	case value == "":
	case words != nil && !slices.Contains(words, value):
		return Usage(cmd, "--%s %s is not known: it is one of %s", f.Name, value, strings.Join(words, ", "))
	case f.Name == "edition":
		_, err = selector.ParseEdition(value)
	case f.Name == "tokenizer":
		_, err = tokens.Named(value)
	case value[0] == '-' && (f.Name == "token-in" || f.Name == "token-out" || isPolicyNumber(f.Name)):
		return Usage(cmd, "--%s takes a number of 0 or more, and not %s", f.Name, value)
	}
	return BadValue(f.Name, err)
}

// BadValue returns E_USAGE for an error that the value of a flag causes, nil for none.
func BadValue(flag string, err error) error {
	if err == nil {
		return nil
	}
	f := FactsOf(err)
	return fault.At(fault.Usage, fault.NoOffset, f.Token, "--"+flag+": "+f.Message, f.Remedy)
}

// Override replaces a value by a flag that the user gave.
func Override[T any](cmd *cobra.Command, flag string, to *T, value T) {
	if cmd.Flags().Changed(flag) {
		*to = value
	}
}

// Usage returns the error for an invalid command line.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return fault.New(fault.Usage, fmt.Sprintf(format, args...), cmd.CommandPath()+" --help shows how")
}

// takenBy names the values that flags of a type take.
var takenBy = map[string]string{"int": "a whole number", "int64": "a whole number", "int64Slice": "whole numbers",
	"bool": "true or false", "duration": "a time such as 30s"}

// BadFlag returns the error of the flag parser as that of an invalid command line.
func BadFlag(cmd *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		if takes := takenBy[flag.Value.Type()]; takes != "" {
			return Usage(cmd, "--%s takes %s, and not %q", flag.Name, takes, invalid.GetValue())
		}
	}
	misused := fault.New(fault.Usage, err.Error(), cmd.CommandPath()+" --help shows how")
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		misused.Remedy = nearest.Remedy("--"+unknown.GetSpecifiedName(), known, misused.Remedy)
	}
	return misused
}

// misused rewords an error of the flag parser and keeps its suggestions.
func misused(cmd *cobra.Command, err error) *fault.Error {
	message, more, _ := strings.Cut(err.Error(), "\n")
	f := fault.New(fault.Usage, message, cmd.CommandPath()+" --help shows how")
	if word := strings.SplitN(message, `"`, 3); len(word) == 3 && habit(word[1]) != "" {
		f.Remedy = "did you mean pact " + habit(word[1]) + "?"
	} else if _, names, ok := strings.Cut(more, "Did you mean this?"); ok {
		f.Remedy = "did you mean " + strings.Join(strings.Fields(names), " or ") + "?"
	}
	return f
}

// asksForJSON reports whether the arguments of a command that did not begin ask
// for JSON.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		value, joined := strings.CutPrefix(arg, "--output=")
		if arg == "--output" && i+1 < len(args) {
			value, joined = args[i+1], true
		}
		if arg == "--json" || joined && (value == "json" || value == "jsonl") {
			return true
		}
	}
	return false
}

// beforeDashes returns the arguments that can be flags: those in front of a
// lone --.
func beforeDashes(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}

// RedactFlag adds --redact to a command that, with it, does something without what is named. It returns what reads the
// flag: E_USAGE for an empty value, E_DOCUMENT_INVALID for one that is no expression.
func RedactFlag(cmd *cobra.Command, does string) func() (redact.Rules, error) {
	list := cmd.Flags().StringArray("redact", nil, does+" what the regular `EXPRESSION` matches; the word "+redact.Known+
		" stands for the known forms of keys, tokens and private keys; may be repeated")
	return func() (redact.Rules, error) {
		if slices.Contains(*list, "") { // an empty variable of a script, and nothing would be left out
			return redact.Rules{}, Usage(cmd, "--redact is empty, so it leaves nothing out: name what must not be there")
		}
		return redact.Parse(*list)
	}
}
