package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/wording"
	"github.com/contexttree/pact/record"
)

// drawProvider prints for each call what the provider reported, beside the
// forecast.
func (a *app) drawProvider(r *prefixReport, prices *record.Prices) {
	head, align := []string{"cycle", "cached", "expected", "read", "written", "in", "verdict", "why"}, "lrrrrrll"
	if prices != nil {
		head, align = append(head[:6:6], "paid", "lost", "verdict", "why"), "lrrrrrrrll"
	}
	var rows [][]string
	var paid, lost float64
	for i := range r.Cycles {
		p := &r.Cycles[i]
		call := p.Call
		if call == nil {
			continue
		}
		row := []string{"@c" + strconv.FormatInt(p.Cycle, 10)}
		if e := call.Expected; e != nil {
			u := call.Provider
			row = append(row, strconv.Itoa(e.Blocks)+"/"+strconv.Itoa(call.Blocks), expectedText(e), countText(u.Read),
				countText(u.Written), countText(u.In))
		} else {
			row = append(row, "", "", "", "", "")
		}
		if prices != nil {
			if c := call.Cost; c != nil {
				row = append(row, money(c.Paid), money(c.Lost))
				paid, lost = paid+c.Paid, lost+c.Lost
			} else {
				row = append(row, "", "")
			}
		}
		verdict := call.Agreement
		switch verdict {
		case "agrees":
			verdict = a.paint.good(verdict)
		case "read less", "read more":
			verdict = a.paint.bad(verdict)
		}
		rows = append(rows, append(row, verdict, a.whyText(p)))
	}
	if len(rows) == 0 {
		a.printf("no call of this context was recorded\n")
		return
	}
	a.table(head, rows, align)
	if r.Told > 0 {
		a.printf("The provider read what its rules let expect in %d of %s.\n", r.Agreed, plural(r.Told, "call"))
	}
	if prices != nil {
		a.sentence("Paid " + money(paid) + " " + visible(prices.Currency) + ", of that " + money(lost) +
			" because less was read than before; prices of " + visible(prices.AsOf) + ".")
	}
	a.drawSources(r)
}

func money(amount float64) string { return strconv.FormatFloat(amount, 'f', 4, 64) }

// expectedText returns how many tokens the provider should read; ? if nobody
// counted them.
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
func (a *app) whyText(p *inspect.Prefix) string {
	var parts []string
	call := p.Call
	if call.Cut != nil {
		parts = append(parts, wording.Cut(p, a.paint.changed))
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
		parts = append(parts, "provider: "+visible(call.Provider.Reason))
	}
	return strings.Join(parts, "; ")
}
