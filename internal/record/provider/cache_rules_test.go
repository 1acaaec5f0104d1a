package provider

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// What the tables say, the documentation says, with where it comes from.
func TestTheDocumentationHasTheTables(t *testing.T) {
	page, err := os.ReadFile("../../../docs/providers.md")
	must(t, err)
	for _, d := range allCacheRules() {
		words := append([]string{"`" + d.Name + "`"}, d.Sources...)
		for i := range d.Settings {
			if d.Settings[i].Holds == "" {
				words = append(words, "`"+d.Settings[i].Name()+"`")
			}
		}
		for _, word := range words {
			if !strings.Contains(string(page), word) {
				t.Errorf("docs/providers.md does not have %s of %s", word, d.Name)
			}
		}
		if !d.NoCache && len(d.Sources) == 0 {
			t.Errorf("%s has no source", d.Name)
		}
	}
}

func TestTheTableOfAnAPI(t *testing.T) {
	for name, want := range map[API]string{Messages: "anthropic", Chat: "openai",
		Responses: "responses", Gemini: "gemini", "another": "other"} {
		if got := CacheRulesOf(name); got.Name != want || CacheRulesNamed(want) != got {
			t.Errorf("%s has the rules %s", name, got.Name)
		}
		if form := FormOf(name); form != "" && form != want { // users choose both by one list of names
			t.Errorf("%s has the form %s and the rules %s", name, form, want)
		}
	}
	if CacheRulesNamed("") != nil {
		t.Error("no name names rules")
	}
}

// Models are told by how their names begin, also where a router wrote another
// name before it.
func TestLengthsAndLifetimesOfModels(t *testing.T) {
	for _, c := range []struct {
		rules, model, word string
		least              int64
		sure, most         time.Duration
	}{
		{"anthropic", "claude-opus-5-5", "", 512, 5 * time.Minute, 5 * time.Minute},
		{"anthropic", "claude-haiku-4-5-20251001", "1h", 4096, time.Hour, time.Hour},
		{"anthropic", "anthropic/claude-sonnet-4-5", "5m", 1024, 5 * time.Minute, 5 * time.Minute},
		{"anthropic", "kimi-k3", "", 0, 5 * time.Minute, 5 * time.Minute},
		{"openai", "gpt-4.1", "", 1024, 5 * time.Minute, time.Hour},
		{"openai", "gpt-4.1", "24h", 1024, 5 * time.Minute, 24 * time.Hour},
		{"responses", "gpt-5.6-sol", "", 1024, 30 * time.Minute, 0},
		{"responses", "gpt-6", "12h", 1024, 12 * time.Hour, 0},
		{"openai", "qwen", "", 0, 0, 0},
		{"gemini", "gemini-2.5-pro", "", 2048, 0, 0},
		{"gemini", "gemini-3.8-flash", "", 4096, 0, 0},
	} {
		d := CacheRulesNamed(c.rules)
		life := d.LifetimeOf(c.model, c.word)
		if got := d.LeastTokens(c.model); got != c.least || life.Sure != c.sure || life.Most != c.most {
			t.Errorf("%s: at least %d tokens, for %s to %s", c.model, got, life.Sure, life.Most)
		}
	}
}

// The first thing that differs in the provider's order is the cause.
func TestCauses(t *testing.T) {
	const base = `{"model":"a","tools":[{"name":"x"},{"name":"y"}],"system":"s","messages":[
		{"role":"user","content":"1"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"g"},
		{"type":"text","text":"2"}]},{"role":"user","content":"3"}]}`
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for _, c := range []struct {
		what, body string
		blocks     int
		cause      Cause
		names      []string
		reasoning  int
	}{
		{"nothing", base, 7, "", nil, 0},
		{"a marker", with(`"content":"3"`, `"content":[{"type":"text","text":"3","cache_control":{"type":"ephemeral"}}]`),
			7, "", nil, 0},
		{"a parameter that is not cached", with(`"model":"a"`, `"model":"a","max_tokens":9`), 7, "", nil, 0},
		{"the model and a tool", with(`"model":"a"`, `"model":"b"`, `"name":"y"`, `"name":"z"`), 0, CauseModel,
			[]string{"a", "b"}, 1},
		{"a tool that came", with(`{"name":"y"}`, `{"name":"y"},{"name":"z"}`), 2, CauseTools, []string{"z"}, 1},
		{"a tool that went", with(`{"name":"x"},`, ``), 0, CauseTools, []string{"x"}, 1},
		{"tools in another order", with(`{"name":"x"},{"name":"y"}`, `{"name":"y"},{"name":"x"}`), 0, CauseTools,
			[]string{"y", "x"}, 1},
		{"a tool and the system prompt", with(`"name":"y"`, `"name":"z"`, `"s"`, `"S"`), 1, CauseTools,
			[]string{"y", "z"}, 1},
		{"the system prompt", with(`"system":"s"`, `"system":"S"`), 2, CauseSystem, nil, 1},
		{"no system prompt", with(`"system":"s",`, ``), 2, CauseSystem, nil, 1},
		{"the speed", with(`"model":"a"`, `"model":"a","speed":"fast","tool_choice":{"type":"any"}`), 2, CauseParameters,
			[]string{"speed"}, 1},
		{"two parameters", with(`"model":"a"`, `"model":"a","thinking":{},"tool_choice":{"type":"any"}`), 3, CauseParameters,
			[]string{"tool_choice", "thinking"}, 1},
		{"the last message and a parameter", with(`"3"`, `"4"`, `"model":"a"`, `"model":"a","output_config":{}`), 3,
			CauseParameters, []string{"output_config"}, 1},
		{"the first message", with(`"1"`, `"0"`), 3, CauseBlock, nil, 1},
		{"the last message", with(`"3"`, `"4"`), 6, CauseBlock, nil, 0},
		{"an image", with(`{"role":"user","content":"3"}`, `{"role":"user","content":"3"},{"role":"user","content":[
			{"type":"image","source":{}}]}`), 3, CauseParameters, []string{"any image"}, 1},
		{"one message less", with(`,{"role":"user","content":"3"}`, ``), 6, CauseBlock, nil, 0},
	} {
		d := CacheRulesNamed("anthropic")
		s := d.Compare(read(t, d, Messages, base), read(t, d, Messages, c.body))
		if s.Blocks != c.blocks || s.Cause != c.cause || !slices.Equal(s.Names, c.names) || s.Reasoning != c.reasoning ||
			s.Complete != (c.cause == "") || s.Of != 7 {
			t.Errorf("%s: %+v", c.what, s)
		}
	}
}

// Older models lose the thinking of a turn with the next question, unless the request says how much stays.
func TestThinkingOfEarlierTurns(t *testing.T) {
	const turn = `{"role":"user","content":"1"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"d"},
		{"type":"tool_use","id":"c","name":"x","input":{}}]},{"role":"user","content":[{"type":"tool_result",
		"tool_use_id":"c","content":"r"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"t"},
		{"type":"text","text":"2"}]}`
	const question = `,{"role":"user","content":"3"}`
	body := func(model, said, more string) string {
		return `{"model":"` + model + `"` + more + `,"messages":[` + said + `]}`
	}
	const clear = `,"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}`
	for _, c := range []struct {
		model, more string
		blocks      int
		cause       Cause
	}{
		{"claude-sonnet-4-5", "", 1, CauseThinking}, {"claude-haiku-4-5-20251001", "", 1, CauseThinking},
		{"claude-3-7-sonnet-20250219", "", 1, CauseThinking}, {"claude-opus-4-1", "", 1, CauseThinking},
		{"claude-opus-4-20250514", "", 1, CauseThinking}, {"anthropic/claude-sonnet-4-20250514", "", 1, CauseThinking},
		{"claude-sonnet-4-5", clear, 6, ""}, {"claude-sonnet-4-6", "", 6, ""}, {"claude-opus-4-5", "", 6, ""},
		{"claude-opus-5-5", "", 6, ""}, {"another", "", 6, ""},
	} {
		older := read(t, anthropicCache, Messages, body(c.model, turn, c.more))
		newer := read(t, anthropicCache, Messages, body(c.model, turn+question, c.more))
		if s := anthropicCache.Compare(older, newer); s.Blocks != c.blocks || s.Cause != c.cause || s.ApartChanged {
			t.Errorf("%s%s: %+v", c.model, c.more, s)
		}
	}
}

// A document that is to be cited changes what stands before all messages.
func TestCitations(t *testing.T) {
	body := func(citations string) *Prompt {
		return read(t, anthropicCache, Messages, `{"model":"claude-a","system":"s","messages":[{"role":"user","content":[
			{"type":"text","text":"1"},{"type":"document","source":{}`+citations+`}]}]}`)
	}
	with, without, off := body(`,"citations":{"enabled":true}`), body(""), body(`,"citations":{"enabled":false}`)
	if s := anthropicCache.Compare(without, with); s.Blocks != 0 || s.Cause != CauseParameters ||
		s.Names[0] != "citations" {
		t.Errorf("turned on: %+v", s)
	}
	if s := anthropicCache.Compare(without, off); s.Blocks != 2 || s.Cause != CauseBlock {
		t.Errorf("off, as it was: %+v", s)
	}
}

// A request without any message has nothing that a parameter of the messages
// could end.
func TestASettingWithoutMessages(t *testing.T) {
	d := CacheRulesNamed("anthropic")
	older := read(t, d, Messages, `{"model":"a","system":"s"}`)
	newer := read(t, d, Messages, `{"model":"a","system":"s","thinking":{},"messages":[]}`)
	if s := d.Compare(older, newer); !s.Complete {
		t.Errorf("%+v", s)
	}
}

// A marker on a text that the provider removes has what stands before it cached, which has no marker in that request. A
// marker there reads it, and not after a report that nothing was cached.
func TestAMarkerOnWhatIsRemoved(t *testing.T) {
	const body = `{"model":"m","system":[{"type":"text","text":"Be kind."%s},
		{"type":"text","text":"x-anthropic-billing-header: a"%s}],"messages":[{"role":"user","content":"a"}]}`
	const marker = `,"cache_control":{"type":"ephemeral"}`
	removed := read(t, anthropicCache, Messages, fmt.Sprintf(body, "", marker))
	before := read(t, anthropicCache, Messages, fmt.Sprintf(body, marker, ""))
	zero := int64(0)
	for want, u := range []Usage{{Cached: &zero, Written: &zero}, {}} {
		c := anthropicCache.NewCache()
		c.Call(removed, time.Unix(0, 0))
		c.Answered(u)
		if f := c.Forecast(before, time.Unix(60, 0)); f.Blocks != want {
			t.Errorf("%+v, want %d blocks", f, want)
		}
		if f := c.Forecast(removed, time.Unix(60, 0)); f.Blocks != want {
			t.Errorf("%+v, want %d blocks of the same request", f, want)
		}
	}
}
