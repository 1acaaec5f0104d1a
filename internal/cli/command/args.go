package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exactly checks the number of arguments of a command without --file.
func Exactly(words ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(words) {
			return nil
		}
		takes := "no arguments"
		if len(words) > 0 {
			takes = strings.Join(words, " ")
		}
		return Usage(cmd, "%s takes %s; %d given", cmd.Name(), takes, len(args))
	}
}

// Override replaces a value by a flag that the user gave.
func Override[T any](cmd *cobra.Command, flag string, to *T, value T) {
	if cmd.Flags().Changed(flag) {
		*to = value
	}
}

// Usage returns the error for an invalid command line.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return fault.New(fault.DocumentInvalid, fmt.Sprintf(format, args...), cmd.CommandPath()+" --help shows how")
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
	return Usage(cmd, "%s", err.Error())
}

// misused rewords an error of the flag parser and keeps its suggestions.
func misused(cmd *cobra.Command, err error) *fault.Error {
	message, more, _ := strings.Cut(err.Error(), "\n")
	f := fault.New(fault.DocumentInvalid, message, cmd.CommandPath()+" --help shows how")
	if _, names, ok := strings.Cut(more, "Did you mean this?"); ok {
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

// Count checks the number of arguments: the command's own, preceded by the name
// of a context unless --file is given. Words in brackets are optional.
func Count(cmd *cobra.Command, file string, args []string, words ...string) error {
	if file == "" {
		words = append([]string{"NAME"}, words...)
	}
	least := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
	}
	if len(args) >= least && len(args) <= len(words) {
		return nil
	}
	want := strings.Join(words, " ")
	switch {
	case want == "":
		want = "no arguments"
	case file != "":
		want += " beside --file"
	}
	return Usage(cmd, "%s takes %s; %d given", cmd.Name(), want, len(args))
}
