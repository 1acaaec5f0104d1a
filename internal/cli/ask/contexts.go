package ask

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"

	"github.com/spf13/cobra"
)

// listed is a context in the answer of pact contexts --json.
type listed struct {
	Name           string            `json:"name"`
	Edition        string            `json:"edition"`
	First          int64             `json:"first_cycle"`
	Last           int64             `json:"last_cycle"`
	Cycles         int64             `json:"cycles"`
	Inherited      int64             `json:"inherited,omitempty"` // of these cycles, those of the context that it was forked from
	Revision       int64             `json:"revision"`
	Aside          int               `json:"aside,omitempty"`    // contexts aside of its conversation that the list folds
	Origin         *inspect.Origin   `json:"origin,omitempty"`   // where it began, if it is a fork
	Begun          *begunBy          `json:"begun_by,omitempty"` // the call that began it, if it is a sub-agent
	*record.Source                   // nil if no recorder made it
	Policy         *lifecycle.Policy `json:"policy,omitempty"` // that it keeps
}

// begunBy is the call of a tool that began the conversation of a sub-agent.
type begunBy struct {
	Context string `json:"context"`
	Node    string `json:"node,omitempty"` // the block of the call, "" where the log does not name it
}

// begunByOf returns the call that a block of a context is, nil for no context.
func begunByOf(from, block string) *begunBy {
	if from == "" {
		return nil
	}
	return &begunBy{from, block}
}

// words names the block and its context, as pact show takes them in the other order.
func (b *begunBy) words() string {
	if b.Node == "" {
		return b.Context
	}
	return b.Node + " of " + b.Context
}

func contextsCommand(a *command.App) *cobra.Command {
	cmd := a.Command("contexts")
	all := cmd.Flags().Bool("all", false, "list what stands aside of a conversation as well")
	cmd.RunE = a.OnStore(func(ctx context.Context, s *pact.DB, _ []string) error {
		infos, err := pact.List(ctx, s)
		if err != nil {
			return err
		}
		shown, asides := infos, map[string]int(nil)
		if !*all {
			shown, asides = record.FoldAsides(infos)
		}
		list := make([]listed, len(shown))
		for i, c := range shown {
			list[i] = listed{Name: c.Name, Edition: string(c.Edition), First: c.First, Last: c.Cycle, Aside: asides[c.Name],
				Cycles: max(0, c.Cycle-c.First+1), Revision: c.Revision, Origin: command.OriginOf(c, infos),
				Begun: begunByOf(record.BegunBy(c.Listed)), Source: record.SourceOf(c.Listed)}
			if list[i].Origin != nil {
				list[i].Inherited = max(0, list[i].Origin.Cycle-c.First+1)
			}
			if list[i].Policy, err = commit.KeptPolicy(string(c.Listed.Attr(commit.PolicyAttr))); err != nil {
				list[i].Policy = nil // a list of contexts does not fail over one of them; pact show says it
			}
		}
		return a.Show(list, func() { drawList(a, list) })
	})
	return cmd
}

func drawList(a *command.App, list []listed) {
	if len(list) == 0 {
		a.Printf("%s holds no contexts\n", a.Shown())
		return
	}
	rows := make([][]string, len(list))
	for i, c := range list {
		var aside, inherited any
		if c.Aside > 0 {
			aside = c.Aside
		}
		if c.Inherited > 0 {
			inherited = c.Inherited
		}
		requests, policy, from, by := "", "", "", ""
		if c.Source != nil {
			requests = c.Exact
		}
		if c.Policy != nil {
			policy = command.LimitsText(c.Policy)
		}
		if c.Origin != nil {
			from = command.OriginText(*c.Origin)
		}
		if c.Begun != nil {
			by = c.Begun.words()
		}
		rows[i] = screen.Row(c.Name, c.Edition, c.Cycles, inherited, aside, c.Revision, requests, policy, from, by)
	}
	a.Table([]string{"context", "edition", ">cycles", ">inherited", ">aside", ">revision", "requests", "policy", "fork of", "begun by"},
		rows)
}
