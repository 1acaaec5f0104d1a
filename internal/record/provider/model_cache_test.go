package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// modelCache is Anthropic's cache by its plainest reading: a list of the texts of
// all prefixes that were written, with when they were used. It counts a token for
// each character, and knows the true length of every prefix.
type modelCache struct {
	written []*modelEntry
}

type modelEntry struct {
	text string
	used time.Time
	life time.Duration
}

// modelCall is a request of the model: tools, system prompt and messages are
// texts of one letter, with markers.
type modelCall struct {
	model, choice           string
	tools, system, messages []modelBlock
}

type modelBlock struct {
	text string
	ttl  string // of the marker, "" for none
}

// prefixes returns the text of the prefix up to each block, and the blocks.
func (c *modelCall) prefixes() (texts []string, blocks []modelBlock) {
	text := "model " + c.model
	for section, list := range [][]modelBlock{c.tools, c.system, c.messages} {
		for _, b := range list {
			if section == 2 {
				text += "(" + c.choice + ")"
			}
			text += fmt.Sprint(section) + b.text
			texts, blocks = append(texts, text), append(blocks, b)
		}
	}
	return texts, blocks
}

func (m *modelCache) find(text string) *modelEntry {
	for _, e := range m.written {
		if e.text == text {
			return e
		}
	}
	return nil
}

// call returns how many blocks are read, and what the provider would count.
func (m *modelCache) call(c *modelCall, now time.Time) (blocks int, u Usage) {
	texts, all := c.prefixes()
	read, cached := int64(0), int64(0)
	for i := range all {
		if all[i].ttl == "" {
			continue
		}
		cached = int64(len(texts[i]))
		for back := 0; back < 20 && i-back >= 0; back++ {
			if e := m.find(texts[i-back]); e != nil && now.Sub(e.used) <= e.life {
				if i-back+1 > blocks {
					blocks, read = i-back+1, int64(len(texts[i-back]))
				}
				break
			}
		}
	}
	for i := range all {
		e := m.find(texts[i])
		if all[i].ttl != "" {
			if e == nil {
				e = &modelEntry{text: texts[i]}
				m.written = append(m.written, e)
			}
			e.used, e.life = now, 5*time.Minute
			if all[i].ttl == "1h" {
				e.life = time.Hour
			}
		} else if e != nil && i < blocks {
			e.used = now
		}
	}
	in, written := int64(0), max(0, cached-read)
	if len(texts) > 0 {
		in = int64(len(texts[len(texts)-1]))
	}
	return blocks, Usage{In: &in, Cached: &read, Written: &written}
}

// body writes a call as a request.
func (c *modelCall) body() string {
	marked := func(fields map[string]any, b modelBlock) map[string]any {
		if b.ttl != "" {
			fields["cache_control"] = map[string]any{"type": "ephemeral", "ttl": b.ttl}
		}
		return fields
	}
	body := map[string]any{"model": c.model, "tool_choice": c.choice}
	var tools, system, messages []any
	for _, b := range c.tools {
		tools = append(tools, marked(map[string]any{"name": b.text}, b))
	}
	for _, b := range c.system {
		system = append(system, marked(map[string]any{"type": "text", "text": b.text}, b))
	}
	for _, b := range c.messages {
		messages = append(messages, map[string]any{"role": "user", "content": []any{
			marked(map[string]any{"type": "text", "text": b.text}, b)}})
	}
	body["tools"], body["system"], body["messages"] = tools, system, messages
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// genCalls makes a conversation that grows, changes now and then anywhere, and
// moves its markers.
func genCalls(r *rand.Rand) []*modelCall {
	letters := func(n int) (list []modelBlock) {
		for range n {
			list = append(list, modelBlock{text: string(rune('a' + r.IntN(3)))})
		}
		return list
	}
	now := &modelCall{model: "m", choice: "x", tools: letters(r.IntN(3)), system: letters(r.IntN(2)),
		messages: letters(2)}
	var calls []*modelCall
	for range 12 {
		next := &modelCall{model: now.model, choice: now.choice}
		next.tools = append(next.tools, now.tools...)
		next.system = append(next.system, now.system...)
		next.messages = append(append(next.messages, now.messages...), letters(1+r.IntN(4)*r.IntN(8))...)
		switch r.IntN(12) {
		case 0:
			next.model = []string{"m", "n"}[r.IntN(2)]
		case 1:
			next.choice = []string{"x", "y"}[r.IntN(2)]
		case 2:
			next.tools = letters(r.IntN(3))
		case 3:
			next.system = letters(r.IntN(2))
		case 4:
			next.messages[r.IntN(len(next.messages))].text = "z"
		case 5:
			next.messages = next.messages[:1+r.IntN(len(next.messages))]
		}
		for _, list := range [][]modelBlock{next.tools, next.system, next.messages} {
			for i := range list {
				list[i].ttl = ""
				if r.IntN(8) == 0 || i == len(list)-1 && r.IntN(3) > 0 {
					list[i].ttl = []string{"5m", "1h"}[r.IntN(2)]
				}
			}
		}
		calls = append(calls, next)
		now = next
	}
	return calls
}

// What is expected to be read is what the model reads, on every call; where the
// tokens are known, they are what it counts.
func TestACacheAgreesWithModel(t *testing.T) {
	d := *anthropicCache
	d.Least = nil
	known, calls := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, c := &modelCache{}, d.NewCache()
		at := time.Unix(0, 0)
		for n, call := range genCalls(r) {
			at = at.Add(time.Duration(r.IntN(4)*r.IntN(4)*r.IntN(20)) * time.Minute)
			f := c.Call(read(t, &d, Messages, call.body()), at)
			blocks, u := m.call(call, at)
			if f.Blocks != blocks || f.Tokens != nil && *f.Tokens != *u.Cached || f.Unsure {
				t.Fatalf("seed %d, call %d: %+v, want %d blocks of %d tokens\n%s", seed, n, f, blocks, *u.Cached,
					call.body())
			}
			c.Answered(u)
			calls++
			if f.Tokens != nil {
				known++
			}
		}
	}
	if known < calls/4 {
		t.Errorf("of %d calls only %d had tokens that were known", calls, known)
	}
}

// Comparing agrees with comparing the texts of prefixes.
func TestComparingAgreesWithModel(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		var before *modelCall
		for n, call := range genCalls(r) {
			if before != nil {
				older, _ := before.prefixes()
				newer, _ := call.prefixes()
				want := 0
				for want < min(len(older), len(newer)) && older[want] == newer[want] {
					want++
				}
				s := anthropicCache.Compare(read(t, anthropicCache, Messages, before.body()),
					read(t, anthropicCache, Messages, call.body()))
				modelOnly := before.model != call.model
				if s.Blocks != want || s.Complete != (want == len(older) && !modelOnly) {
					t.Fatalf("seed %d, call %d: %+v, want %d\n%s\n%s", seed, n, s, want, before.body(), call.body())
				}
			}
			before = call
		}
	}
}

// Between what the provider promises and what it allows at most, a prefix may be there; then it is gone.
func TestALifetimeRunsOut(t *testing.T) {
	const body = `{"model":"gpt-4.1","messages":[{"role":"user","content":"a"}]}`
	for idle, want := range map[time.Duration][2]bool{4 * time.Minute: {}, 6 * time.Minute: {true, false}, 2 * time.Hour: {false, true}} {
		cache := chatCache.NewCache()
		cache.Call(read(t, chatCache, Chat, body), time.Unix(0, 0))
		f := cache.Call(read(t, chatCache, Chat, body), time.Unix(0, 0).Add(idle))
		if f.Unsure != want[0] || (f.Lapsed > 0) != want[1] {
			t.Errorf("after %s: %+v", idle, f)
		}
	}
}

// A call that neither reads nor writes has left nothing.
func TestAShortPromptIsNotCached(t *testing.T) {
	call := &modelCall{model: "m", choice: "x", messages: []modelBlock{{"a", "5m"}}}
	cache := anthropicCache.NewCache()
	zero, in := int64(0), int64(10)
	for range 2 {
		if f := cache.Call(read(t, anthropicCache, Messages, call.body()), time.Unix(0, 0)); f.Blocks != 0 {
			t.Errorf("%+v", f)
		}
		cache.Answered(Usage{In: &in, Cached: &zero, Written: &zero})
	}
}
