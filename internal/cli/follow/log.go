package follow

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/spf13/cobra"
)

// logged is a line of pact log --json.
type logged struct {
	history.Entry
	Time   string          `json:"time,omitempty"` // absent if it is unknown
	Call   *story.Call     `json:"call,omitempty"` // nil unless the entry published a snapshot
	Stat   *story.Stat     `json:"stat,omitempty"`
	Origin *inspect.Origin `json:"origin,omitempty"` // on the first entry of a fork: where it began
}

func logCommand(a *command.App) *cobra.Command {
	cmd := a.Command("log")
	flags := a.SourceFlags(cmd)
	edits := cmd.Flags().Bool("edits", false, "list edits as well")
	stats := cmd.Flags().Bool("stat", false, "count what each cycle changed")
	some := logLimits{}
	some.register(cmd)
	attempts := cmd.Flags().Bool("attempts", false, "list every call of a provider within the cycles, also those that failed")
	family := cmd.Flags().Bool("family", false, "compare the first calls of its sub-agents and forks with its own")
	compactions := cmd.Flags().Bool("compactions", false, "list who rewrote the context, what that cost and saved, and what went")
	prefix := newPrefixFlags(a, cmd, flags)
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		if !*attempts && prefix.ask(cmd) {
			return prefix.print(ctx, a, s, rest)
		}
		if s.Alone != nil {
			return fault.New(fault.SnapshotNotFound, "a document on its own has no log", "import it, or name a history")
		}
		if *attempts {
			return listAttempts(ctx, a, s.Context, rest)
		}
		if (*family || *compactions) && len(rest) > 0 {
			return fault.New(fault.Usage, "--family and --compactions are about the whole context and take no addresses", "leave them out")
		}
		if *family {
			return listFamily(ctx, a, s)
		}
		if *compactions {
			return listCompactions(ctx, a, s)
		}
		first := s.Context.Info().First
		lowest, last, err := some.span(ctx, cmd, s.Context, rest)
		if err != nil {
			return err
		}
		calls, err := story.Calls(ctx, s.Context, lowest, last)
		if err != nil {
			return err
		}
		origins, err := s.Context.Origins(ctx)
		if err != nil {
			return err
		}
		from := int64(0)
		if some.newest > 0 || len(rest) > 0 {
			from = lowest
		}
		listed := 0
		each := func(do func(logged) error) error {
			listed = 0
			for e, err := range s.Context.Log(ctx, from) {
				if err != nil {
					return err
				}
				if len(rest) > 0 && e.Cycle > last {
					continue
				}
				branched := e.Kind == history.Forked || e.Kind == history.Superseded || e.Kind == history.Erasing
				// an import may have brought the first snapshot
				published := e.Kind != history.Edit && e.Cycle >= first && !branched
				if !published && !branched && !*edits || some.leavesOut(&e) {
					continue
				}
				l := logged{Entry: e, Time: view.ISO(e.TimeNS)}
				for i := range origins {
					if e.Kind == history.Forked && e.Revision == origins[i].Revision {
						l.Origin = &origins[i]
					}
				}
				if published {
					if l.Call = calls[e.Cycle]; *stats && l.Call != nil {
						l.Stat = &l.Call.Stat
					}
				}
				listed++
				if err := do(l); err != nil {
					return err
				}
			}
			return nil
		}
		if a.JSON {
			a.Out.Hold = false // print each line at once: it stands by itself
			return each(func(l logged) error { return a.PrintJSON(l) })
		}
		if err = drawLog(a, each); err != nil {
			return err
		}
		unanswered := ""
		if len(rest) == 0 {
			if unanswered, err = view.Unanswered(ctx, s.Context); err != nil {
				return err
			}
		}
		switch {
		case unanswered != "":
			a.Reportf("pact: the last call, %s; pact request %s%s working prints it", unanswered, a.Subject, a.InStore())
		case listed > 0:
		case slices.Contains(rest, "working"):
			a.Reportf("pact: the working state is no cycle, so the log has no entry of it; with --edits it lists its edits")
		case last < first:
			a.FoundNothing("%s has no cycle yet; pact commit makes one", view.Visible(s.Context.Info().Name))
		default:
			a.FoundNothing("%s has no cycle since %s", view.Visible(s.Context.Info().Name), view.Visible(some.since))
		}
		return nil
	})
	return cmd
}

// toolsCalled returns the tools, after the call whose answer called them.
func toolsCalled(c *story.Call) string {
	if len(c.Tools) == 0 {
		return ""
	}
	return c.Earlier + toolsText(c.Tools)
}

// wordsOf returns the words, after the call whose answer they are if the user did not say them.
func wordsOf(c *story.Call) string {
	if c.SaidBy == "assistant" && c.Said != "" {
		return c.Earlier + c.Said
	}
	return c.Said
}

// brokeText says what broke at a call, "" if nothing did.
func brokeText(c *story.Call) string {
	switch b := c.Broke; {
	case b == nil:
		return ""
	case b.Again == nil:
		return b.Why + " (seen)"
	default:
		return view.Plural(int(*b.Again), "token") + " again: " + b.Why + " (" + string(b.Known) + ")"
	}
}

// filled returns how much of the window of the model a call took, "" if that is not known.
func filled(c *story.Call) string {
	if c.In == nil || c.Window == 0 {
		return ""
	}
	return view.Percent(float64(*c.In) / float64(c.Window))
}

// duration returns how long the call took, for a person, "" if that is not known.
func duration(c *story.Call) string {
	if c.Took == nil {
		return ""
	}
	return (time.Duration(*c.Took) * time.Millisecond).String()
}

// toolsText returns the names of called tools, each once, with how often it was
// called.
func toolsText(names []string) string {
	var list []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		count := 0
		for _, other := range names {
			if other == name {
				count++
			}
		}
		text := view.Visible(name)
		if count > 1 {
			text += "×" + strconv.Itoa(count)
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}
