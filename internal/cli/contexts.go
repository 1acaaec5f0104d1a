package cli

import (
	"bufio"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

// listed is a context in the answer of pact contexts --json.
type listed struct {
	Name           string            `json:"name"`
	Edition        string            `json:"edition"`
	First          int64             `json:"first_cycle"`
	Last           int64             `json:"last_cycle"`
	Cycles         int64             `json:"cycles"`
	Revision       int64             `json:"revision"`
	Origin         *pact.Origin      `json:"origin,omitempty"`   // where it began, if it is a fork
	Begun          *begunBy          `json:"begun_by,omitempty"` // what began it, if it is a sub-agent
	*record.Source                   // nil if no recorder made it
	Policy         *lifecycle.Policy `json:"policy,omitempty"` // that it keeps
}

// begunBy is the call of a tool that began the conversation of a sub-agent.
type begunBy struct {
	Context string `json:"context"`
	Node    string `json:"node,omitempty"` // the block of the call, "" where the log does not name it
}

// begunByOf returns what began the context of a snapshot, nil for nothing.
func begunByOf(s *pact.Snapshot) *begunBy {
	from, block := record.Begun(s)
	if from == "" {
		return nil
	}
	return &begunBy{from, block}
}

// words names the block and its context, as pact cat takes them in the other order.
func (b *begunBy) words() string {
	if b.Node == "" {
		return b.Context
	}
	return b.Node + " of " + b.Context
}

func (a *app) contextsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "contexts",
		Short: "List the contexts of the store",
		Long: `List the contexts of the store by name: the edition of their selectors, the number of
snapshots and of changes and, where there are any, how its requests relate to what was
sent, the limits of the policy that it keeps, where a fork began, and which call of a
tool began a sub-agent. Requests are wire if they are as they were sent, reported if the
program that sent them wrote them down, and rebuilt if its log lacks parts of them.`,
		Example: "  pact contexts\n  pact contexts --json --db other.db",
		Args:    cobra.NoArgs,
		RunE: a.does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			s, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			infos, err := pact.List(ctx, s)
			if err != nil {
				return err
			}
			list := make([]listed, len(infos))
			for i, c := range infos {
				list[i] = listed{Name: c.Name, Edition: c.Edition, First: c.First, Last: c.Cycle,
					Cycles: max(0, c.Cycle-c.First+1), Revision: c.Revision, Origin: originOf(c, infos)}
				if err := list[i].look(ctx, s); err != nil {
					return err
				}
			}
			if a.json {
				return a.printJSON(list)
			}
			a.drawList(list)
			return nil
		}),
	}
}

// look reads what the root of a context says.
func (l *listed) look(ctx context.Context, s store.Store) error {
	c, err := pact.Open(ctx, s, l.Name, nil)
	switch fault.CodeOf(err) {
	case "":
	case fault.ContextNotFound: // somebody deleted it meanwhile
		return nil
	default:
		return err
	}
	l.Source, l.Begun = record.SourceOf(c.Working()), begunByOf(c.Working())
	if l.Policy, err = c.Working().Policy(); fault.CodeOf(err) == fault.DocumentInvalid {
		return nil // a list of contexts does not fail over one of them; pact show says it
	}
	return err
}

func (a *app) drawList(list []listed) {
	if len(list) == 0 {
		a.printf("%s holds no contexts\n", a.shown())
		return
	}
	has := func(f func(listed) bool) bool { return slices.ContainsFunc(list, f) }
	sourced := has(func(l listed) bool { return l.Source != nil })
	kept := has(func(l listed) bool { return l.Policy != nil })
	forks := has(func(l listed) bool { return l.Origin != nil })
	agents := has(func(l listed) bool { return l.Begun != nil })
	head, align := []string{"context", "edition", "cycles", "revision"}, "llrr"
	add := func(wanted bool, name string) {
		if wanted {
			head, align = append(head, name), align+"l"
		}
	}
	add(sourced, "requests")
	add(kept, "policy")
	add(forks, "fork of")
	add(agents, "begun by")
	rows := make([][]string, len(list))
	for i, c := range list {
		rows[i] = cells(c.Name, c.Edition, strconv.FormatInt(c.Cycles, 10), strconv.FormatInt(c.Revision, 10))
		if sourced {
			exact := ""
			if c.Source != nil {
				exact = c.Exact
			}
			rows[i] = append(rows[i], visible(exact))
		}
		if kept {
			limits := ""
			if c.Policy != nil {
				limits = limitsText(c.Policy)
			}
			rows[i] = append(rows[i], limits)
		}
		if forks {
			from := ""
			if c.Origin != nil {
				from = originText(*c.Origin)
			}
			rows[i] = append(rows[i], visible(from))
		}
		if c.Begun != nil {
			rows[i] = append(rows[i], visible(c.Begun.words()))
		}
	}
	a.table(head, rows, align)
}

func (a *app) newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make an empty context",
		Long: `Make an empty context. The edition is that of its selectors and of the types of new
nodes, and cannot be changed later.`,
		Example: "  pact new chat\n  pact new chat --edition v0.1",
		Args:    exactly("NAME"),
	}
	edition := cmd.Flags().String("edition", string(selector.Canonical), "the `EDITION`: v0.1, depth or canonical")
	_ = cmd.RegisterFlagCompletionFunc("edition", cobra.FixedCompletions(editions, cobra.ShellCompDirectiveNoFileComp))
	actor := a.actorFlag(cmd)
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		if _, err := selector.ParseEdition(*edition); err != nil {
			return err
		}
		s, err := a.openStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		c, err := pact.Create(ctx, s, args[0], &pact.CreateOptions{OpenOptions: pact.OpenOptions{Actor: *actor},
			Edition: selector.Edition(*edition)})
		if err != nil {
			return err
		}
		return a.answer("made "+visible(c.Name())+" in "+a.shown(), map[string]any{"name": c.Name(), "edition": c.Edition()})
	})
	return cmd
}

func (a *app) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "rename OLD NEW",
		Short:             "Give a context another name",
		Long:              `Give a context another name. Nothing else changes.`,
		Example:           "  pact rename chat 'chat, first try'",
		Args:              exactly("OLD", "NEW"),
		ValidArgsFunction: a.completeNames,
		RunE: a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := a.existingStore(ctx)
			if err != nil {
				return err
			}
			defer s.Close()
			if err := pact.Rename(ctx, s, args[0], args[1]); err != nil {
				return err
			}
			return a.answer(visible(args[0])+" is now "+visible(args[1]), map[string]any{"name": args[1]})
		}),
	}
}

func (a *app) deleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a context with all its snapshots",
		Long: `Delete a context with all its snapshots, for good. Without --yes the command asks; off
a terminal it refuses.`,
		Example:           "  pact export chat --all --compact -o chat.jsonl   # keep a copy\n  pact delete chat --yes",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeNames,
	}
	yes := cmd.Flags().Bool("yes", false, "do not ask")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		s, err := a.existingStore(ctx)
		if err != nil {
			return err
		}
		defer s.Close()
		info, err := s.Find(ctx, args[0])
		if err != nil {
			return err
		}
		if !*yes {
			if !a.inTerminal || !a.errTerminal || a.json {
				return fault.New(fault.DocumentInvalid, "nothing was deleted, because deleting "+
					strconv.Quote(info.Name)+" cannot be undone", "repeat with --yes")
			}
			if !a.confirm("Delete " + visible(info.Name) + " with " + plural(int(max(0, info.Cycle-info.First+1)), "snapshot") +
				"?") {
				return fault.New(fault.Conflict, "nothing was deleted", "")
			}
		}
		if err := pact.Delete(ctx, s, info.Name); err != nil {
			return err
		}
		return a.answer("deleted "+visible(info.Name), map[string]any{"deleted": info.Name})
	})
	return cmd
}

// confirm asks a question on the terminal.
func (a *app) confirm(question string) bool {
	a.err.Write([]byte(question + " [y/N] "))
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// exactly is count for commands without --file.
func exactly(words ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(words) {
			return nil
		}
		takes := "no arguments"
		if len(words) > 0 {
			takes = strings.Join(words, " ")
		}
		return usage(cmd, "%s takes %s; %d given", cmd.Name(), takes, len(args))
	}
}
