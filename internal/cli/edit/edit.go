package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// writing holds the flags of every command that edits.
type writing struct {
	actor  *string
	rebase *bool
}

func writingFlags(a *command.App, cmd *cobra.Command) writing {
	return writing{a.ActorFlag(cmd), rebaseFlag(cmd)}
}

// noteFlags adds the flags that say why a commit, a fork or an undo is made, and have it happen once.
func noteFlags(cmd *cobra.Command) *pact.Note {
	n := &pact.Note{}
	cmd.Flags().StringVarP(&n.Message, "message", "m", "", "why, a `TEXT` for the log")
	cmd.Flags().StringVar(&n.Request, "request", "", "a `TOKEN`: repeating the command with it does nothing more")
	return n
}

// edit applies one batch of edits to a stored context.
func edit(ctx context.Context, a *command.App, name string, w writing, f func(*pact.Batch) error) error {
	c, s, err := a.OpenContext(ctx, name, *w.actor)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err = rebased(ctx, *w.rebase, nil, c.Edit(ctx, f, nil)); err != nil || !record.Recorded(c.Working()) {
		return err
	}
	if origins, err := c.Origins(ctx); err == nil && len(origins) == 0 { // no program goes on with a fork
		a.Warnf("%s is recorded, and its program says itself what it sends: the next request takes this out again. pact drop leaves "+
			"results out of requests; pact fork makes a context to edit", view.Visible(c.Info().Name))
	}
	return nil
}

// meant are the flags of add without any of which a node would be empty by oversight.
var meant = []string{"content", "content-file", "content-json", "id", "type", "key", "tag", "ref", "data", "removable"}

func addCommand(a *command.App) *cobra.Command {
	cmd := a.Command("add")
	node := newNodeFlags(a, cmd)
	into := cmd.Flags().String("into", "^ah", "the parent, an `ID` or a region")
	at := cmd.Flags().String("at", "", "the `POSITION` instead of a parent")
	id := cmd.Flags().String("id", "", "an `ID` of your own, new to the context")
	nodeType := cmd.Flags().String("type", "", "the `TYPE`: block, cont for a group, or a name with a colon")
	removable := cmd.Flags().Bool("removable", false, "make it a group, which goes when it is empty")
	answers := cmd.Flags().String("answers", "", "the `ID` of the call that this is the result of")
	every := cmd.Flags().Int64("every", 0, "a cadence: at most once in `CYCLES`, by its key")
	depth := depthFlag(cmd)
	w := writingFlags(a, cmd)
	cmd.MarkFlagsMutuallyExclusive("offset", "at")
	cmd.MarkFlagsMutuallyExclusive("into", "at", "answers", "every", "depth")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		text, err := placeAndNode(cmd, args, at)
		if err != nil {
			return err
		}
		if text == "" && !slices.ContainsFunc(meant, cmd.Flags().Changed) {
			return command.Usage(cmd, "add needs a content: --content TEXT, or --content-file FILE, where - is standard input; "+
				"--content '' adds an empty block")
		}
		var added string
		due, neverSent := true, false
		var reads string // the type, if no type token of a selector names it
		err = edit(ctx, a, args[0], w, func(b *pact.Batch) error {
			var spec pact.Spec
			if text != "" {
				read, err := query.ParseSpec(text, b.Edition())
				if err != nil {
					return command.InArgument(err, text)
				}
				spec = pact.Spec(read)
			}
			if err := node.spec(ctx, a, cmd, &spec); err != nil {
				return err
			}
			command.Override(cmd, "id", &spec.ID, *id)
			command.Override(cmd, "type", &spec.NodeType, *nodeType)
			command.Override(cmd, "removable", &spec.Removable, *removable)
			neverSent, reads = spec.TTL != nil && *spec.TTL == 0, ""
			if spec.NodeType != "" && !namesType(spec.NodeType, b.Edition()) {
				reads = spec.NodeType
			}
			switch {
			case *at != "" && (*answers != "" || cmd.Flags().Changed("every")):
				return command.Usage(cmd, "--answers and --every put the node into the active head: leave the position out")
			case *at != "":
				added = b.Add(*at, spec)
				return command.InArgument(b.Err(), *at)
			case cmd.Flags().Changed("depth"):
				added = b.Splice(*depth, spec)
			case *answers != "":
				added = b.AddResult(*answers, spec)
			case cmd.Flags().Changed("every"):
				added, due = b.AddEvery(*every, spec)
			default:
				added = b.Add(*into, spec)
			}
			return nil
		})
		if err != nil {
			return err
		}
		answer := map[string]any{"id": added}
		if cmd.Flags().Changed("every") {
			answer["added"] = due
		}
		if !due && !a.JSON {
			a.Warnf("nothing was added: %s is younger than %s", view.Visible(added), view.Plural(int(*every), "cycle"))
		}
		if reads != "" {
			a.Warnf(".%s means another thing in selectors; [nodeType='%s'] asks for this type", view.Visible(reads), view.Visible(reads))
		}
		if neverSent {
			warnUnsent(a, added)
		}
		return a.Answer(view.Visible(added), answer)
	})
	return cmd
}

// warnUnsent warns of a ttl of 0.
func warnUnsent(a *command.App, id string) {
	a.Warnf("with a ttl of 0 %s goes at the next commit, so it is never sent; 1 sends it once", view.Visible(id))
}

// placeAndNode splits the arguments into the position, unless --at gave one,
// and the description of the node.
func placeAndNode(cmd *cobra.Command, args []string, at *string) (node string, err error) {
	rest := args[1:]
	if len(rest) > 0 && strings.HasPrefix(strings.TrimSpace(rest[0]), "(") {
		for _, flag := range []string{"at", "into", "offset", "depth"} {
			if cmd.Flags().Changed(flag) {
				return "", command.Usage(cmd, "the position %s and --%s both say where the node goes", rest[0], flag)
			}
		}
		*at, rest = rest[0], rest[1:]
	}
	if len(rest) > 1 {
		return "", command.Usage(cmd, "add takes NAME [POSITION] [NODE]; %d given", len(args))
	}
	return strings.Join(rest, ""), nil
}

func updateCommand(a *command.App) *cobra.Command {
	cmd := a.Command("update")
	node := newNodeFlags(a, cmd)
	unset := cmd.Flags().StringArray("unset", nil, "take away the header `NAME`; may be repeated")
	w := writingFlags(a, cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if err := node.check(cmd, *unset); err != nil {
			return err
		}
		err := edit(ctx, a, args[0], w, func(b *pact.Batch) (err error) {
			b.Update(args[1], func(s *pact.Spec) { err = node.change(ctx, a, cmd, s, *unset) })
			return err
		})
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("ttl") && node.ttl == 0 {
			warnUnsent(a, args[1])
		}
		return a.Answer(view.Visible(args[1]), map[string]any{"id": args[1]})
	})
	return cmd
}

func removeCommand(a *command.App) *cobra.Command {
	cmd := a.Command("remove")
	w := writingFlags(a, cmd)
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		ids := args[1:]
		err := edit(ctx, a, args[0], w, func(b *pact.Batch) error {
			for _, id := range ids {
				b.Remove(id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return a.Answer(strings.Join(ids, "\n"), map[string]any{"removed": ids})
	})
	return cmd
}

func depthFlag(cmd *cobra.Command) *int64 {
	return cmd.Flags().Int64("depth", 0, "in edition 1.0: as a sealed turn `N` turns back in the history, 1 for the newest")
}

func moveCommand(a *command.App) *cobra.Command {
	cmd := a.Command("move")
	into := cmd.Flags().String("into", "", "the parent, an `ID` or a region")
	at := cmd.Flags().String("at", "", "the `POSITION` instead of a parent")
	offset := cmd.Flags().Int64("offset", 0, "with --into, the `PLACE` relative to the core")
	depth := depthFlag(cmd)
	w := writingFlags(a, cmd)
	cmd.MarkFlagsMutuallyExclusive("into", "at", "depth")
	cmd.MarkFlagsOneRequired("into", "at", "depth")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		var moved string
		err := edit(ctx, a, args[0], w, func(b *pact.Batch) (err error) {
			if cmd.Flags().Changed("at") {
				moved = b.Move(args[1], *at, 0)
				return command.InArgument(b.Err(), *at)
			}
			if cmd.Flags().Changed("depth") {
				moved = b.MoveToDepth(*depth, args[1])
			} else {
				moved = b.Move(args[1], *into, *offset)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return a.Answer(view.Visible(moved), map[string]any{"id": moved})
	})
	return cmd
}

// namesType reports whether a token such as .block finds a type. In edition 1.0 the token leaves out a class in
// front of the type (1.0 04 §3.2).
func namesType(name string, e selector.Edition) bool {
	if class, facet, found := strings.Cut(name, ":"); found && e.Traits().TypeFacet {
		if _, known := tree.ClassOfType(class); known {
			name = facet
		}
	}
	q, err := selector.Parse("."+name, e)
	if err != nil {
		return false
	}
	parts := q.Groups[0].Steps[0].Parts // in edition 1.0 behind *
	switch part := parts[len(parts)-1].(type) {
	case selector.Type:
		return part.Name == name
	case selector.Attr:
		return part.Name == "nodeType" && part.Values[0].Text == name
	}
	return false
}

// rebaseFlag adds --rebase.
func rebaseFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("rebase", false, "if another process writes meanwhile, repeat the edit on the new state")
}

// rebased repeats a call on the new state, if the user asked for it, for as
// long as the call loses to other writers. s and err are those that the first call
// returned.
func rebased(ctx context.Context, wanted bool, s *pact.Sealed, err error) (*pact.Sealed, error) {
	for lost := (*pact.Conflict)(nil); wanted && errors.As(err, &lost); lost = nil {
		s, err = lost.Rebase(ctx)
	}
	return s, err
}
