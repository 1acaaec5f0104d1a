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
	return Usage(cmd, "%s", err.Error())
}

// misused rewords an error of the flag parser and keeps its suggestions.
func misused(cmd *cobra.Command, err error) *fault.Error {
	message, more, _ := strings.Cut(err.Error(), "\n")
	f := fault.New(fault.Usage, message, cmd.CommandPath()+" --help shows how")
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
