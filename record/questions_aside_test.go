package record_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A check, a title and summaries get names that say what they are and whose, and leave the plain
// names to the work, whichever comes first. A later recorder goes on counting.
func TestQuestionsAsideAreNamed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"fine"}],`+
			`"stop_reason":"end_turn"}`)
	}))
	defer server.Close()
	const tools = `"tools":[{"name":"ls","input_schema":{"type":"object"}}],`
	const said = `{"role":"user","content":"mend it"},{"role":"assistant","content":[{"type":"text","text":"fine"}]},`
	requests := []string{
		`{"max_tokens":1,"messages":[{"role":"user","content":"quota"}]}`,
		`{"system":"Write a short Title for what the user says.","messages":[{"role":"user","content":"The user says: mend it"}]}`,
		`{` + tools + `"messages":[{"role":"user","content":"mend it"}]}`,
		`{` + tools + `"messages":[` + said + `{"role":"user","content":"and now?"}]}`,
		`{` + tools + `"messages":[{"role":"user","content":"another one, of its own"}]}`,
		`{"messages":[` + said + `{"role":"user","content":"and now?"},{"role":"user","content":"Write a summary."}]}`,
		`{"messages":[` + said + `{"role":"user","content":"and now?"},{"role":"user","content":"Summarize it."}]}`,
	}
	want := []string{"chat/check-1", "chat/title-1", "chat", "chat-2", "chat/summary-1", "chat/summary-2"}
	for _, together := range []bool{true, false} {
		s := pact.NewDB(store.NewMemory())
		var rec *record.Recorder
		for i, body := range requests {
			if rec == nil {
				rec = recorder(t, s, record.Options{Context: "chat", Strict: true})
			}
			client := &http.Client{Transport: rec.Transport(nil)}
			req, err := http.NewRequest(http.MethodPost, server.URL+"/v1/messages",
				strings.NewReader(strings.Replace(body, "{", `{"model":"m",`, 1)))
			must(t, err)
			req.Header.Set("X-Claude-Code-Session-Id", "one")
			wholeOf(t)(client.Do(req))
			if !together || i == len(requests)-1 {
				rec.Close()
				if names := rec.Contexts(); together && !slices.Equal(names, want) {
					t.Errorf("the contexts are %q, want %q", names, want)
				}
				if work := rec.MainContext(); together && work != "chat" {
					t.Errorf("the work is in %q", work)
				}
				rec = nil
			}
		}
		list, err := pact.List(t.Context(), s)
		must(t, err)
		var names []string
		for _, i := range list {
			names = append(names, i.Name)
		}
		sorted := slices.Sorted(slices.Values(want))
		if slices.Sort(names); !slices.Equal(names, sorted) {
			t.Errorf("with one recorder %v, the store has %q, want %q", together, names, sorted)
		}
	}
	for name, of := range map[string]string{"chat/summary-3": "chat", "a/b/title-12": "a/b", "chat": "", "chat-2": "",
		"chat/summary-0": "", "chat/summary-x": "", "/check-1": "", "chat/0": ""} {
		if got := record.AsideOf(name); got != of {
			t.Errorf("%s belongs to %q, want %q", name, got, of)
		}
	}
}

// Claude Code asks for the summary of all but the last answer, with its tools, and adds a line break to the
// last question (seen with 2.1.197). The conversation then goes on with the summary and that answer.
func TestTheCompactionOfClaudeCodeBelongsToItsConversation(t *testing.T) {
	t.Run("one recorder", func(t *testing.T) { compacts(t, false) })
	t.Run("a recorder for each call", func(t *testing.T) { compacts(t, true) })
}

func compacts(t *testing.T, again bool) {
	answers := []string{"It is 4711.", "<summary>4711 was printed.</summary>", "Fine."}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"`+answers[0]+
			`"}],"stop_reason":"end_turn"}`)
		answers = answers[1:]
	}))
	defer server.Close()
	s, o := pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Strict: true}
	rec := record.New(s, o)
	for _, messages := range []string{
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"What is it?"}]}`,
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"What is it?\n"},` +
			`{"type":"text","text":"CRITICAL: Respond with TEXT ONLY: an <analysis> block followed by a <summary> block."}]}`,
		`{"role":"user","content":[{"type":"text","text":"Today is Monday."},{"type":"text","text":"4711 was printed."}]},` +
			`{"role":"assistant","content":"It is 4711."},{"role":"user","content":"Go on."}`,
	} {
		req, err := http.NewRequest(http.MethodPost, server.URL+"/v1/messages", strings.NewReader(`{"model":"m",`+
			`"tools":[{"name":"ls","input_schema":{"type":"object"}}],"messages":[`+messages+`]}`))
		must(t, err)
		req.Header.Set("X-Claude-Code-Session-Id", "one")
		wholeOf(t)((&http.Client{Transport: rec.Transport(nil)}).Do(req))
		if again {
			rec.Close()
			rec = record.New(s, o)
		}
	}
	rec.Close()
	list, err := pact.List(t.Context(), s)
	must(t, err)
	if len(list) != 2 || list[0].Name != "chat" || list[1].Name != "chat/summary-1" {
		t.Errorf("the contexts are %v", list)
	}
	c, err := pact.Open(t.Context(), s, "chat", nil)
	must(t, err)
	if last := c.Info().Cycle; last != 2 {
		t.Errorf("the conversation has %d calls, want 2", last)
	}
}

// The originals of a conversation stand aside of it, those of a sub-agent without a context aside of its
// session; originals of no conversation in the list stay in it.
func TestOriginalsAreFolded(t *testing.T) {
	var all []history.Info
	for _, name := range []string{"chat", "chat/originals", "chat/title-1", "hook/s1", "hook/s1/a7/originals", "other/originals",
		"originals", "/originals"} {
		all = append(all, history.Info{Name: name})
	}
	shown, asides := record.FoldAsides(all)
	var names []string
	for _, i := range shown {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != "chat hook/s1 other/originals originals /originals" ||
		!maps.Equal(asides, map[string]int{"chat": 2, "hook/s1": 1}) {
		t.Errorf("%s and %v", got, asides)
	}
}

// pact and its agent are killed after pact recorded an answer and before the agent kept it. The agent goes on without that
// answer: a later recorder takes the request for the work, not for a question aside.
func TestWorkGoesOnWithoutTheAnswerThatAKillLost(t *testing.T) {
	p, url := startProvider(t, callTurns(4)...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	a.header.Set("X-Claude-Code-Session-Id", "one")
	a.body["system"] = "Be kind. Give a pull request a short title."
	a.ask("Look.")
	a.call()
	a.result("c0", "ls", "a file")
	_, _, err := a.send(t.Context()) // this answer is lost
	must(t, err)
	rec.Close()
	later := recorder(t, s, record.Options{Context: "chat"})
	a.client.Transport = later.Transport(nil)
	a.ask("Go on.")
	a.call()
	a.result("c2", "ls", "another file")
	a.call()
	later.Close()
	if names := later.Contexts(); !slices.Equal(names, []string{"chat"}) {
		t.Errorf("the later recorder recorded to %q", names)
	}
	if got := later.Stats(); got.NotRecorded > 0 || got.Calls != 2 {
		t.Errorf("%+v", got)
	}
	c := opened(t, s, "chat")
	sentAsReceived(t, c, p)
	log, err := c.Attempts(t.Context(), 1, 4)
	must(t, err)
	if len(log) != 4 {
		t.Errorf("%d attempts", len(log))
	}
}

// Pi and Qwen Code ask for the summary of a conversation under instructions of their own, and name no session: pi with
// the conversation in a text, mostly without the last messages, which it keeps, and twice if it parts a turn; Qwen Code with
// its beginning as it was sent. The conversation goes on with the summary in place of what it sums up.
func TestACompactionWithoutASessionIsAside(t *testing.T) {
	const tools, answer = `,"tools":[{"type":"function","function":{"name":"read"}}]`, "The longest line of the answer."
	const task, summary = "Look at all of the files!", "A summary of it all."
	body := func(system, tools string, said ...string) string {
		text := strings.Replace(talkOf(said...), "You classify.", system, 1)
		return strings.TrimSuffix(text, "}") + tools + "}"
	}
	whole := body("You write summaries of conversations.", "", "<conversation>[User]: "+task+" [Assistant]: "+answer+"</conversation>")
	first := body("You write summaries of conversations.", "", "<conversation>[User]: "+task+"</conversation>")
	prefix := body("You write summaries of conversations.", "", "<conversation>[User]: "+task+"</conversation> It is a PREFIX.")
	snapshot := body("You summarize internal chat history.", "", task, answer, "And now?", answer, "Write the snapshot.")
	for name, c := range map[string]struct {
		asks, then []string
		want       string
	}{
		"pi, all of it":          {[]string{whole, whole}, []string{"It was compacted to: " + summary}, "pi pi/summary-1"},
		"pi":                     {[]string{first, first}, []string{"It was compacted to: " + summary, "Fine.", "Go on."}, "pi pi/summary-1"},
		"pi, in other words":     {[]string{first}, []string{"It was compacted.", "Fine.", "Go on."}, "pi pi/summary-1"},
		"pi, the same task anew": {[]string{first}, []string{task}, "pi pi/summary-1 pi-2"},
		"pi, parts of a turn":    {[]string{first, prefix}, []string{"It was compacted to: " + summary, "Fine."}, "pi pi/summary-1 pi/summary-2"},
		"qwen":                   {[]string{snapshot, snapshot}, []string{"Compacted to: " + summary, "Got it.", "Go on."}, "qwen qwen/summary-1"},
	} {
		agent, _, _ := strings.Cut(name, ",")
		script := []providertest.Turn{{Text: answer}, {Text: "Fine."}, {Text: summary}, {Text: summary}, {Text: "Done."}}
		_, url := startProvider(t, script...)
		db := pact.NewDB(store.NewMemory())
		rec := recorder(t, db, record.Options{Context: agent})
		client := &http.Client{Transport: rec.Transport(nil)}
		for _, b := range slices.Concat([]string{body("You code.", tools, task), body("You code.", tools, task, answer, "And now?")}, c.asks,
			[]string{body("You code.", tools, c.then...)}) {
			req, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", strings.NewReader(b))
			must(t, err)
			req.Header.Set("Authorization", "Bearer "+apiKey)
			wholeOf(t)(client.Do(req))
		}
		rec.Close()
		if got := strings.Join(rec.Contexts(), " "); got != c.want {
			t.Errorf("%s: %s\n%s", name, got, logOf(t, db, agent))
		}
		var compacted []bool
		for p, err := range prefixesOf(t.Context(), opened(t, db, agent), "", nil) {
			must(t, err)
			compacted = append(compacted, p.Compacted)
		}
		if want := []bool{false, false, true}; !slices.Equal(compacted, want) && !strings.HasSuffix(c.want, " pi-2") {
			t.Errorf("%s: compacted %v", name, compacted)
		}
	}
}

// A request that has OpenAI compact a conversation is a question outside it, as it was sent and answered; the request
// with what it was compacted to goes on with the conversation. One that repeats the conversation still does as well.
func TestARequestToCompactBelongsToItsConversation(t *testing.T) {
	const hello, hi, more = `{"role":"user","content":"Hello"}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}`,
		`{"role":"user","content":"More"}`
	const compact = `{"id":"cmp_1","type":"compaction","encrypted_content":"b64"}`
	answer := func(id, items string) string {
		return `{"id":"` + id + `","object":"response","status":"completed","output":[` + items + `],"usage":{"input_tokens":9,"output_tokens":1}}`
	}
	compacted := `{"id":"r2","object":"response.compaction","created_at":1,"output":[` + hello + `,` + compact +
		`],"usage":{"input_tokens":70,"input_tokens_details":{"cached_tokens":64},"output_tokens":5}}`
	for name, c := range map[string]struct {
		header         string
		asks, then     string // the input of the request to compact, with what it names, and of the one behind it
		works, asksFor int    // cycles of the conversation, attempts of the question outside
		refused        bool   // it is refused, and sent again
	}{
		"by its input":          {"", `"input":[` + hello + `,` + hi + `]`, hello + `,` + compact + `,` + more, 2, 1, false},
		"by the answer":         {"", `"previous_response_id":"r1"`, compact + `,` + more, 2, 1, false},
		"of an agent":           {"Session-Id", `"input":[` + hello + `,` + hi + `]`, compact + `,` + more, 2, 1, false},
		"first refused":         {"", `"input":[` + hello + `,` + hi + `]`, hello + `,` + compact + `,` + more, 2, 2, true},
		"then not used":         {"", `"input":[` + hello + `,` + hi + `]`, hello + `,` + hi + `,` + more, 2, 1, false},
		"of an agent, not used": {"Session-Id", `"input":[` + hello + `,` + hi + `]`, hello + `,` + hi + `,` + more, 2, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []byte
			refused := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ = io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(r.URL.Path, "/compact") {
					if c.refused && !refused {
						refused = true
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					_, _ = io.WriteString(w, compacted)
				} else {
					_, _ = io.WriteString(w, answer("r1", hi))
				}
			}))
			defer server.Close()
			s := pact.NewDB(store.NewMemory())
			rec := record.New(s, record.Options{Context: "chat", Strict: true, Diagnose: true})
			send := func(path, input string) {
				t.Helper()
				body := `{"model":"gpt-6.2","tools":[{"type":"function","name":"ls"}], "instructions":"Be brief.",` + input + `}`
				req, err := http.NewRequest(http.MethodPost, server.URL+path, strings.NewReader(body))
				must(t, err)
				if c.header != "" {
					req.Header.Set(c.header, "one")
				}
				wholeOf(t)((&http.Client{Transport: rec.Transport(nil)}).Do(req))
				if strings.HasSuffix(path, "compact") && string(sent) != body {
					t.Errorf("%s was sent as %s", body, sent)
				}
			}
			send("/v1/responses", `"input":[`+hello+`]`)
			send("/v1/responses/compact", c.asks)
			asked := sent
			if c.refused {
				send("/v1/responses/compact", c.asks)
			}
			send("/v1/responses", `"input":[`+c.then+`]`)
			rec.Close()
			if names := rec.Contexts(); !slices.Equal(names, []string{"chat", "chat/summary-1"}) || rec.Stats().Calls != 2+c.asksFor {
				t.Fatalf("the contexts are %q, with %+v", names, rec.Stats())
			}
			chat, aside := opened(t, s, "chat"), opened(t, s, "chat/summary-1")
			if last := chat.Info().Cycle; int(last) != c.works {
				t.Errorf("the conversation has %d calls, want %d", last, c.works)
			}
			last := aside.Info().Cycle
			attempts, err := aside.Attempts(t.Context(), last, last)
			must(t, err)
			if n := len(attempts); n != c.asksFor || attempts[n-1].TokenIn == nil || *attempts[n-1].TokenIn != 70 || *attempts[n-1].TokenOut != 5 {
				t.Errorf("the attempts are %+v", attempts)
			}
			body, err := record.Request(t.Context(), aside, last, 0)
			must(t, err)
			if !bytes.Equal(body.Bytes, asked) || body.Path != "/v1/responses/compact" {
				t.Errorf("%s comes back as %s %s", asked, body.Path, body.Bytes)
			}
			var thread strings.Builder
			must(t, aside.Working().Export(t.Context(), &thread))
			if !strings.Contains(thread.String(), `"encrypted_content":"b64"`) {
				t.Errorf("the answer is not in %s", &thread)
			}
		})
	}
}
