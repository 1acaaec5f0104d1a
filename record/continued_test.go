package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// apiForm is how a conversation is written for an API.
type apiForm struct {
	api, list string
	user      func(text string) string
	model     func(text string) string // the message that repeats an answer
	answer    func(text string) string
	system    bool                     // system messages stand among the others
	block     func(text string) string // what an answer has more of that has many blocks; nil if it has one
}

// many returns a form that says its text in 70 blocks.
func (f *apiForm) many(form func(string) string) func(string) string {
	return func(text string) string {
		block := f.block(text)
		return strings.Replace(form(text), block, block+strings.Repeat(","+block, 69), 1)
	}
}

var apiForms = []apiForm{
	{"openai.chat", "messages", filled(`{"role":"user","content":%s}`), filled(`{"role":"assistant","content":%s}`),
		filled(`{"choices":[{"message":{"role":"assistant","content":%s}}]}`), true, nil},
	{"anthropic.messages", "messages", filled(`{"role":"user","content":[{"type":"text","text":%s}]}`),
		filled(`{"role":"assistant","content":[{"type":"text","text":%s}]}`),
		filled(`{"type":"message","role":"assistant","content":[{"type":"text","text":%s}]}`), false,
		filled(`{"type":"text","text":%s}`)},
	{"openai.responses", "input", filled(`{"role":"user","content":%s}`),
		filled(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}`),
		filled(`{"object":"response","status":"completed","output":[{"type":"message","role":"assistant",` +
			`"content":[{"type":"output_text","text":%s}]}]}`), true, filled(`{"type":"output_text","text":%s}`)},
	{"gemini.generate", "contents", filled(`{"role":"user","parts":[{"text":%s}]}`), filled(`{"role":"model","parts":[{"text":%s}]}`),
		filled(`{"candidates":[{"content":{"role":"model","parts":[{"text":%s}]}}]}`), false, filled(`{"text":%s}`)},
}

func filled(form string) func(string) string {
	return func(text string) string { return fmt.Sprintf(form, canon.String(text)) }
}

// conversation draws calls with whole bodies, and the same calls as each continues the one before.
func (f *apiForm) conversation(random *rand.Rand, n int) (whole, continued []record.PastCall) {
	words := []string{"one", "<b> & two", "a hidden-word here", "grün", "€ 5", "😀", "half \xed\xa0\xbd", "\u2028\x7f\t\"\\\x01"}
	word := func() string { return words[random.IntN(len(words))] }
	asClients := strings.NewReplacer(`\u00fc`, "ü", `\u20ac`, `\u20AC`, `\ud83d\ude00`, "😀",
		"<", `\u003c`, "&", `\u0026`, `\t`, `\u0009`)
	var messages []string
	first, tools := "", ""
	for i := range n {
		goesOn, rewrites := i > 0, false
		switch random.IntN(16) {
		case 0:
			messages, goesOn = slices.Clone(messages[:random.IntN(len(messages)+1)]), false
		case 1:
			tools = fmt.Sprintf(`,"user":"u%d"`, random.IntN(3))
		case 2:
			first = fmt.Sprintf(`"aß":%s,`, canon.String(word()))
		case 3:
			if f.system {
				messages = append(messages, filled(`{"role":"system","content":%s}`)(word()))
			}
		case 4:
			rewrites = i > 0
		}
		before := len(messages)
		if len(whole) > 0 && goesOn {
			before = strings.Count(string(whole[i-1].Attrs["has"].(string)), "x")
		}
		for range random.IntN(3) {
			messages = append(messages, f.user(word()))
		}
		if len(messages) == 0 {
			messages = append(messages, f.user("hello"))
		}
		body := func(list []string) []byte {
			value, err := canon.Parse([]byte(`{` + first + `"` + f.list + `":[` + strings.Join(list, ",") + `],"model":"gpt-5"` + tools + `}`))
			if err != nil {
				panic(err)
			}
			return []byte(value)
		}
		answer, asAnswer, asMessage := word(), f.answer, f.model
		if f.block != nil && random.IntN(6) == 0 { // more blocks than a listing keeps the details of
			asAnswer, asMessage = f.many(f.answer), f.many(f.model)
		}
		call := record.PastCall{ID: fmt.Sprint(i), API: f.api, Status: 200, Answer: []byte(asAnswer(answer)), Started: int64(i+1) * 1e9,
			Ended: int64(i+1)*1e9 + 5e8, Attrs: map[string]any{"has": strings.Repeat("x", len(messages))}, Rewrites: rewrites}
		call.Body = body(messages)
		whole = append(whole, call)
		if goesOn {
			all := call.Body
			call.Body, call.Whole = body(messages[before:]), func() ([]byte, error) { return all, nil }
			if random.IntN(2) == 0 {
				call.Body = []byte(asClients.Replace(string(call.Body)))
			}
		}
		continued = append(continued, call)
		if messages = slices.Clip(messages); random.IntN(12) > 0 {
			messages = append(messages, asMessage(answer))
		}
	}
	return whole, continued
}

// TestContinuedCallsAgreeWithWholeOnes: a call that says only what is new is recorded as one with its whole body.
func TestContinuedCallsAgreeWithWholeOnes(t *testing.T) {
	random, went := rand.New(rand.NewPCG(3, 9)), 0
	for i := range testrun.Size(t, 24, 200, 2000) {
		form := apiForms[i%len(apiForms)]
		whole, continued := form.conversation(random, 3+random.IntN(20))
		var stores [2]string
		for n, calls := range [][]record.PastCall{whole, continued} {
			s := pact.NewDB(store.NewMemory())
			importer, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run", Redact: []*regexp.Regexp{regexp.MustCompile("hidden-word")}})
			must(t, err)
			for j := range calls {
				if calls[j].Whole != nil {
					went++
				}
				_, err := importer.Add(t.Context(), calls[j])
				must(t, err)
			}
			stores[n] = everything(t, s, importer.Contexts())
		}
		if stores[0] != stores[1] {
			t.Fatalf("%s: whole bodies give\n%s\ncontinued ones\n%s", form.api, stores[0], stores[1])
		}
	}
	if went == 0 {
		t.Error("no call continued another")
	}
}

// everything describes contexts: snapshots, log, requests and attempts.
func everything(t *testing.T, s *pact.DB, names []string) string {
	var text strings.Builder
	for _, name := range names {
		c := opened(t, s, name)
		first, last := c.Info().First, c.Info().Cycle
		requests := record.NewRequests(c)
		for i := first; i <= last; i++ {
			snapshot, err := c.At(t.Context(), pact.Cycle(i))
			must(t, err)
			fmt.Fprintln(&text, name, i, snapshot.Digest())
			body, err := requests.Of(t.Context(), i, 0)
			must(t, err)
			fmt.Fprintln(&text, body.SHA256, body.Redacted, string(body.Bytes))
		}
		attempts, err := c.Attempts(t.Context(), first, last+1)
		must(t, err)
		for _, a := range attempts {
			says, err := json.Marshal(a)
			must(t, err)
			fmt.Fprintf(&text, "%s\n", says)
		}
		for e, err := range c.Log(t.Context(), 0) {
			must(t, err)
			fmt.Fprintln(&text, e.Kind, e.Cycle, e.Message)
		}
	}
	return text.String()
}

// A call cannot continue one that was not added, or one of another API.
func TestACallContinuesTheOneBefore(t *testing.T) {
	chat, other := apiForms[0], apiForms[1]
	random := rand.New(rand.NewPCG(1, 1))
	for name, calls := range map[string][]record.PastCall{"none": nil, "another API": first(other.conversation(random, 1))} {
		importer, err := record.NewImporter(t.Context(), pact.NewDB(store.NewMemory()), record.ImportOptions{})
		must(t, err)
		for _, p := range calls {
			_, err := importer.Add(t.Context(), p)
			must(t, err)
		}
		p := first(chat.conversation(random, 1))[0]
		p.ID, p.Whole = "later", func() ([]byte, error) { return p.Body, nil }
		if _, err := importer.Add(t.Context(), p); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func first(a, _ []record.PastCall) []record.PastCall { return a }

// TestRecordsOfRequestsGrowAsTheCallsDo: the records of all requests together have each message a few times, and each request
// comes back from few of them.
func TestRecordsOfRequestsGrowAsTheCallsDo(t *testing.T) {
	form := apiForms[1]
	sizes := map[int]int{}
	for _, n := range []int{64, 256} {
		s := pact.NewDB(store.NewMemory())
		importer, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
		must(t, err)
		var body string
		for i := range n {
			message := form.user(fmt.Sprint("question ", i))
			if i > 0 {
				message = form.model(fmt.Sprint("answer ", i-1)) + "," + message
				body += ","
			}
			body += message
			call := record.PastCall{ID: fmt.Sprint(i), API: form.api, Status: 200,
				Body: fmt.Appendf(nil, `{"messages":[%s],"model":"m"}`, message), Answer: []byte(form.answer(fmt.Sprint("answer ", i)))}
			if i > 0 {
				call.Whole = func() ([]byte, error) { return fmt.Appendf(nil, `{"messages":[%s],"model":"m"}`, body), nil }
			}
			_, err := importer.Add(t.Context(), call)
			must(t, err)
		}
		c := opened(t, s, "run")
		sent, err := record.Request(t.Context(), c, int64(n), 0)
		must(t, err)
		want, err := canon.Parse([]byte(`{"messages":[` + body + `],"model":"m"}`))
		must(t, err)
		if string(sent.Bytes) != string(want) {
			t.Errorf("request %d has %d bytes that are not what was sent", n, len(sent.Bytes))
		}
		attempts, err := c.Attempts(t.Context(), 1, int64(n))
		must(t, err)
		for i := range attempts {
			sizes[n] += len(attempts[i].Request)
		}
		if !slices.Equal(importer.Contexts(), []string{"run"}) {
			t.Errorf("the contexts are %v", importer.Contexts())
		}
	}
	if sizes[256] > 5*sizes[64] {
		t.Errorf("the records of 64 requests have %d bytes, of 256 %d", sizes[64], sizes[256])
	}
}

// TestAWholeBodyIsAskedForSeldom: a conversation that goes on as an import knows is never asked for; one of which each
// second answer is left out, as often as its length doubles.
func TestAWholeBodyIsAskedForSeldom(t *testing.T) {
	form := apiForms[1]
	for leaves, most := range map[int]int{0: 0, 2: 10} {
		importer, err := record.NewImporter(t.Context(), pact.NewDB(store.NewMemory()), record.ImportOptions{})
		must(t, err)
		asked, all := 0, ""
		for i := range 200 {
			more := form.user(fmt.Sprint("question ", i))
			if i > 0 && (leaves == 0 || i%leaves != 0) {
				more = form.model(fmt.Sprint("answer ", i-1)) + "," + more
			}
			body := func(list string) []byte { return []byte(`{"messages":[` + list + `],"model":"m"}`) }
			call := record.PastCall{ID: fmt.Sprint(i), API: form.api, Body: body(more), Answer: []byte(form.answer(fmt.Sprint("answer ", i)))}
			all += "," + more
			if sent := all[1:]; i > 0 {
				call.Whole = func() ([]byte, error) {
					asked++
					return body(sent), nil
				}
			}
			_, err := importer.Add(t.Context(), call)
			must(t, err)
		}
		if asked > most || asked == 0 && most > 0 {
			t.Errorf("of a conversation that leaves out each %d. answer the whole body was asked for %d times", leaves, asked)
		}
	}
}
