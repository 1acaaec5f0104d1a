package trace

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"
)

// drawProvider prints for each call what the provider reported, beside the
// forecast.
func drawProvider(a *command.App, r *story.PrefixReport, prices *record.Prices) {
	var rows [][]string
	var paid, lost float64
	priced := slices.ContainsFunc(r.Cycles, func(p inspect.Prefix) bool { return p.Call != nil && p.Call.Cost != nil })
	unknown := 0 // calls and broken attempts whose share of the sums is not known
	for i := range r.Cycles {
		p := &r.Cycles[i]
		call := p.Call
		if call == nil {
			continue
		}
		cached, expected, read, written, in, full := "", "", "", (*int64)(nil), "", ""
		if e := call.Expected; e != nil {
			cached, expected = strconv.Itoa(e.Blocks)+"/"+strconv.Itoa(call.Blocks), expectedText(e)
		}
		if u := call.Provider; u != nil {
			read, written, in = orUnknown(u.Read), u.Written, orUnknown(u.In)
			full = filledBy(call)
		}
		unknown += call.Broken
		costs, loses := "", ""
		if priced {
			costs, loses = "?", "?"
			if c := call.Cost; c != nil {
				costs, paid = view.Money(c.Paid), paid+c.Paid
				if c.Lost != nil {
					loses, lost = view.Money(*c.Lost), lost+*c.Lost
				}
			}
			if loses == "?" {
				unknown++
			}
		}
		verdict := call.Agreement
		switch verdict {
		case "agrees":
			verdict = a.Paint.Good(verdict)
		case "read less", "read more":
			verdict = a.Paint.Bad(verdict)
		}
		rows = append(rows, screen.Row(view.Cycle(p.Cycle), cached, expected, read, written, in, full, costs, loses,
			screen.Painted(verdict), screen.Painted(whyText(a, p))))
	}
	if len(rows) == 0 {
		a.Printf("no call of this context was recorded\n")
		return
	}
	a.Table([]string{"cycle", ">cached", ">expected", ">read", ">written", ">in", "?>window", "?>paid", "?>lost", "verdict", "why"}, rows)
	if r.Told > 0 {
		a.Printf("The provider read what its rules let expect in %d of %s.\n", r.Agreed, view.Plural(r.Told, "call"))
	}
	if priced {
		a.Sentence("Paid " + view.Money(paid) + " " + view.Visible(prices.Currency) + ", of that " + view.Money(lost) +
			" because less was read than before; prices of " + view.Visible(prices.AsOf) + ".")
		if unknown > 0 {
			a.Sentence("The sums leave out " + view.Plural(unknown, "call") + " whose tokens or prices are not all known.")
		}
	}
	drawSources(a, r)
}

// filledBy returns how much of the window of the model a recorded call took, "" if that is not known.
func filledBy(call *inspect.CallPrefix) string {
	if call.Window == 0 || call.Provider == nil || call.Provider.In == nil {
		return ""
	}
	return view.Percent(float64(*call.Provider.In) / float64(call.Window))
}

// orUnknown returns a number, ? for one that the provider did not give.
func orUnknown(n *int64) string {
	if n == nil {
		return "?"
	}
	return strconv.FormatInt(*n, 10)
}

// expectedText returns how many tokens the provider should read; ? if they were
// not counted.
func expectedText(e *inspect.Expected) string {
	switch {
	case e.Blocks == 0:
		return "0"
	case e.Tokens == nil:
		return "?"
	}
	return strconv.FormatInt(*e.Tokens, 10)
}

// whyText says why the provider read no more: what ended the prefix or that its
// lifetime ran out, and the provider's own reason.
func whyText(a *command.App, p *inspect.Prefix) string {
	var parts []string
	call := p.Call
	if call.Cut != nil {
		parts = append(parts, view.CutInBrief(p, a.Paint.Changed))
	}
	if call.Broken > 0 {
		parts = append(parts, view.Plural(call.Broken, "attempt")+" before broke off")
	}
	if e := call.Expected; e != nil {
		idle := (time.Duration(e.IdleSeconds) * time.Second).String()
		switch u := call.Provider; {
		case e.Lapsed > 0:
			parts = append(parts, "lifetime ran out, unused for "+idle)
		case e.Unsure && e.Blocks > 0 && u.Read != nil && *u.Read == 0 && e.IdleSeconds > 0:
			parts = append(parts, "lifetime may have run out, unused for "+idle)
		}
		if u := call.Provider; u.In != nil && *u.In < e.LeastTokens {
			parts = append(parts, "cached from "+strconv.FormatInt(e.LeastTokens, 10)+" tokens on")
		}
	}
	if call.Provider != nil && call.Provider.Reason != "" {
		parts = append(parts, "provider: "+view.Visible(call.Provider.Reason))
	}
	return strings.Join(parts, "; ")
}
