package manage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// longText is a result that is longer than a note.
var longText = strings.Repeat("word ", 400)

// With cold, what is due leaves once nothing behind it is cached: after a pause that is longer than the provider keeps its
// cache, for another model, behind a summary of the agent's, and for a ledger that took the conversation up later.
func TestResultsLeaveOnceNothingIsCached(t *testing.T) {
	marker := map[string]any{"type": "ephemeral"}
	pause := func(d time.Duration) func(*conversation) {
		return func(c *conversation) { c.now = c.now.Add(d) }
	}
	restart := func(d time.Duration) func(*conversation) {
		return func(c *conversation) {
			c.ledger = NewLedger(func(string) (Price, bool) { return Price{}, false })
			c.ledger.Begins(c.now)
			c.now = c.now.Add(d)
		}
	}
	for name, x := range map[string]struct {
		then     func(c *conversation)
		want     int
		unmarked bool // the provider caches without markers
	}{
		"a pause as long as the cache lives": {pause(5 * time.Minute), 0, false},
		"a longer pause":                     {pause(5*time.Minute + time.Second), 4, false},
		"another model":                      {func(c *conversation) { c.fields["model"] = "claude-opus-4-8" }, 4, false},
		"a summary": {func(c *conversation) {
			c.said = append([]any{map[string]any{"role": "user", "content": "You looked, and found words."}}, c.said[3:]...)
		}, 3, false},
		"a ledger of a minute later":                  {restart(time.Minute), 0, false},
		"a ledger of 6 minutes later":                 {restart(6 * time.Minute), 4, false},
		"a ledger of a minute later, without markers": {restart(time.Minute), 0, true},
		"a ledger of two days later, without markers": {restart(48 * time.Hour), 4, true},
	} {
		const policy = `{"when":"cold","rules":[{"select":"[kind='result']","ttl":2,"stub":true}]}`
		c := converse(t, policy, provider.Messages, "claude-sonnet-4-6")
		c.fields["cache_control"] = marker
		c.fields["system"] = []any{map[string]any{"type": "text", "text": strings.Repeat("Be kind. ", 600), "cache_control": marker}}
		if x.unmarked {
			c = converse(t, policy, provider.Chat, "gpt-5")
			c.said = append([]any{map[string]any{"role": "system", "content": strings.Repeat("Be kind. ", 600)}}, c.said...)
		}
		for n := range 5 {
			c.now = c.now.Add(time.Minute)
			if got := c.sends(turnOf(c.api, n, "", longText)...); got != "" {
				t.Fatalf("%s: call %d: %q", name, n, got)
			}
		}
		x.then(c)
		for n := range 2 { // the second finds the cache warm again
			c.now = c.now.Add(time.Second * time.Duration(n))
			got := c.sends(turnOf(c.api, 5+n, "", longText)...)
			if left := strings.Count(c.formed(), "left"); left != x.want || n == 1 && got != "" {
				t.Errorf("%s, call %d: %d results left, want %d", name, n, left, x.want)
			}
		}
	}
}

// A model that binds thinking to the text before it has nothing leave while its last answer thinks. Once an answer without
// thinking ends the work, results go with all thinking behind them.
func TestNothingLeavesBeforeBoundThinkingOfTheLastAnswer(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":2,"stub":true}]}`, provider.Messages, "claude-fable-5-1")
	for n := range 4 {
		if got := c.sends(turnOf(c.api, n, fmt.Sprint("thought ", n), longText)...); got != "" {
			t.Fatalf("call %d: %q", n, got)
		}
	}
	want := "left c0, gone a thought behind c0, left c1, gone a thought behind c1, left c2, gone a thought behind c2"
	if got := c.sends(map[string]any{"role": "assistant", "content": "done"}, map[string]any{"role": "user", "content": "And now?"}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Thinking of the last answer stays where it is due, as after the result of a tool that the provider ran itself within that
// answer: providers refuse a request that changes the thinking there. So does the thinking of a message with nothing else.
func TestTheThinkingOfTheLastAnswerStays(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[kind='thinking']","ttl":0}]}`, provider.Messages, "claude-opus-5")
	alone := map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "thinking", "thinking": "alone", "signature": "s"}}}
	c.sends(alone, map[string]any{"role": "user", "content": "And?"})
	c.sends(turnOf(c.api, 0, "a thought", "x")...)
	turn := turnOf(c.api, 1, "another thought", "x")
	answer := turn[0].(map[string]any)
	answer["content"] = slices.Insert(answer["content"].([]any), 1,
		any(map[string]any{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": map[string]any{"query": "q"}}),
		any(map[string]any{"type": "web_search_tool_result", "tool_use_id": "s1", "content": []any{}}))
	c.sends(turn...)
	gone := func() (list []string) {
		for _, i := range c.last.Formed() {
			said, _ := c.last.Parts[i].Part.Content.Get("thinking")
			list = append(list, said.Text)
		}
		return list
	}
	if got := gone(); !slices.Equal(got, []string{"a thought"}) {
		t.Errorf("%q", got)
	}
	if c.sends(turnOf(c.api, 2, "third", "x")...); !slices.Equal(gone(), []string{"a thought", "another thought"}) {
		t.Errorf("%q", gone())
	}
}

// A client that offers other tools in the middle of a conversation has results go as before.
func TestResultsLeaveAfterToolsChanged(t *testing.T) {
	tools := func(names ...string) (list []any) {
		for _, name := range names {
			list = append(list, map[string]any{"name": name, "description": name, "input_schema": map[string]any{"type": "object"}})
		}
		return list
	}
	for _, x := range [][2][]any{{tools("ls"), tools("ls", "b", "c", "d")}, {tools("ls", "b"), tools("ls")}} {
		c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":3,"stub":true}]}`, provider.Messages, "m-1")
		for n := range 7 {
			c.fields["tools"] = x[n/4]
			want := ""
			if n >= 3 {
				want = fmt.Sprint("left c", n-3)
			}
			if got := c.sends(turnOf(c.api, n, "", longText)...); got != want {
				t.Errorf("call %d with %d tools, then %d: %q, want %q", n, len(x[0]), len(x[1]), got, want)
			}
		}
	}
}

// A rule about calls has their results leave: the call stays, because every result keeps its call.
func TestARuleAboutCallsTakesTheirResults(t *testing.T) {
	got := decisionsOf(t, `{"when":"now","rules":[{"select":"[kind='call']","ttl":2}]}`, provider.Messages, "m-1",
		turnOf(provider.Messages, 0, "", longText), turnOf(provider.Messages, 1, "", longText), turnOf(provider.Messages, 2, "", longText))
	if !slices.Equal(got, []string{"", "", "left c0"}) {
		t.Errorf("%q", got)
	}
}

// An agent that has its provider clear results itself has none taken. If it begins to in the middle, what was cleared goes as
// it came; if it asks for something else, notes stand for it.
func TestAnAgentThatAsksItsProviderToClear(t *testing.T) {
	for kind, want := range map[string]string{"clear_tool_uses_20250919": "", "compact_20260112": "",
		"clear_thinking_20251015": "left c0, left c1, left c2"} {
		for _, from := range []int{0, 4} {
			c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":2}]}`, provider.Messages, "claude-opus-5")
			for n := range 5 {
				if n >= from {
					c.fields["context_management"] = map[string]any{"edits": []any{map[string]any{"type": kind}}}
				}
				c.sends(turnOf(c.api, n, "", longText)...)
				if n == 3 && from == 4 && c.formed() != "cleared c0, cleared c1" {
					t.Fatalf("before: %q", c.formed())
				}
			}
			if how, _, _ := c.last.Clearing(); c.formed() != want || how != nil {
				t.Errorf("%s from call %d: %q, want %q", kind, from, c.formed(), want)
			}
		}
	}
}

// The provider is asked to clear as many uses as left, and to keep the others.
func TestHowManyUsesTheProviderIsAskedToClear(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":2}]}`, provider.Messages, "claude-opus-5")
	for n := range 6 {
		c.sends(turnOf(c.api, n, "", longText)...)
		how, uses, stay := c.last.Clearing()
		if left := max(0, n-1); uses != left || (how != nil) != (left > 0) || left > 0 && stay != n+1-left || c.text("c0") != longText {
			t.Errorf("call %d: %d uses, %d stay", n, uses, stay)
		}
	}
}

// A note says how many calls sent what it stands for: an answer is one call, however many parts it has.
func TestANoteSaysAfterHowManyCalls(t *testing.T) {
	for calls, want := range map[int]string{1: "[Left out after 1 call; c0 is", 3: "[Left out after 3 calls; c0 is"} {
		c := converse(t, fmt.Sprintf(`{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","ttl":%d,"stub":true}]}`, calls), provider.Messages, "m-1")
		c.sends(turnOf(c.api, 0, "a thought", longText)...)
		for n := range calls {
			one := []any{map[string]any{"type": "text", "text": "Two at once."}}
			results := []any{}
			for _, turn := range [][]any{turnOf(c.api, 2*n+1, "", "x"), turnOf(c.api, 2*n+2, "", "y")} {
				one = append(one, turn[0].(map[string]any)["content"].([]any)...)
				results = append(results, turn[1].(map[string]any)["content"].([]any)...)
			}
			c.sends(map[string]any{"role": "assistant", "content": one}, map[string]any{"role": "user", "content": results})
		}
		if got := c.text("c0"); !strings.HasPrefix(got, want) {
			t.Errorf("%.60q, want %s", got, want)
		}
	}
}

// A request says which parts have another form than when it was asked last, and which do not go as they came.
func TestARequestSaysWhatChanged(t *testing.T) {
	c := converse(t, `{}`, provider.Chat, "m")
	q := c.asks(append(turnOf(c.api, 0, "", longText), turnOf(c.api, 1, "", longText)...)...)
	expect := func(what string, changed, formed []int) {
		t.Helper()
		must(t, q.Follow(c.list))
		if got := q.Changed(); !slices.Equal(got, changed) || !slices.Equal(q.Formed(), formed) {
			t.Errorf("%s: changed are %v, and %v are not as they came, want %v and %v", what, got, q.Formed(), changed, formed)
		}
	}
	at := func(call string) int { return q.results[call] }
	decide := func(call string, action Action) {
		c.list.Add(Decision{Action: action, Key: q.Parts[at(call)].Key, ID: call, Since: "c1", Text: canon.String("short")})
	}
	expect("as it came", nil, nil)
	decide("c1", Left)
	expect("one left", []int{at("c1")}, []int{at("c1")})
	expect("again", nil, []int{at("c1")})
	decide("c0", Left)
	expect("the one before", []int{at("c0")}, []int{at("c0"), at("c1")})
	decide("c1", Raw)
	expect("one came back", []int{at("c1")}, []int{at("c0")})
}

// What it may cost that all comes back is what it is written for, and the notes that half as many further calls read: from the
// cache where a request is cached.
func TestWhatItCostsThatAllComesBack(t *testing.T) {
	for _, marked := range []bool{true, false} {
		c := converse(t, `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","ttl":2,"stub":true}]}`, provider.Messages, "claude-opus-5")
		c.ledger = NewLedger(func(string) (Price, bool) { return pricesOfTest, true })
		c.fields["system"] = strings.Repeat("Be kind. ", 600)
		write, read := 5e-6, 5e-6
		if marked {
			c.fields["cache_control"] = map[string]any{"type": "ephemeral"}
			write, read = 6.25e-6, 0.5e-6
		}
		for n := range 4 {
			c.sends(turnOf(c.api, n, "", longText)...)
			whole, notes := 0.0, 0.0
			for _, i := range c.last.Formed() {
				p := &c.last.Parts[i]
				whole += c.last.sum.counts.TokensOf(p.sized())
				notes += c.last.sum.counts.estimate(Sized{Size: int64(len(p.form.Text))})
			}
			want := float64(int64(whole))*write + float64(n+1)/2*float64(int64(notes))*read
			if got := c.last.worstCost(); math.Abs(got-want) > 1e-9 || n > 1 && want == 0 {
				t.Errorf("marked: %t, call %d: %.9f, want %.9f", marked, n, got, want)
			}
		}
	}
}

// In a response of Gemini a note stands for the text alone: what stands around it stays, and counts. One without an id, or with
// an image beside it, goes as it came.
func TestResponsesOfGemini(t *testing.T) {
	for name, x := range map[string]struct {
		id    string
		parts []any
		left  bool
	}{"with other members": {"c1", nil, true}, "without an id": {"", nil, false},
		"with an image": {"c1", []any{map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "aGk="}}}, false}} {
		c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","ttl":1,"stub":true}]}`, provider.Gemini, "gemini-3-pro")
		call, response := map[string]any{"name": "ls"}, map[string]any{"name": "ls", "response": map[string]any{"output": longText, "exit_code": 1}}
		if x.id != "" {
			call["id"], response["id"] = x.id, x.id
		}
		if x.parts != nil {
			response["parts"] = x.parts
		}
		said := func(role, name string, of any) any {
			return map[string]any{"role": role, "parts": []any{map[string]any{name: of}}}
		}
		c.said = []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "Look."}}}}
		c.sends(said("model", "functionCall", call), said("user", "functionResponse", response))
		c.sends(map[string]any{"role": "model", "parts": []any{map[string]any{"text": "I see."}}},
			map[string]any{"role": "user", "parts": []any{map[string]any{"text": "And?"}}})
		if got := c.formed(); (got == "left c1") != x.left || !x.left && got != "" {
			t.Fatalf("%s: %q", name, got)
		}
		for _, i := range c.last.Formed() {
			p, is := &c.last.Parts[i], c.last.sentForm().parts[i]
			if is.Size != p.size-int64(p.Bytes)+int64(len(p.form.Text)) || is.Size <= int64(len(p.form.Text)) || is.Result {
				t.Errorf("%s: %+v for a response of %d bytes with a text of %d", name, is, p.size, p.Bytes)
			}
		}
	}
}

// A note is words, whatever the tool said; a result that was shortened, or has another behind it, is what the tool said.
func TestWhatIsOnlyANote(t *testing.T) {
	for action, want := range map[Action]bool{Left: true, Same: true, Cleared: true, Shaped: false, Whole: false, Raw: false} {
		if got := (&Decision{Action: action}).OnlyNotes(); got != want {
			t.Errorf("%s: %t", action, got)
		}
	}
}
