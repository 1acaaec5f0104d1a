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
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// conversationDraw draws a conversation message by message.
type conversationDraw struct {
	*rand.Rand
	*testing.T
	odd   bool // whether results may be late, missing or several, which no provider takes
	next  int
	calls [][]*message
	list  []*message
	late  []string
}

func (d *conversationDraw) say(m map[string]any) {
	text, err := json.Marshal(m)
	if err != nil {
		d.Fatal(err)
	}
	v, err := canon.ParseAny(text)
	if err != nil {
		d.Fatal(err)
	}
	list, err := messagesOf([]entry{{Any: v}})
	if err != nil {
		d.Fatal(err)
	}
	d.list = append(d.list, list[0])
}

// words are other ones every time.
func (d *conversationDraw) words() string {
	d.next++
	return strings.TrimSpace(strings.Repeat(fmt.Sprint("w", d.next, " "), 1+d.Intn(30)))
}

// content is a text, or a list of parts.
func (d *conversationDraw) content() any {
	if d.Intn(4) > 0 {
		return d.words()
	}
	parts := []any{}
	for range 1 + d.Intn(2) {
		parts = append(parts, map[string]any{"type": "text", "text": d.words()})
	}
	return parts
}

// answer is what the model says, with the results of what it calls.
func (d *conversationDraw) answer() {
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

func (d *conversationDraw) result(id string) {
	d.say(map[string]any{"role": "tool", "tool_call_id": id, "content": d.words()})
}

// rewrite shortens an earlier result, as agents do with old observations, or
// an earlier question.
func (d *conversationDraw) rewrite() {
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

func drawConversation(t *testing.T, rng *rand.Rand, odd, rewriting bool) *Conversation {
	d := &conversationDraw{Rand: rng, T: t, odd: odd}
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
	return &Conversation{Name: "drawn", Shape: ShapeOpenAI, calls: append(d.calls, slices.Clone(d.list)), final: d.list}
}

// Parallel calls, texts beside calls, results in another order, lists of parts:
// what a provider would have taken it takes under every policy as well.
func TestDrawnConversationsUnderPressure(t *testing.T) {
	done := map[string]int{}
	rounds := 150
	if thorough() {
		rounds = 3000
	}
	for i := range rounds {
		rng := rand.New(rand.NewSource(int64(i)))
		c := drawConversation(t, rng, false, false)
		p := replay(t, rng, i, c, done)
		p.context(p.made(c))
	}
	t.Logf("what was seen, how often: %v", done)
	for _, what := range []string{"snapshots", "pruned", "stubs", "waiting", "exceeded", "protected"} {
		if done[what] == 0 {
			t.Errorf("the policies never made a snapshot of this kind: %s", what)
		}
	}
}

func replay(t *testing.T, rng *rand.Rand, i int, c *Conversation, done map[string]int) *pressure {
	t.Helper()
	whole, err := Import(t.Context(), store.NewMemory(), "whole", c, nil)
	if err != nil {
		t.Fatal(err)
	}
	policy := drawPolicy(rng, whole)
	return &pressure{t, fmt.Sprintf("draw %d under %+v", i, policy), policy, wordCounter{}, done, false}
}

func (p *pressure) made(c *Conversation) *pact.Context {
	p.Helper()
	made, err := Import(p.Context(), store.NewMemory(), "pruned", c,
		&ImportOptions{CreateOptions: pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: p.counter}},
			Policy: p.policy})
	if err != nil {
		p.Fatalf("%s: %v", p.what, err)
	}
	return made
}

// Where results are late, missing, or several, no policy but one that drops
// orphans makes it worse: what has no other half had none in the conversation.
func TestOddConversationsUnderPressure(t *testing.T) {
	rounds := 100
	if thorough() {
		rounds = 2000
	}
	for i := range rounds {
		rng := rand.New(rand.NewSource(int64(i)))
		c := drawConversation(t, rng, true, false)
		p := replay(t, rng, i, c, map[string]int{})
		if p.policy.Orphans == lifecycle.Refuse || p.policy.Orphans == lifecycle.Drop {
			p.policy.Orphans = lifecycle.Keep
		}
		made := p.made(c)
		for n, list := range c.calls {
			text := sentAt(t, made, n+1)
			had := loneIDs(chatMessages(t, rawList(list)))
			for _, id := range loneIDs(chatMessages(t, text)) {
				if !slices.Contains(had, id) {
					t.Fatalf("%s: in snapshot %d %s is alone, which it was not\n%s", p.what, n+1, id, text)
				}
			}
		}
		p.holds(made)
	}
}

// sentAt is what a snapshot gives OpenAI.
func sentAt(t *testing.T, c *pact.Context, cycle int) []byte {
	t.Helper()
	s, err := c.At(t.Context(), pact.Cycle(int64(cycle)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := OpenAI(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func rawList(list []*message) []byte {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = string(m.Value())
	}
	return []byte("[" + strings.Join(texts, ",") + "]")
}

// Where earlier messages are rewritten, what was said instead is there, whatever
// the policy protects or leaves stubs of.
func TestRewrittenConversationsUnderPressure(t *testing.T) {
	rounds := 100
	if thorough() {
		rounds = 2000
	}
	for i := range rounds {
		rng := rand.New(rand.NewSource(int64(i)))
		c := drawConversation(t, rng, false, true)
		p := replay(t, rng, i, c, map[string]int{})
		p.policy.Orphans = lifecycle.Keep
		made := p.made(c)
		for n, list := range c.calls {
			text := sentAt(t, made, n+1)
			if faults := pairingFaults(t, text); len(faults) > 0 {
				t.Fatalf("%s: snapshot %d: %q\n%s", p.what, n+1, faults, text)
			}
			p.partOf(n+1, text, list)
		}
		p.holds(made)
	}
}

// partOf: the messages of a snapshot are those of the list, in order, some left
// out, some with fewer calls or parts or in two with a stub between, and stubs.
func (p *pressure) partOf(n int, text []byte, list []*message) {
	p.Helper()
	at := 0
	for _, m := range chatMessages(p.T, text) {
		said := string(m.Content)
		if p.policy.Stub != "" && said == string(canon.String(p.policy.Stub)) {
			continue
		}
		for at < len(list) && !partOfMessage(m, list[at]) {
			at++
		}
		if at == len(list) {
			p.Fatalf("%s: snapshot %d has the message %+v, which is not what was sent\n%s\n%s", p.what, n, m, text,
				rawList(list))
		}
	}
}

func partOfMessage(m chatMessage, of *message) bool {
	whole := string(of.Value())
	for _, c := range m.ToolCalls {
		if !strings.Contains(whole, `"`+c.ID+`"`) {
			return false
		}
	}
	said := strings.Trim(string(m.Content), "[]")
	return m.Role == of.role && strings.Contains(whole, `"`+m.answers()) &&
		(said == "null" || strings.Contains(whole, said))
}
