package command

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

// mostCompletions bounds what a completion offers.
const mostCompletions = 200

// takesIDs are the commands whose arguments behind the name are ids.
var takesIDs = []string{"show", "life", "update", "move", "remove", "erase"}

// takesAddresses are the commands whose arguments behind the name are addresses.
var takesAddresses = []string{"show", "diff", "log", "life", "verify", "request", "export", "fork", "grep"}

// completeRest completes the arguments behind the name of a context: addresses,
// ids, and in selectors the values of attributes.
func (a *App) completeRest(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	c, s, err := a.OpenContext(cmd.Context(), args[0], "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer s.Close()
	var list []string
	if slices.Contains(takesAddresses, cmd.Name()) && (cmd.Name() != "grep" || len(args) > 1) {
		list = append(list, addressesOf(c)...)
	}
	if slices.Contains(takesIDs, cmd.Name()) && !strings.HasPrefix(prefix, "@") {
		list = append(list, valuesOf(cmd.Context(), c, "id")...)
	}
	if cmd.Name() == "select" {
		return completeSelector(cmd.Context(), c, prefix), cobra.ShellCompDirectiveNoFileComp |
			cobra.ShellCompDirectiveNoSpace
	}
	list = slices.DeleteFunc(list, func(word string) bool { return !strings.HasPrefix(word, prefix) })
	return list[:min(len(list), mostCompletions)], cobra.ShellCompDirectiveNoFileComp
}

// addressesOf lists addresses of a context, the newest first.
func addressesOf(c *pact.Context) []string {
	list := []string{"working"}
	first, last := c.Info().First, c.Info().Cycle
	for cycle := last; cycle >= max(first, last-mostCompletions/2); cycle-- {
		list = append(list, pact.Address(fmt.Sprintf("latest-%d", last-cycle)).Text(c.Info().Edition), view.Cycle(cycle))
	}
	return list
}

var openValue = regexp.MustCompile(`^(.*[\[{,(])(role|kind|tag|tags|tool|id|key)=['"]?([^'"\],}]*)$`)

// completeSelector completes the value of an attribute that a selector ends
// with.
func completeSelector(ctx context.Context, c *pact.Context, prefix string) (list []string) {
	m := openValue.FindStringSubmatch(prefix)
	if m == nil {
		return nil
	}
	closing := map[byte]string{'[': "]", '{': "}", '(': ")", ',': ""}[m[1][len(m[1])-1]]
	for _, value := range valuesOf(ctx, c, m[2]) {
		if strings.HasPrefix(value, m[3]) && len(list) < mostCompletions {
			list = append(list, m[1]+m[2]+"='"+strings.ReplaceAll(value, "'", `\'`)+"'"+closing)
		}
	}
	return list
}

// valuesOf lists the values that an attribute has in the working state, sorted. It lacks those that cannot
// be read.
func valuesOf(ctx context.Context, c *pact.Context, name string) (ids []string) {
	if name == "id" {
		for e, err := range tree.Of(c.Working()).All() {
			if err != nil {
				break
			}
			ids = append(ids, e.Node().ID)
		}
		slices.Sort(ids)
		return ids
	}
	state := view.State{Snapshot: c.Working()}
	names, err := state.Names(ctx)
	if err != nil {
		return nil
	}
	return map[string][]string{"role": names.Roles, "kind": names.Kinds, "key": names.Keys, "tool": names.Tools, "tag": names.Tags,
		"tags": names.Tags}[name]
}

// CompleteValues completes a flag with the values that an attribute has in the
// context of the command.
func (a *App) CompleteValues(cmd *cobra.Command, flag, name string, always ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, prefix string) ([]string,
		cobra.ShellCompDirective) {
		list := slices.Clone(always)
		if len(args) > 0 {
			if c, s, err := a.OpenContext(cmd.Context(), args[0], ""); err == nil {
				defer s.Close()
				list = append(list, valuesOf(cmd.Context(), c, name)...)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		return slices.DeleteFunc(list, func(word string) bool { return !strings.HasPrefix(word, prefix) }),
			cobra.ShellCompDirectiveNoFileComp
	})
}

// OneOf completes a flag with some words, and has any other value refused.
func OneOf(cmd *cobra.Command, flag string, words []string) {
	CompleteFlag(cmd, flag, words)
	_ = cmd.Flags().SetAnnotation(flag, oneOf, words) // it fails for a flag that is not there alone
}

// CompleteFlag completes a flag with some words.
func CompleteFlag(cmd *cobra.Command, flag string, words []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
