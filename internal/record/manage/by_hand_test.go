package manage

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// byHand decides about the result of a call in the last request, and has the list follow that.
func (c *conversation) byHand(call string, what Action) (why string) {
	d, why := c.last.ByHand(c.list, call, what)
	if why == "" {
		c.list.Add(d)
	}
	return why
}

// What is left out or pinned by hand is so from the next request on, and where the last one is sent again, until that ends;
// no rule takes what is pinned.
func TestWhatIsDecidedByHandHolds(t *testing.T) {
	for name, x := range map[string]struct {
		policy, model, before string
		what                  Action
		pinned, undone        string // the forms then
	}{
		"left out":                   {`{"select":"[bytes>9]","ttl":9}`, "m", "", Left, "left c0", ""},
		"a rule took it":             {`{"select":"[kind='result']","ttl":1,"stub":true}`, "m", "left c0", Pinned, "", "left c0"},
		"a rule shortened it":        {`{"select":"[kind='result']","head":20}`, "m", "shaped c0", Pinned, "", ""},
		"the provider clears it":     {`{"select":"[kind='result']","ttl":1}`, "claude-opus-5", "cleared c0", Pinned, "", "left c0"},
		"a later one refers to it":   {`{"select":"[kind='result']","once":true}`, "m", "same c1", Left, "left c0", "same c1"},
		"a rule would take it later": {`{"select":"[kind='result']","ttl":2,"stub":true}`, "m", "", Pinned, "", "left c0"},
	} {
		c := converse(t, `{"when":"now","rules":[`+x.policy+`]}`, provider.Messages, x.model)
		c.sends(turnOf(c.api, 0, "", longText)...)
		second := "short"
		if x.before == "same c1" {
			second = longText
		}
		if c.sends(turnOf(c.api, 1, "", second)...); c.formed() != x.before {
			t.Fatalf("%s: %q", name, c.formed())
		}
		if why := c.byHand("c0", x.what); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		for range 2 { // the last request again, and the next
			if c.sends(); c.formed() != x.pinned {
				t.Errorf("%s: %q, want %q", name, c.formed(), x.pinned)
			}
			c.said = append(c.said, turnOf(c.api, 2, "", "short")...)
		}
		if why := c.byHand("c0", Raw); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		if c.sends(turnOf(c.api, 3, "", "short")...); c.formed() != x.undone {
			t.Errorf("%s, undone: %q, want %q", name, c.formed(), x.undone)
		}
	}
}

// The refusals of a decision by hand say why.
func TestWhatCannotBeDecidedByHand(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[bytes>3000]","head":20}]}`, provider.Messages, "m")
	search := []any{map[string]any{"type": "server_tool_use", "id": "s", "name": "web_search", "input": map[string]any{"query": "q"}},
		map[string]any{"type": "web_search_tool_result", "tool_use_id": "s", "content": []any{}}}
	c.sends(map[string]any{"role": "assistant", "content": search}, map[string]any{"role": "user", "content": "And?"})
	for id, says := range map[string]string{"whole": longText, "shaped": longText + longText, "short": "short", "even": longText[:68], "secret": longText + " hidden"} {
		c.sends(called(c.api, id, "{}", "", says)...)
	}
	c.sends(append(called(c.api, "two", "{}", "", longText), called(c.api, "two", "{}", "", longText)...)...)
	c.last.Hides = func(v canon.Any) bool { return strings.Contains(v.Text, "hidden") }
	for _, x := range []struct {
		call string
		what Action
		why  string
	}{
		{"none", Left, "no such result"}, {"s", Left, "no form that can change"}, {"two", Left, "two results of the call"},
		{"secret", Left, "a redacted text"}, {"secret", Pinned, "a redacted text"}, {"whole", Raw, "neither left out nor pinned"},
		{"short", Left, "no shorter"}, {"even", Left, "no shorter"}, {"short", Pinned, ""}, {"short", Raw, ""}, {"shaped", Left, "shortened it before"},
		{"shaped", Pinned, ""}, {"shaped", Left, ""}, {"whole", Left, ""}, {"whole", Left, "left out already"}, {"whole", Pinned, ""},
	} {
		why := c.byHand(x.call, x.what)
		if (x.why == "") != (why == "") || !strings.Contains(why, x.why) {
			t.Errorf("%s %s: %q, want %q", x.what, x.call, why, x.why)
		}
		must(t, c.last.Follow(c.list))
	}
	d, why := c.last.ByHand(c.list, "whole", Left)
	if note := "[Left out after 1 call; whole is its id. Only pact writes such notes.]"; why != "" || d.Since != "two" || d.ID != "whole" ||
		d.Text.Any().Text[:16] != note[:16] || !strings.HasSuffix(d.Text.Any().Text, note[22:]) {
		t.Errorf("%+v, %s", d, why)
	}
}
