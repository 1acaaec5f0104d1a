package cli

import (
	"strings"

	"github.com/contexttree/pact/internal/intake"
)

// madeContext is what an import says of a context.
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
	Missing []string    `json:"missing,omitempty"` // what rebuilt requests lack
	Calls   int         `json:"calls,omitempty"`   // recorded now, in all contexts of the session
	Known   int         `json:"known,omitempty"`   // recorded before
	Lost    *loss       `json:"lost,omitempty"`    // to the limits
}

// reportImport prints the contexts that an import made, or would make.
func (a *app) reportImport(list []imported, kind intake.Kind, dry bool) error {
	answer := make([]madeContext, len(list))
	for i, l := range list {
		first, last := l.context.Cycles()
		m := madeContext{Name: l.context.Name(), Kind: kind, Edition: string(l.context.Edition()), First: first, Last: last,
			Nodes: l.context.Working().Tree().Len(), Existed: l.existed, Added: l.added,
			Calls: l.calls, Known: l.known, Lost: l.part.lost.total()}
		if s := l.part.session; s != nil {
			m.Format, m.Exact, m.Missing = s.Format, string(s.Exact), s.Missing
		}
		answer[i] = m
		if a.json {
			continue
		}
		would := ""
		if dry && !(l.existed && m.Format == "") {
			would = "would be made: "
		}
		a.printf("%s%s: %s, edition %s, %s", would, visible(m.Name), plural(int(max(0, last-first+1)), "cycle"), m.Edition,
			plural(m.Nodes, "node"))
		if l.existed && m.Format == "" {
			what := ", made of the same contents"
			if m.Added > 0 {
				what = " and gets " + plural(int(m.Added), "new cycle")
			}
			a.printf("; it is there already%s", what)
		}
		if m.Format != "" && m.Calls+m.Known > 0 {
			a.printf("; %s: %s", m.Format, plural(m.Calls, "new call"))
			if m.Known > 0 {
				a.printf(", %d known", m.Known)
			}
			a.printf(", requests %s", m.Exact)
			if len(m.Missing) > 0 {
				a.printf(" without %s", strings.Join(m.Missing, ", "))
			}
		}
		a.printf("\n")
		a.drawImportLoss(m.Lost)
	}
	if a.json {
		return a.printJSON(answer)
	}
	return nil
}
