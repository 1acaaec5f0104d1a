package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// conversationGen draws a conversation message by message.
type conversationGen struct {
	*rand.Rand
	*testing.T
	odd   bool // whether results may be late, missing or several, which no provider takes
	next  int
	calls [][]*message
	list  []*message
	late  []string
}

func (d *conversationGen) say(m map[string]any) {
	text, err := json.Marshal(m)
	must(d, err)
	v, err := canon.ParseAny(text)
	must(d, err)
	d.list = append(d.list, newMessage(v))
}

// words are other ones every time.
func (d *conversationGen) words() string {
	d.next++
	return strings.TrimSpace(strings.Repeat(fmt.Sprint("w", d.next, " "), 1+d.Intn(30)))
}

// content is a text, or a list of parts.
func (d *conversationGen) content() any {
	if d.Intn(4) > 0 {
		return d.words()
	}
	parts := []any{}
	for range 1 + d.Intn(2) {
		parts = append(parts, map[string]any{"type": "text", "text": d.words()})
	}
	return parts
}

// answer is an answer of the model, with the results of its calls.
func (d *conversationGen) answer() {
	d.calls = append(d.calls, slices.Clone(d.list))
	m := map[string]any{"role": "assistant", "content": d.content()}
	var ids []string
	for range []int{0, 0, 1, 1, 2, 4}[d.Intn(6)] {
		d.next++
		ids = append(ids, fmt.Sprint("call_", d.next))
	}
	if len(ids) > 0 {
		var calls []any
		for _, id := range ids {
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": "f",
				"arguments": `{"a":"` + d.words() + `"}`}})
		}
		m["tool_calls"] = calls
		if d.Intn(2) == 0 {
			m["content"] = nil
		}
	}
	d.say(m)
	if d.odd && d.Intn(3) == 0 && len(d.late) > 0 {
		d.result(d.late[0])
		d.late = d.late[1:]
	}
	d.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids {
		switch {
		case d.odd && d.Intn(8) == 0:
			d.late = append(d.late, id)
			continue
		case d.odd && d.Intn(8) == 0:
			d.result(id)
		}
		d.result(id)
	}
}

func (d *conversationGen) result(id string) {
	d.say(map[string]any{"role": "tool", "tool_call_id": id, "content": d.words()})
}

// rewrite shortens an earlier result, as agents do with old observations, or
// an earlier question.
func (d *conversationGen) rewrite() {
	i := d.Intn(len(d.list))
	m := d.list[i]
	if m.role != "tool" && m.role != "user" {
		return
	}
	fields := map[string]any{"role": m.role, "content": d.words()}
	if id, ok := m.Get("tool_call_id"); ok {
		fields["tool_call_id"] = id.Text
	}
	d.list = slices.Clone(d.list)
	d.say(fields)
	d.list[i] = d.list[len(d.list)-1]
	d.list = d.list[:len(d.list)-1]
}

func genConversation(t *testing.T, rng *rand.Rand, odd, rewriting bool) *Conversation {
	d := &conversationGen{Rand: rng, T: t, odd: odd}
	for range rng.Intn(3) {
		d.say(map[string]any{"role": "system", "content": d.words()})
	}
	for range 2 + rng.Intn(12) {
		if len(d.list) == 0 || rng.Intn(3) == 0 {
			d.say(map[string]any{"role": "user", "content": d.content()})
		}
		d.answer()
		if rewriting && rng.Intn(4) == 0 {
			d.rewrite()
		}
	}
	d.say(map[string]any{"role": "user", "content": d.words()})
	s := calllog.Session{Name: "drawn", Unsent: requestOf(d.list), Replay: &calllog.Replay{Shape: calllog.ShapeOpenAI}}
	for _, list := range append(d.calls, d.list) {
		s.Calls = append(s.Calls, calllog.Call{Request: requestOf(list)})
	}
	return &Conversation{Session: &s}
}

// requestOf is the request of a call that was sent some messages.
func requestOf(list []*message) canon.Any {
	return canon.Fields("messages", canon.ArrayOf(valuesOf(list)...))
}

func valuesOf(list []*message) []canon.Any {
	values := make([]canon.Any, len(list))
	for i, m := range list {
		values[i] = m.Any
	}
	return values
}

// genPolicy draws a policy whose limits are some part of what a conversation
// has in the end.
func genPolicy(rng *rand.Rand, whole *pact.Context) (p lifecycle.Policy) {
	tr := tree.Of(whole.Working())
	sum := tr.Root().Summary()
	_, size := tr.ThreadSize()
	words := 0
	for entry := range sure.All(tree.Of(whole.Working()).All()) {
		n := entry.Node()
		words += len(strings.Fields(string(contentOfNode(n))))
	}
	some := func(of, one int) int {
		if rng.Intn(one) > 0 {
			return 0
		}
		return 1 + of*(5+rng.Intn(85))/100
	}
	pick := func(list ...string) string { return list[rng.Intn(len(list))] }
	p.MaxBytes, p.MaxTokens, p.MaxNodes, p.MaxTurns = some(int(size), 2), some(words, 2), some(sum.Nodes, 3),
		some(tr.Region(tree.Seq).Children().Len(), 4)
	for range rng.Intn(3) {
		part := lifecycle.Part{Kind: pick("result", "text", "call", "stub", ""), Region: pick("", "^seq", "^ah", "^sys")}
		if rng.Intn(2) == 0 {
			part.MaxTokens = 1 + words*rng.Intn(50)/100
		} else {
			part.MaxNodes = 1 + sum.Nodes*rng.Intn(50)/100
		}
		p.Parts = append(p.Parts, part)
	}
	p.ProtectTurns = rng.Intn(5)
	if rng.Intn(2) == 0 {
		p.Stub = pick("[...]", "[earlier messages were left out to save space]")
	}
	if rng.Intn(3) == 0 && (len(p.Parts) > 0 || p.MaxBytes+p.MaxTokens+p.MaxNodes+p.MaxTurns > 0) {
		p.MinTokens, p.MinBytes, p.Every = some(words/2, 2), some(int(size)/2, 2), some(9, 2)
	}
	p.Orphans = []lifecycle.Orphans{"", lifecycle.Keep, lifecycle.Refuse, lifecycle.Drop}[rng.Intn(4)]
	return p
}
