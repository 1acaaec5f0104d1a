package follow

import (
	"context"
	"fmt"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/runs"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/tokens"
)

// listCompactions prints the rewrites of a context.
func listCompactions(ctx context.Context, a *command.App, s *command.Source) error {
	counter, err := tokens.Named(command.DefaultTokenizer)
	if err != nil {
		return err
	}
	m := a.Meter("reading")
	r, err := runs.RewritesOf(ctx, s.Store, s.Context, nil, counter, m.At)
	m.End()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(r)
	}
	if len(r.List) == 0 {
		a.Sentence("nobody rewrote the context in " + view.Plural(r.Calls, "call") + " (seen)")
	}
	for i := range r.List {
		drawRewrite(a, r, &r.List[i])
	}
	return nil
}

// mostListed is how many lines and calls the command prints of a rewrite; as JSON it prints all.
const mostListed = 5

func drawRewrite(a *command.App, all *runs.Rewrites, r *runs.Rewrite) {
	a.Printf("%s\n", a.Clip(view.Cycle(r.Call)+"  by the "+r.By+": "+r.Says+" (seen)"))
	line := func(name, text string) { a.Printf("%s\n", a.Clip(fmt.Sprintf("  %-9s %s", name, text))) }
	money := func(cost *float64) string {
		if cost == nil {
			return "cost unknown"
		}
		return view.Money(*cost) + " " + view.Visible(all.Currency)
	}
	sizes, price, saved := "unknown", "what left the cache: unknown", "unknown"
	if t := r.Tokens; t.Before != nil {
		sizes = fmt.Sprintf("%d → %d (%s)", *t.Before, *t.After, t.Evidence)
	}
	if p := r.Price; p.Again != nil && *p.Again == 0 {
		price = fmt.Sprintf("no break of the cache, %s (%s)", money(p.Cache), p.Evidence)
	} else if p.Again != nil {
		price = fmt.Sprintf("%s not read from the cache, %s (%s)", view.Plural(int(*p.Again), "token"), money(p.Cache),
			p.Evidence)
	}
	if r.By == runs.ByAgent {
		price += "; the call for the summary: " + money(r.Price.Summary)
	}
	if s := r.Saved; s.Tokens != nil {
		saved = fmt.Sprintf("%s in %s, %s (computed)", view.Plural(int(*s.Tokens), "token"), view.Plural(s.Calls, "call"),
			money(s.Cost))
	}
	line("tokens", sizes)
	line("price", price)
	line("saved", saved)
	line("user", fmt.Sprintf("%d of %s of the user are still sent word for word", r.Lines.Survive,
		view.Plural(r.Lines.Of, "line")))
	some := func(name string, n int, text func(i int) string) {
		for i := range min(n, mostListed) {
			line(name, text(i))
		}
		if n > mostListed {
			line("", fmt.Sprintf("and %d more; --json has each", n-mostListed))
		}
	}
	some("gone", len(r.Lines.Gone), func(i int) string { return view.Visible(r.Lines.Gone[i].Text) })
	if r.By == runs.ByProvider {
		line("again", "unknown: the provider does not say what went")
	}
	some("again", len(r.Again), func(i int) string {
		return view.Cycle(r.Again[i].Call) + " " + view.Visible(r.Again[i].Tool) + " " + r.Again[i].Begins
	})
	if s := r.Summary; s != nil {
		line("summary", s.Node+` "`+s.Begins+`" (`+string(s.Evidence)+")")
	}
}
