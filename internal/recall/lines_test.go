package recall_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
)

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	calling = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}` + "\n"
)

// said is an answer of a session.
type said struct {
	ID    any
	Error *struct {
		Code    int
		Message string
	}
	Result struct {
		IsError bool
		Content []struct{ Text string }
	}
}

// speak gives a session its whole input at once and returns its answers but the first, by their ids.
func speak(t *testing.T, db *pact.DB, o recall.Options, input string) map[string]said {
	t.Helper()
	var out bytes.Buffer
	err := recall.NewServer(db, o).Run(t.Context(), recall.Lines{In: strings.NewReader(hello + input), Out: &out})
	if err != nil && err != io.EOF {
		t.Errorf("the session ended with %v", err)
	}
	all := map[string]said{}
	for line := range strings.Lines(out.String()) {
		var s said
		must(t, json.Unmarshal([]byte(line), &s))
		if !strings.Contains(line, `"id":`) {
			t.Errorf("an answer without an id: %s", line)
		}
		if len(line) > 26_000 { // of 12,000 bytes, each of which may be escaped
			t.Errorf("an answer of %d bytes: %.200s", len(line), line)
		}
		all[fmt.Sprint(s.ID)] = s
	}
	delete(all, "0")
	return all
}

// A line that is no message gets the error of JSON-RPC that says so, and the next line is read. No answer repeats
// much of a message, whatever is long in it.
func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	db := memory(t)
	begin(t, db, "chat", "")
	long := strings.Repeat("x", 1<<20)
	for line, code := range map[string]int{
		"what?": -32700, `{"jsonrpc":"2.0","id":5,`: -32700, "{]": -32700, "\xff": -32700,
		`{}`: -32600, `{"jsonrpc":"2.0","id":1}`: -32600, `[]`: -32600, `5`: -32600, `null`: -32600, `{"id":5,"method":"ping"}`: -32600,
		`[{"jsonrpc":"2.0","id":5,"method":"ping"}]`:                  -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                   -32600,
		`{"jsonrpc":"2.0","id":5,"method":7}`:                         -32600,
		`{"jsonrpc":"2.0","id":"` + long + `","method":"ping"}`:       -32600,
		`{"jsonrpc":"2.0","id":5,"method":"` + long + long + `"}`:     -32601,
		strings.Repeat("x", 9<<20):                                    -32600,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":7}`:   -32602,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call"}`:              -32600,
		`{"jsonrpc":"1.0","id":5,"method":"ping","x":"` + long + `"}`: -32600,
	} {
		all := speak(t, db, recall.Options{}, line+"\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		answered, is := all["1"]
		delete(all, "1")
		if !is || answered.Error != nil || len(all) != 1 {
			t.Errorf("%.100s: %d answers beside that of the next line: %+v", line, len(all), answered)
		}
		for _, a := range all {
			if a.Error == nil || a.Error.Code != code || len(a.Error.Message) > 1_000 {
				t.Errorf("%.100s: %+v", line, a.Error)
			}
		}
	}
	for tool, arguments := range map[string]string{
		"recall": `{"id":"` + long + `"}`, "show": `{"selector":"` + long + `"}`, "changes": `{"older":"` + long + `"}`,
		"note": `{"text":"x","context":"` + long + `"}`, "pin": `{"id":"` + long + `"}`, long: `{}`,
	} {
		for _, a := range speak(t, db, recall.Options{Pin: true, Note: true}, fmt.Sprintf(calling, 1, tool, arguments)) {
			text := ""
			if a.Error != nil {
				text = a.Error.Message
			} else if a.Result.IsError {
				text = a.Result.Content[0].Text
			}
			if text == "" || len(text) > 1_000 {
				t.Errorf("%.20s: an error of %d bytes: %.100s", tool, len(text), text)
			}
		}
	}
}

// What is asked before the input ends is answered.
func TestWhatIsAskedBeforeTheEndIsAnswered(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	id := say(t, c, pact.Spec{Role: "user", Content: "Hello"})
	const calls = 50
	var input strings.Builder
	for i := range calls {
		fmt.Fprintf(&input, calling, i+1, "recall", `{"id":"`+id+`"}`)
	}
	all := speak(t, db, recall.Options{}, strings.TrimSuffix(input.String(), "\n"))
	if len(all) != calls {
		t.Errorf("%d of %d calls were answered", len(all), calls)
	}
	for _, a := range all {
		if a.Result.IsError || len(a.Result.Content) != 1 || !strings.Contains(a.Result.Content[0].Text, "Hello") {
			t.Errorf("%+v", a)
		}
	}
}

// No answer has more than 12,000 bytes, whatever a text, an id or a question consists of.
func TestNoAnswerIsLongerThanItSays(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	for i, text := range []string{strings.Repeat("-", 50_000), strings.Repeat("----- \n", 9_000), strings.Repeat("-----0-----", 3_000),
		strings.Repeat("\u202e", 20_000), strings.Repeat("x", 50_000)} {
		id := say(t, c, pact.Spec{ID: strings.Repeat("\u202e", 30) + fmt.Sprint(i), Role: "user", Content: text, Key: strings.Repeat("k", 200) + fmt.Sprint(i)})
		for _, from := range []int{0, 12_000} {
			got, failed := ask(t, connect(t, db, recall.Options{}), "recall", map[string]any{"id": id, "from": from})
			if failed || len(got) > 12_000 || len(got) < 7_000 {
				t.Errorf("%.20q from %d: %d bytes", text, from, len(got))
			}
		}
	}
	selector := ".cb" + strings.Repeat("[bytes>0]", 40)
	got, failed := ask(t, connect(t, db, recall.Options{}), "show", map[string]any{"selector": selector})
	if failed || len(got) > 12_000 {
		t.Errorf("show: %d bytes, %.300s", len(got), got)
	}
}

// Agents that put notes and pins into one context at once all succeed.
func TestNotesAtOnceAllSucceed(t *testing.T) {
	db := memory(t)
	begin(t, db, "chat", "")
	const agents = 100
	var all sync.WaitGroup
	for i := range agents {
		s := connect(t, db, recall.Options{Note: true})
		all.Go(func() {
			if got, failed := ask(t, s, "note", map[string]any{"text": fmt.Sprint("note ", i)}); failed {
				t.Error(got)
			}
		})
	}
	all.Wait()
	c, err := pact.Open(t.Context(), db, "chat", nil)
	must(t, err)
	notes := 0
	for n, err := range c.Working().Nodes() {
		must(t, err)
		if n.Kind == "note" {
			notes++
		}
	}
	if notes != agents {
		t.Errorf("%d of %d notes are in the context", notes, agents)
	}
}
