package bring

import (
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/sums"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
)

// madeContext is a line of the answer of an import.
type madeContext struct {
	Name    string      `json:"name"`
	Kind    intake.Kind `json:"kind"`
	Edition string      `json:"edition"`
	First   int64       `json:"first_cycle"`
	Last    int64       `json:"last_cycle"`
	Nodes   int         `json:"nodes"`
	Existed bool        `json:"existed,omitempty"` // it was there before, made of the same contents
	Added   int64       `json:"added,omitempty"`   // how many cycles it has more now, because the file grew
	Format  string      `json:"format,omitempty"`  // of the log
	Exact   string      `json:"exact,omitempty"`   // how the requests of the log relate to what was sent
	Missing []string    `json:"missing,omitempty"` // parts that rebuilt requests lack
	Calls   int         `json:"calls,omitempty"`   // recorded now, in all contexts of the session
	Known   int         `json:"known,omitempty"`   // recorded before
	Lost    *story.Loss `json:"lost,omitempty"`    // to the limits
	Sums    *sums.Sums  `json:"sums,omitempty"`    // of the file, beside its first context
}

// reportImport prints the contexts that an import made, or would make.
func reportImport(a *command.App, list []intake.Made, lost map[*intake.Part]*story.LossReader, kind intake.Kind, dry bool) error {
	answer := make([]madeContext, len(list))
	for i, l := range list {
		first, last := l.Context.Cycles()
		m := madeContext{Name: l.Context.Name(), Kind: kind, Edition: string(l.Context.Edition()), First: first, Last: last,
			Nodes: l.Context.Working().Len(), Existed: l.Existed, Added: l.Added,
			Calls: l.Calls, Known: l.Known, Lost: lost[l.Part].Total()}
		if s := l.Part.Session; s != nil {
			m.Format, m.Exact, m.Missing = s.Format, string(s.Exact), s.Missing
			if i == 0 {
				m.Sums = s.Sums
			}
		}
		answer[i] = m
		if a.JSON {
			continue
		}
		would, records := "", l.Part.Records()
		if dry && (records || !l.Existed) {
			would = "would be made: "
		}
		a.Printf("%s%s: %s, edition %s, %s", would, view.Visible(m.Name), view.Plural(int(max(0, last-first+1)), "cycle"), m.Edition,
			view.Plural(m.Nodes, "node"))
		if l.Existed && !records {
			what := ", made of the same contents"
			if m.Added > 0 {
				what = " and gets " + view.Plural(int(m.Added), "new cycle")
			}
			a.Printf("; it is there already%s", what)
		}
		if records && m.Calls+m.Known > 0 {
			a.Printf("; %s: %s", m.Format, view.Plural(m.Calls, "new call"))
			if m.Known > 0 {
				a.Printf(", %d known", m.Known)
			}
			a.Printf(", requests %s", m.Exact)
			if len(m.Missing) > 0 {
				a.Printf(" without %s", strings.Join(m.Missing, ", "))
			}
		}
		a.Printf("\n")
		a.DrawImportLoss(m.Lost)
	}
	if a.JSON {
		return a.PrintJSON(answer)
	}
	return nil
}
