package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// The calls of the sample, written by hand from it: parallel results stand in
// one request, an error of the API is a failed call that no later request has,
// an edited question is a branch, and a compaction leaves its summary and what
// it kept.
func TestClaudeCodeTranscript(t *testing.T) {
	s := sampleLog(t, "claude-code.jsonl").Sessions[0]
	const momo = "user text Which book is this, and is it here? | user image | " +
		`assistant thinking {"signature":"c2ln","thinking":"It looks like Momo.","type":"thinking"} | ` +
		`assistant call toolu_1 find_book {"id":"toolu_1","input":{"title":"Momo"},"name":"find_book","type":"tool_use"} | ` +
		`assistant call toolu_2 find_shelf {"id":"toolu_2","input":{"shelf":4},"name":"find_shelf","type":"tool_use"} | ` +
		"tool result toolu_1 failed the catalogue is closed | tool result toolu_2 shelf 4"
	const jim = momo + " | assistant text Momo stands on shelf 4. | user text And where is Jim Button?"
	want := []struct {
		request  string
		status   int
		rewrites bool
	}{
		{"user text Which book is this, and is it here? | user image", 200, false},
		{momo, 200, false},
		{jim, 529, false},
		{jim, 200, false},
		{momo + " | assistant text Momo stands on shelf 4. | user text And where is The Neverending Story?", 200, false},
		{"user text The user looks for books of Michael Ende: Momo stands on shelf 4. | " +
			"assistant text It is lent, until Friday. | user text <command-name>/compact</command-name> | " +
			"user text Thank you. Reserve it for me.", 200, true},
	}
	if len(s.Calls) != len(want) {
		t.Fatalf("%d calls, want %d", len(s.Calls), len(want))
	}
	for i, w := range want {
		c := &s.Calls[i]
		if got := words(requestOf(t, c).Parts); got != w.request || c.Status != w.status || c.Rewrites != w.rewrites {
			t.Errorf("call %d: status %d, rewrites %v, and the request says\n%s\nwant\n%s", i+1, c.Status, c.Rewrites, got,
				w.request)
		}
	}
}

// A transcript that is cut after any line gives the calls of the whole one, as
// far as it goes: no answer that may still grow is among them.
func TestACutClaudeCodeTranscriptGivesTheFirstCalls(t *testing.T) {
	data, err := os.ReadFile("testdata/claude-code.jsonl")
	must(t, err)
	whole := sampleLog(t, "claude-code.jsonl").Sessions[0]
	lines := bytes.SplitAfter(data, []byte("\n"))
	most := 0
	for n := 3; n <= len(lines); n++ {
		log, err := readWhole(bytes.Join(lines[:n], nil))
		if err != nil {
			t.Fatalf("after %d lines: %v", n, err)
		}
		calls := log.Sessions[0].Calls
		if len(calls) < most || len(calls) > len(whole.Calls) {
			t.Fatalf("after %d lines there are %d calls, and there were %d", n, len(calls), most)
		}
		most = len(calls)
		for i := range calls {
			got, want := &calls[i], &whole.Calls[i]
			if got.ID != want.ID || !bytes.Equal(got.Answer, want.Answer) ||
				string(got.Request.Value()) != string(want.Request.Value()) || got.Rewrites != want.Rewrites {
				t.Errorf("after %d lines call %d is\n%s\n%s\nwant\n%s\n%s", n, i+1, got.Request.Value(), got.Answer,
					want.Request.Value(), want.Answer)
			}
		}
	}
	if most != len(whole.Calls) {
		t.Errorf("%d calls, want %d", most, len(whole.Calls))
	}
}

// sentBy reads the requests that an agent sent in a run.
func sentBy(t *testing.T, name string, of provider.API) (list []*provider.Request) {
	t.Helper()
	for line := range bytes.Lines(runOfAgent(t, name)) {
		var exchange struct{ Body json.RawMessage }
		must(t, json.Unmarshal(line, &exchange))
		r, ok := provider.ReadRequest(of, bodyOf(exchange.Body))
		if !ok {
			t.Fatalf("the recording holds what is no request: %.100s", line)
		}
		list = append(list, r)
	}
	return list
}

// conversation describes the parts of a conversation that a transcript has.
// Reminders are left out, and fillers that stand for longer texts are cut.
func conversation(parts []provider.Part) (list []string) {
	for _, p := range parts {
		w := strings.ReplaceAll(words([]provider.Part{p}), `\n`, "")
		if p.Section != provider.Conversation || p.Role == "system" || p.Role == "developer" ||
			strings.Contains(w, "<system-reminder>") {
			continue
		}
		if p.Kind == "result" {
			w = w[:min(len(w), len("tool result toolu_agent"))]
		} else if strings.Contains(w, "consectetur") {
			w = p.Role + " filler"
		}
		list = append(list, w)
	}
	return list
}

// What a transcript of a real run rebuilds is what the run sent, without the
// system prompt, the tools, the reminders and the call that asked for a summary.
func TestClaudeCodeAgainstTheWire(t *testing.T) {
	sent := sentBy(t, "wire/claude-code-subagent-compact.jsonl", provider.Messages)
	const run = "claude-code/c1d3b534-314a-47c1-89e6-e46b2f54cc7e"
	for _, part := range []struct {
		file  string
		calls []int // which of the requests, counted from 0
	}{{run + ".jsonl", []int{0, 3, 5, 6}}, {run + "/subagents/agent-a3facb39728dc54f1.jsonl", []int{1, 2}}} {
		log, err := readWhole(runOfAgent(t, part.file))
		must(t, err)
		calls := log.Sessions[0].Calls
		if len(calls) != len(part.calls) {
			t.Fatalf("%s: %d calls, want %d", part.file, len(calls), len(part.calls))
		}
		for i, n := range part.calls {
			got, want := conversation(requestOf(t, &calls[i]).Parts), conversation(sent[n].Parts)
			if !slices.Equal(got, want) {
				t.Errorf("%s: call %d says\n%s\nand the request was\n%s", part.file, i+1, strings.Join(got, "\n"),
					strings.Join(want, "\n"))
			}
		}
	}
}

// The chains of the lines may be broken: a transcript in which no line names the
// one above it is one conversation.
func TestClaudeCodeWithoutChains(t *testing.T) {
	data, err := os.ReadFile("testdata/claude-code.jsonl")
	must(t, err)
	var unlinked []byte
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte("compact_boundary")) {
			break
		}
		f := raw(line).fields()
		unlinked = append(unlinked, bytes.Replace(line, append([]byte(`"parentUuid":`), f["parentUuid"]...),
			[]byte(`"parentUuid":null`), 1)...)
	}
	log, err := readWhole(unlinked)
	must(t, err)
	calls := log.Sessions[0].Calls
	said := words(requestOf(t, &calls[len(calls)-1]).Parts)
	if len(calls) != 5 || !strings.Contains(said, "Jim Button is lent. | user text And where is The Neverending Story?") {
		t.Errorf("%d calls, the last with %s", len(calls), said)
	}
	if last := log.Findings[len(log.Findings)-2].Message; !strings.Contains(last, "line before") {
		t.Errorf("the findings are %v", log.Findings)
	}
}

// The lines of a transcript may come in any order: each names the line above it
// and has a time.
func TestAClaudeCodeTranscriptInAnyOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/claude-code.jsonl")
	must(t, err)
	facts := func(s Session) (list []string) {
		for i := range s.Calls {
			c := &s.Calls[i]
			list = append(list, fmt.Sprint(c.ID, c.Status, c.Rewrites, words(requestOf(t, c).Parts), string(c.Answer)))
		}
		return append(list, string(s.Unsent.AppendTo(nil)))
	}
	want := facts(sampleLog(t, "claude-code.jsonl").Sessions[0])
	lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
	lines[len(lines)-1] = append(slices.Clone(lines[len(lines)-1]), '\n')
	slices.Reverse(lines)
	random := rand.New(rand.NewPCG(3, 4))
	for range testrun.Size(t, 50, 200, 10_000) {
		log, err := readWhole(bytes.Join(lines, nil))
		must(t, err)
		if got := facts(log.Sessions[0]); !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s\nof the lines\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"),
				bytes.Join(lines, nil))
		}
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}

// A question that nothing leads to and nobody answered is a finding, besides the one that says where it was put; the
// message of a failed attempt is no loss.
func TestAStrayQuestionOfClaudeCodeIsCounted(t *testing.T) {
	line := func(id, parent, rest string) string {
		return `{"sessionId":"s","uuid":"` + id + `","parentUuid":"` + parent + `","timestamp":"2026-09-01T10:00:0` + id + `.000Z",` + rest + "}\n"
	}
	ask := func(text string) string { return `"type":"user","message":{"role":"user","content":"` + text + `"}` }
	say := func(text, more string) string {
		return `"type":"assistant","message":{"id":"` + text + `","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"` + text + `"}]}` + more
	}
	begin := line("1", "", ask("hello")) + line("2", "1", say("one", ""))
	end := line("4", "2", ask("go on")) + line("5", "4", say("two", ""))
	for log, want := range map[string]string{
		begin + line("3", "9", ask("stray")) + end: "1 of 5 messages of the file is in no request and no answer",
		begin + line("3", "2", ask("again")) + line("6", "3", say("API Error: 529 overloaded", `,"isApiErrorMessage":true`)) +
			line("7", "6", ask("more")) + line("8", "7", say("three", "")): "",
	} {
		read, err := readWhole([]byte(log))
		must(t, err)
		said := ""
		for _, f := range read.Findings {
			said += f.Message + "\n"
		}
		if got := strings.Contains(said, "in no request and no answer"); got != (want != "") || !strings.Contains(said, want) {
			t.Errorf("the findings are %q, want %q in\n%s", said, want, log)
		}
	}
}
