package calllog

import (
	"strings"
	"testing"
)

// A session of the SDK of Cline has the system prompt, and of each answer the model, the tokens and the price.
func TestASessionOfCline(t *testing.T) {
	log := sampleLog(t, "cline-session.json")
	const sent = "system text You help in a library. | user text Which book is this, and is it here? | user image | " +
		`assistant thinking {"signature":"c2ln","thinking":"It looks like Momo.","type":"thinking"} | assistant call toolu_1 find_book ` +
		`{"id":"toolu_1","input":{"title":"Momo"},"name":"find_book","type":"tool_use"} | tool result toolu_1 failed the catalogue is closed`
	c := &log.Sessions[0].Calls[1]
	a, _ := answerOf(c)
	if got := words(requestOf(t, c).Parts); got != sent || tokensOf(a.Usage) != "440/9/390/48/-" || a.Model != "anthropic/claude-opus-4-8" {
		t.Errorf("%s %s was sent\n%s\nwant\n%s", a.Model, tokensOf(a.Usage), got, sent)
	}
	if cost := c.attribute(costAttr).Text; cost != "0.0031" || c.Started != 1777885203e9 || c.Ended != 1777885205e9 {
		t.Errorf("it cost %s from %d to %d", cost, c.Started, c.Ended)
	}
	if missing := strings.Join(log.Sessions[0].Missing, ", "); strings.Contains(missing, "system prompt") {
		t.Errorf("%s are missing", missing)
	}
}
