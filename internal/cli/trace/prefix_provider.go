package trace

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
)

// drawProvider prints for each call what the provider reported, beside the
// forecast. It reports whether there is a recorded call.
func drawProvider(a *command.App, r *story.PrefixReport) bool {
	var rows [][]string
	for i := range r.Cycles {
		c := r.Cycles[i]
		call := c.Call
		if call == nil {
			continue
		}
		expected, read, in, written, full := "", "", "", (*int64)(nil), ""
		if e := call.Expected; e != nil {
			expected = expectedText(e)
		}
		if u := call.Provider; u != nil {
			read, written, in, full = orUnknown(u.Read), u.Written, orUnknown(u.In), filledBy(call)
		}
		paid, lost := "", ""
		if of := call.Cost; of != nil {
			paid, lost = view.Money(of.Paid), cost(of.Lost)
		}
		verdict := call.Agreement
		switch verdict {
		case "agrees":
			verdict = a.Paint.Good(verdict)
		case "read less", "read more":
			verdict = a.Paint.Bad(verdict)
		}
		rows = append(rows, screen.Row(view.Cycle(c.Cycle), expected, call.Left, read, written, in, full, paid, lost,
			screen.Painted(verdict), screen.Painted(whyText(a, c))))
	}
	if len(rows) == 0 {
		a.Printf("no call of this context was recorded\n")
		return false
	}
	a.Table([]string{"cycle", ">expected", ">left", ">read", ">written", ">in", ">window", ">paid", ">lost", "verdict", "why"}, rows)
	if r.Told > 0 {
		a.Printf("The provider read what its rules let expect (computed) in %d of %s.\n", r.Agreed, view.Plural(r.Told, "call"))
	}
	return true
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

// whyText says why the provider read no more: what broke, what else ended the prefix or that its lifetime may have run
// out, and the provider's own reason.
func whyText(a *command.App, p *view.Step) string {
	var parts []string
	call := p.Call
	switch {
	case p.Broke != nil:
		parts = append(parts, p.Broke.Why+" ("+string(p.Broke.Known)+")")
	case call.Cut != nil:
		parts = append(parts, a.Paint.Changed(view.Why(&p.Prefix)))
	}
	if call.Broken > 0 {
		parts = append(parts, view.Plural(call.Broken, "attempt")+" before broke off")
	}
	if e, u := call.Expected, call.Provider; e != nil && u != nil && u.In != nil && *u.In < e.LeastTokens {
		parts = append(parts, "cached from "+strconv.FormatInt(e.LeastTokens, 10)+" tokens on")
	}
	if call.Provider != nil && call.Provider.Reason != "" && (call.Lost == nil || call.Lost.Cause.Kind != "reason") {
		parts = append(parts, "provider: "+view.Visible(call.Provider.Reason))
	}
	return strings.Join(parts, "; ")
}
