package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// Random conversations, with forks, retries, parallel calls and recorders that end, under random policies: the provider refuses
// nothing, what is sent is in the store, what was asked comes back, and requests repeat what the conversation sent before, but
// where a batch went. With when now and a lifetime alone, a naive model says what every request has.
func TestManagedConversations(t *testing.T) {
	cut, shaped, batches, cleared := 0, 0, 0, 0
	for seed := range uint64(testrun.Size(t, 12, 60, 1000)) {
		m := &managedRun{T: t, r: rand.New(rand.NewPCG(26, seed)), seed: seed, s: pact.NewDB(store.NewMemory()),
			since: map[string][]string{}}
		m.run()
		cut, shaped, batches, cleared = cut+m.cut, shaped+m.shaped, batches+m.batches, cleared+m.cleared
	}
	t.Logf("%d results and thoughts left in %d batches, of them %d by the provider", cut, batches, cleared)
	if cut == 0 || shaped == 0 || cleared == 0 {
		t.Errorf("%d left, %d were shaped, %d cleared", cut, shaped, cleared)
	}
}

type managedRun struct {
	*testing.T
	r    *rand.Rand
	seed uint64
	s    *pact.DB
	name provider.API
	ttl  int64
	when string
	only bool // nothing but a lifetime of results
	stub bool // a stub names each result that goes

	options      record.Options
	rec          *record.Recorder
	p            *providertest.Provider
	agents       []*managedAgent
	cut, batches int
	shaped       int
	cleared      int // by the provider, at most in a request
	asked        []string
	since        map[string][]string // by the call of a result that was left out, the newest calls of the requests that did so
}

// managedAgent is a conversation, and what it sent last.
type managedAgent struct {
	*agent
	open    []string // calls without results
	sent    []json.RawMessage
	cleared int // how many results the provider was asked to leave out
	batches int // that went in all conversations until then
}

func (m *managedRun) run() {
	m.Helper()
	m.name = managedAPIs[m.r.IntN(len(managedAPIs))]
	m.ttl, m.when = int64(1+m.r.IntN(4)), []string{"now", "cold", "pays"}[m.r.IntN(3)]
	m.stub = m.r.IntN(2) == 0
	if m.seed%4 == 0 { // the provider is asked to leave results out
		m.name, m.when, m.stub = provider.Messages, "now", false
	}
	rules := fmt.Sprintf(`{"select":".cb[kind='result']","ttl":%d,"stub":%v}`, m.ttl, m.stub)
	m.only = m.r.IntN(2) == 0
	if !m.only {
		rules = fmt.Sprintf(`{"select":".cb[kind='thinking']","ttl":%d},{"select":"[kind='result'][bytes>900]","head":200,"tail":200,"ttl":%d},%s`,
			m.r.IntN(3), m.ttl, rules)
	}
	m.options = record.Options{Context: "chat", Manage: true, Policy: policyOf(m, `{"when":"`+m.when+`","rules":[`+rules+`]}`)}
	var script []providertest.Turn
	thinks := m.r.IntN(2) == 0
	for n := range 60 {
		turn := providertest.Turn{Text: fmt.Sprint("step ", n)}
		for k := range m.r.IntN(3) {
			turn.Calls = append(turn.Calls, providertest.Call{ID: fmt.Sprintf("c%d_%d", n, k), Name: "ls", Arguments: "{}"})
		}
		if thinks && m.name != provider.Chat {
			turn.Thinking = fmt.Sprint(strings.Repeat("thought ", 20), n)
		}
		script = append(script, turn)
		if m.r.IntN(8) == 0 {
			script = append(script, providertest.Turn{Status: 500})
		}
	}
	var url string
	m.p, url = startProvider(m.T, script...)
	record.SetMostPlain(m.T, []int{0, 1 << 10}[m.seed%2]) // what is forgotten is looked up again
	m.rec = recorder(m.T, m.s, m.options)
	a := &managedAgent{agent: newAgent(m.T, m.name, url, m.rec.Transport(nil), m.r.IntN(2) == 0)}
	if m.name == provider.Messages {
		a.body["model"] = []string{"claude-fable-5-1", "claude-opus-5", "m-1"}[m.r.IntN(3)]
		a.body["cache_control"] = map[string]any{"type": "ephemeral"}
	}
	if m.name == provider.Gemini && m.r.IntN(2) == 0 { // a model that refuses calls without their signatures
		a.url = strings.Replace(a.url, "m-1", "gemini-3-pro-preview", 1)
	}
	m.agents = append(m.agents, a)
	for range 12 + m.r.IntN(20) {
		m.step()
	}
	m.end()
	m.compare()
}

// end ends the recorder.
func (m *managedRun) end() {
	m.rec.Close()
	got := m.rec.Stats()
	if got.Managed.Open+got.Managed.Ended+got.NotRecorded > 0 {
		m.Fatalf("seed %d: %+v", m.seed, got)
	}
}

func (m *managedRun) step() {
	a := m.agents[m.r.IntN(len(m.agents))]
	switch m.r.IntN(8) {
	case 0:
		m.end()
		m.rec = recorder(m.T, m.s, m.options)
		for _, a := range m.agents {
			a.client.Transport = m.rec.Transport(nil)
		}
	case 1:
		if len(a.open) > 0 || len(m.agents) > 2 {
			break
		}
		fork := *a.agent
		fork.said, fork.client = slices.Clone(a.said), a.client
		m.agents = append(m.agents, &managedAgent{agent: &fork, sent: slices.Clone(a.sent), cleared: a.cleared, batches: a.batches})
	default:
		for _, id := range a.open {
			a.result(id, "ls", fmt.Sprint(id, " ", m.seed, " ", strings.Repeat("words ", 20+m.r.IntN(300))))
		}
		list := map[provider.API]string{provider.Messages: "content", provider.Gemini: "parts"}[m.name]
		if n := len(a.open); list != "" && n > 1 { // the results of one answer are one message
			all := a.said[len(a.said)-n:]
			for _, one := range all[1:] {
				first := all[0].(map[string]any)
				first[list] = append(first[list].([]any), one.(map[string]any)[list].([]any)...)
			}
			a.said = a.said[:len(a.said)-n+1]
		}
		if len(a.open) == 0 || m.name != provider.Messages && m.r.IntN(6) == 0 {
			a.ask(fmt.Sprint("question ", m.r.IntN(1000)))
		}
		m.call(a)
	}
}

// call sends a request until the provider answers it.
func (m *managedRun) call(a *managedAgent) {
	for {
		before := m.rec.Stats().Managed
		got, status, err := a.send(m.Context())
		must(m.T, err)
		now := m.rec.Stats().Managed
		m.cut, m.batches = m.cut+now.Cut-before.Cut, m.batches+now.Batches-before.Batches
		m.shaped += now.Shaped - before.Shaped
		received := m.p.Received()
		body := received[len(received)-1].Body
		m.asked = append(m.asked, string(a.lastBody))
		m.check(a, body, m.batches > a.batches)
		a.batches, a.sent, a.cleared = m.batches, said(m.T, m.name, body), clearedIn(m.T, body)
		if status == 500 {
			continue
		}
		if status != 200 || got.Failure != "" {
			m.Fatalf("seed %d: %d, %+v", m.seed, status, got)
		}
		m.answered(a, got)
		return
	}
}

// answered has an answer join the conversation.
func (m *managedRun) answered(a *managedAgent, got *provider.Answer) {
	var content any
	must(m.T, json.Unmarshal([]byte(got.Content.Value()), &content))
	switch m.name {
	case provider.Messages:
		a.said = append(a.said, map[string]any{"role": "assistant", "content": content})
	case provider.Responses:
		a.said = append(a.said, content.([]any)...)
	default:
		a.said = append(a.said, content)
	}
	a.open = nil
	for _, p := range provider.AnswerParts(m.name, got.Content) {
		if p.Kind == "call" {
			a.open = append(a.open, p.Call)
		}
	}
}

// check compares a request with the one before of its conversation, and with the naive model. A batch that went in
// another conversation with the same newest call holds for this one too.
func (m *managedRun) check(a *managedAgent, body []byte, batch bool) {
	m.Helper()
	now := said(m.T, m.name, body)
	for i, old := range a.sent {
		if i >= len(now) || !bytes.Equal(old, now[i]) && !batch {
			m.Fatalf("seed %d: no batch went, and what was sent at %d as\n%s\nis now\n%s", m.seed, i, old, now[min(i, len(now)-1)])
		}
	}
	cleared := clearedIn(m.T, body)
	if cleared != a.cleared && !batch {
		m.Fatalf("seed %d: no batch went, and the provider leaves out %d results, before %d", m.seed, cleared, a.cleared)
	}
	m.cleared = max(m.cleared, cleared)
	byProvider := !m.stub && m.name == provider.Messages && a.body["model"] != "m-1"
	if !m.only || m.when != "now" || a.body["model"] == "claude-fable-5-1" && !byProvider {
		return
	}
	// A result is left out if as many answers stand behind it as its lifetime has calls, or if it was left out before
	// since a call that the request has: a fork shares that call, and may have fewer answers behind the result.
	asked, age, old := said(m.T, m.name, a.lastBody), int64(0), 0
	newest := "" // call of the request
	for _, one := range asked {
		for _, call := range callIDs.FindAllSubmatch(one, -1) {
			newest = string(call[1])
		}
	}
	answer := false
	for i := len(asked) - 1; i >= 0; i-- {
		ofModel := bytes.Contains(asked[i], []byte(`"role":"assistant"`)) || bytes.Contains(asked[i], []byte(`"role":"model"`)) || bytes.Contains(asked[i], []byte(`"type":"function_call"`)) ||
			bytes.Contains(asked[i], []byte(`"type":"reasoning"`))
		if ofModel && !answer {
			age++
		}
		answer = ofModel
		isResult := bytes.Contains(asked[i], []byte("tool_call_id")) || bytes.Contains(asked[i], []byte("tool_use_id")) ||
			bytes.Contains(asked[i], []byte("function_call_output")) || bytes.Contains(asked[i], []byte("functionResponse"))
		want := asked[i]
		left := func(call string) bool {
			left := slices.ContainsFunc(m.since[call], func(since string) bool {
				return bytes.Contains(a.lastBody, []byte(`"`+since+`"`))
			})
			if age >= m.ttl && !left {
				m.since[call] = append(m.since[call], newest)
			}
			return left || age >= m.ttl
		}
		if isResult && byProvider { // the newest wait for others
			more := slices.ContainsFunc(asked[i:], func(m json.RawMessage) bool { return bytes.Contains(m, []byte(`"type":"tool_use"`)) })
			for _, id := range resultIDs.FindAllSubmatch(asked[i], -1) {
				if more && left(string(id[1])) {
					old++
				}
			}
		} else if isResult {
			want = naiveNote(m.T, asked[i], m.ttl, left)
		}
		if !bytes.Equal(now[i], want) {
			m.Fatalf("seed %d: after %d answers\n%s\nwas sent as\n%s, want\n%s", m.seed, age, asked[i], now[i], want)
		}
	}
	if old != cleared {
		m.Fatalf("seed %d: the provider leaves out %d results, want %d", m.seed, cleared, old)
	}
}

// clearedIn returns how many results a request asks to leave out: those of all uses of tools but the last ones.
func clearedIn(t *testing.T, body []byte) int {
	t.Helper()
	var asks struct {
		Field struct {
			Edits []struct{ Keep struct{ Value int } }
		} `json:"context_management"`
	}
	must(t, json.Unmarshal(body, &asks))
	if len(asks.Field.Edits) == 0 {
		return 0
	}
	return bytes.Count(body, []byte(`"type":"tool_use"`)) - asks.Field.Edits[0].Keep.Value
}

var resultIDs = regexp.MustCompile(`"tool_use_id":"(c[0-9]+_[0-9]+)"`)

var callIDs = regexp.MustCompile(`"(?:id|call_id)":"(c[0-9]+_[0-9]+)"`)

// naiveNote writes a message with results anew, with a note for each that left and is longer.
func naiveNote(t *testing.T, message json.RawMessage, ttl int64, left func(call string) bool) json.RawMessage {
	t.Helper()
	note := func(id string, content any) any {
		calls := fmt.Sprint(ttl, " calls")
		if ttl == 1 {
			calls = "1 call"
		}
		text := fmt.Sprintf("[Left out after %s; %s is its id. Only pact writes such notes.]", calls, id)
		if !left(id) || len(text) >= len(content.(string)) {
			return content
		}
		return text
	}
	var m map[string]any
	must(t, json.Unmarshal(message, &m))
	switch {
	case m["tool_call_id"] != nil:
		m["content"] = note(m["tool_call_id"].(string), m["content"])
	case m["call_id"] != nil:
		m["output"] = note(m["call_id"].(string), m["output"])
	case m["parts"] != nil:
		for _, part := range m["parts"].([]any) {
			one := part.(map[string]any)["functionResponse"].(map[string]any)
			says := one["response"].(map[string]any)
			says["output"] = note(one["id"].(string), says["output"])
		}
	default:
		for _, part := range m["content"].([]any) {
			one := part.(map[string]any)
			one["content"] = note(one["tool_use_id"].(string), one["content"])
		}
	}
	text, err := json.Marshal(m)
	must(t, err)
	return text
}

// compare checks that the store has what was sent, and gives back what was asked.
func (m *managedRun) compare() {
	m.Helper()
	var sent, asked []string
	list, err := pact.List(m.Context(), m.s)
	must(m.T, err)
	for _, i := range list {
		if strings.HasSuffix(i.Name, "/originals") {
			continue
		}
		c := opened(m.T, m.s, i.Name)
		first := int64(1)
		if origins, err := c.Origins(m.Context()); err == nil && len(origins) > 0 {
			first = origins[0].Cycle + 1
		}
		requests := record.NewRequests(c)
		for cycle := first; cycle <= i.Cycle+1; cycle++ {
			attempts, err := c.Attempts(m.Context(), cycle, cycle)
			must(m.T, err)
			if len(attempts) == 0 {
				continue
			}
			body, err := requests.Of(m.Context(), cycle, 0)
			must(m.T, err)
			was, err := record.Asked(m.Context(), m.s, body)
			if err != nil {
				m.Fatalf("seed %d: %s@c%d: %v", m.seed, i.Name, cycle, err)
			}
			sent, asked = append(sent, string(body.Bytes)), append(asked, string(was.Bytes))
		}
	}
	var received []string
	for _, r := range m.p.Received() {
		received = append(received, string(r.Body))
	}
	for what, pair := range map[string][2][]string{"sent": {received, sent}, "asked": {m.asked, asked}} {
		for _, list := range pair {
			slices.Sort(list)
		}
		if !slices.Equal(slices.Compact(pair[0]), slices.Compact(pair[1])) { // a retry is one more attempt of a cycle
			m.Fatalf("seed %d: what was %s is not in the store: %d bodies, %d there", m.seed, what, len(pair[0]), len(pair[1]))
		}
	}
}
