package record_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// talk is a recorded conversation with a provider that caches, and a clock that
// both read.
type talk struct {
	*agent
	store *pact.DB
	rec   *record.Recorder
	now   atomic.Int64
}

func newTalk(t *testing.T, name provider.API, script ...providertest.Turn) *talk {
	tk := &talk{store: pact.NewDB(store.NewMemory())}
	tk.now.Store(int64(48 * time.Hour)) // below a day, a clock counts from 0 and no time is known
	p, url := startProvider(t, script...)
	p.Clock(func() time.Time { return time.Unix(0, tk.now.Load()) })
	tk.rec = record.New(tk.store, record.Options{Context: "chat", Strict: true, Clock: tk.now.Load})
	t.Cleanup(tk.rec.Close)
	tk.agent = newAgent(t, name, url, tk.rec.Transport(nil), true)
	tk.body["model"] = map[provider.API]string{provider.Messages: "claude-sonnet-4-6", provider.Chat: "gpt-4.1",
		provider.Responses: "gpt-4.1"}[name]
	if name == provider.Gemini {
		delete(tk.body, "model")
	}
	tk.ask(strings.Repeat("A long beginning, so that a prefix is worth caching. ", 200))
	return tk
}

// mark puts a cache marker on the last message of a request to Anthropic, as
// agents do, and takes those of earlier messages away.
func (tk *talk) mark() {
	if tk.api != provider.Messages {
		return
	}
	for i, m := range tk.said {
		msg := m.(map[string]any)
		parts, ok := msg["content"].([]any)
		if !ok {
			parts = []any{map[string]any{"type": "text", "text": msg["content"]}}
		}
		for _, p := range parts {
			delete(p.(map[string]any), "cache_control")
		}
		if i == len(tk.said)-1 {
			parts[len(parts)-1].(map[string]any)["cache_control"] = map[string]any{"type": "ephemeral"}
			msg["content"] = parts
		} else if len(parts) == 1 && msg["role"] == "user" {
			msg["content"] = parts[0].(map[string]any)["text"]
		}
	}
}

// turn asks something and is answered, a second after the turn before.
func (tk *talk) turn(text string) {
	tk.Helper()
	tk.now.Add(int64(time.Second))
	tk.ask(text)
	tk.mark()
	tk.call()
}

func (tk *talk) prefixes(dialect string) (list []inspect.CallPrefix) {
	tk.Helper()
	tk.rec.Close()
	reports := prefixesOf(tk.Context(), opened(tk.T, tk.store, "chat"), dialect, nil)
	for p, err := range reports {
		must(tk.T, err)
		list = append(list, p)
	}
	again := 0
	for p, err := range reports { // each range begins anew
		if must(tk.T, err); again >= len(list) || !reflect.DeepEqual(p, list[again]) {
			tk.Fatalf("report %d of a second range is %+v", again, p)
		}
		again++
	}
	if again != len(list) {
		tk.Fatalf("a second range has %d reports of %d", again, len(list))
	}
	return list
}

// agreed checks that the provider read what was expected, on every call.
func agreed(t *testing.T, list []inspect.CallPrefix) {
	t.Helper()
	for _, p := range list {
		if expectation(&p) != "agrees" {
			e, _ := json.Marshal(p)
			t.Errorf("cycle %d: %s", p.Cycle, e)
		}
	}
}

// expectation says whether the provider read what its rules let expect, or less or more; "not told" if it did not say.
func expectation(p *inspect.CallPrefix) string {
	e, u := p.Expected, p.Provider
	if e == nil || u == nil || u.Read == nil {
		return "not told"
	}
	rules := provider.CacheRulesNamed(p.Dialect)
	least, most := int64(0), int64(0)
	switch {
	case e.Blocks == 0 || u.In != nil && *u.In < e.LeastTokens || e.Tokens != nil && *e.Tokens < e.LeastTokens:
	case e.Tokens == nil:
		if most = *u.In; rules.Marked {
			least = 1
		}
	case rules.Step > 1:
		least, most = max(0, (*e.Tokens/rules.Step-1)*rules.Step), *e.Tokens
	case rules.Step == 1:
		least, most = *e.Tokens, *e.Tokens
	default:
		least, most = 1, *e.Tokens
	}
	switch {
	case e.Unsure && *u.Read == 0:
	case *u.Read < least:
		return "read less"
	case *u.Read > most:
		return "read more"
	}
	return "agrees"
}

// What changes between two calls is named, and the provider reads what is left.
func TestACutIsNamed(t *testing.T) {
	counted, right := 0, 0 // breaks that the provider counted, and of these the ones with the cause that was made
	second := map[string]any{"name": "cat", "description": "prints a file"}
	attribution := func(id string) []any {
		return []any{map[string]any{"type": "text", "text": "x-anthropic-billing-header: cc_version=2; cch=" + id + ";"},
			map[string]any{"type": "text", "text": "Be kind."}}
	}
	for _, c := range []struct {
		what   string
		api    provider.API
		before func(*talk)
		change func(*talk)
		cause  string
		names  []string
		behind int // blocks of reasoning
	}{
		{"model", provider.Messages, nil, func(tk *talk) { tk.body["model"] = "claude-opus-4-8" }, "model",
			[]string{"claude-sonnet-4-6", "claude-opus-4-8"}, 2},
		{"tool", provider.Messages, nil, func(tk *talk) { tk.body["tools"] = append(tk.body["tools"].([]any), second) },
			"tools", []string{"cat"}, 2},
		{"effort", provider.Messages, nil, func(tk *talk) { tk.body["output_config"] = map[string]any{"effort": "low"} },
			"parameters", []string{"output_config"}, 2},
		{"system", provider.Messages, nil, func(tk *talk) { tk.body["system"] = "Be brief." }, "system", nil, 2},
		{"attribution", provider.Messages, func(tk *talk) { tk.body["system"] = attribution("1") },
			func(tk *talk) { tk.body["system"] = attribution("2") }, "", nil, 0},
		{"message", provider.Messages, nil, func(tk *talk) { tk.said[2].(map[string]any)["content"] = "another question" },
			"block", nil, 1},
		{"temperature", provider.Messages, nil, func(tk *talk) { tk.body["temperature"] = 1 }, "", nil, 0},
		{"effort", provider.Responses, nil, func(tk *talk) { tk.body["reasoning"] = map[string]any{"effort": "low"} },
			"parameters", []string{"reasoning.effort"}, 2},
		{"model", provider.Responses, nil, func(tk *talk) { tk.body["model"] = "gpt-5" }, "model",
			[]string{"gpt-4.1", "gpt-5"}, 2},
		{"tool", provider.Responses, nil, func(tk *talk) { tk.body["tools"] = append(tk.body["tools"].([]any), second) },
			"tools", []string{"cat"}, 2},
		{"effort", provider.Chat, nil, func(tk *talk) { tk.body["reasoning_effort"] = "low" }, "parameters",
			[]string{"reasoning_effort"}, 0},
	} {
		t.Run(string(c.api)+"/"+c.what, func(t *testing.T) {
			tk := newTalk(t, c.api, providertest.Turn{Thinking: "well", Text: "one"},
				providertest.Turn{Thinking: "so", Text: "two"})
			if c.before != nil {
				c.before(tk)
			}
			tk.turn("a")
			tk.turn("b")
			c.change(tk)
			tk.turn("c")
			tk.turn("d")
			list := tk.prefixes("")
			if len(list) != 4 {
				t.Fatalf("%d calls", len(list))
			}
			agreed(t, list)
			for i, p := range list {
				if (p.Cut != nil) != (i == 2 && c.cause != "") {
					t.Errorf("call %d has the cut %+v", i+1, p.Cut)
				}
			}
			p := list[2]
			if c.cause != "" && (p.Cut.Cause != c.cause || !slices.Equal(p.Cut.Names, c.names) || p.Cut.Reasoning != c.behind) {
				t.Errorf("the cut is %+v, want %s %s, %d blocks of reasoning behind", p.Cut, c.cause, c.names, c.behind)
			}
			if p.Attribution != (c.what == "attribution") {
				t.Errorf("attribution changed: %t", p.Attribution)
			}
			// The provider's own count says whether the change broke the cache; then it is the cause.
			for i, p := range list {
				if p.CacheBreak == nil {
					continue
				}
				counted++
				if p.CacheBreak.Cause.Kind == c.cause && i == 2 {
					right++
				} else {
					t.Errorf("call %d: the cause is %+v, and %s was changed", i+1, p.CacheBreak.Cause, c.what)
				}
			}
		})
	}
	t.Logf("of %d breaks that the provider counted, %d have the cause that was made", counted, right)
	if counted < 5 {
		t.Errorf("%d breaks were counted", counted)
	}
}

// A lifetime that ran out is no cut.
func TestALifetimeThatRanOutIsNoCut(t *testing.T) {
	for _, idle := range []time.Duration{4 * time.Minute, 6 * time.Minute} {
		tk := newTalk(t, provider.Messages)
		tk.turn("a")
		tk.turn("b")
		tk.now.Add(int64(idle))
		tk.turn("c")
		tk.turn("d")
		list := tk.prefixes("")
		agreed(t, list)
		p := list[2]
		if p.Cut != nil {
			t.Errorf("after %s the cut is %+v", idle, p.Cut)
		}
		if lapsed := p.Expected.Lapsed > 0; lapsed != (idle > 5*time.Minute) || lapsed != (*p.Provider.Read == 0) {
			t.Errorf("after %s: %+v, read %d", idle, p.Expected, *p.Provider.Read)
		}
		if (p.CacheBreak != nil) != (idle > 5*time.Minute) || p.CacheBreak != nil && p.CacheBreak.Cause.Kind != "idle" {
			t.Errorf("after %s: broke %+v", idle, p.CacheBreak)
		}
		if p.Expected.Lapsed > 0 && p.Expected.IdleSeconds != int64((idle+time.Second)/time.Second) {
			t.Errorf("unused for %d s", p.Expected.IdleSeconds)
		}
	}
}

func TestADialectThatNobodyKnows(t *testing.T) {
	tk := newTalk(t, provider.Chat)
	tk.turn("a")
	tk.rec.Close()
	for _, err := range prefixesOf(t.Context(), opened(t, tk.store, "chat"), "french", nil) {
		if err == nil || !strings.Contains(err.Error(), "french") {
			t.Errorf("%v", err)
		}
	}
}
