package calllog

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// sampleLog reads a sample.
func sampleLog(t testing.TB, name string) *Log {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	log, err := readWhole(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return log
}

// readWhole is [Read] of calls that have their messages, answers and attributes as values.
func readWhole(data []byte) (*Log, error) {
	log, err := Read(data)
	if err != nil {
		return nil, err
	}
	for i := range log.Sessions {
		s := &log.Sessions[i]
		for j := range s.Calls {
			s.Calls[j] = whole(s.Calls[j])
		}
		if s.unsent != nil {
			s.Unsent, s.unsent = whole(*s.unsent).Request, nil
		}
	}
	return log, nil
}

// whole returns a call of a log in memory with what it says.
func whole(c Call) Call {
	all, err := c.Load()
	if err == nil && c.of != nil {
		all.Request, err = c.messages(0)
		all.sent, all.of = nil, nil
	}
	if err != nil {
		panic(err) // memory never fails
	}
	return all
}

// requestOf takes the request of a call apart.
func requestOf(t testing.TB, c *Call) *provider.Request {
	t.Helper()
	body := raw(c.Request.Value()).value() // it may hold its messages as texts
	if c.Body != nil {
		body = raw(c.Body).value()
	}
	r, ok := provider.ReadRequest(c.API, body)
	if !ok {
		t.Fatalf("call %s: the body is no request: %.200s", c.ID, c.Body)
	}
	return r
}

// answerOf reads the answer to a call.
func answerOf(c *Call) (a provider.Answer, said []provider.Part) {
	header := http.Header{}
	if streamed(string(c.Answer)) {
		header.Set("Content-Type", "text/event-stream")
	}
	assembler := provider.NewAssembler(c.API, c.Status, header)
	_, _ = assembler.Write(c.Answer)
	a = assembler.Close(nil)
	if a.Content.Kind != canon.KindAbsent {
		said = provider.AnswerParts(c.API, a.Content)
	}
	return a, said
}

// words says of parts what there is to say, shortly.
func words(parts []provider.Part) string {
	var list []string
	for _, p := range parts {
		content := string(p.Content.Value())
		if p.Content.Kind == canon.KindString {
			content = p.Content.Text
		}
		if p.Kind == "image" || p.Kind == "tool" {
			content = ""
		}
		failed := ""
		if p.Failed {
			failed = "failed"
		}
		list = append(list, strings.Join(strings.Fields(strings.Join([]string{p.Role, p.Kind, p.Call, p.Name, failed,
			content}, " ")), " "))
	}
	return strings.Join(list, " | ")
}

// calls describes the calls of a log, a line each.
func callLines(t testing.TB, log *Log) (list []string) {
	for _, s := range log.Sessions {
		list = append(list, fmt.Sprintf("session %q %s, missing %s", s.Name, s.Exact, strings.Join(s.Missing, ", ")))
		for i := range s.Calls {
			c := &s.Calls[i]
			a, said := answerOf(c)
			r := requestOf(t, c)
			tokens := ""
			if u := a.Usage; u.In != nil && u.Out != nil {
				tokens = fmt.Sprintf("%d+%d", *u.In, *u.Out)
				if u.Cached != nil {
					tokens += fmt.Sprintf(" cached %d", *u.Cached)
				}
			}
			if a.Failure != "" {
				tokens += " failure " + a.Failure
			}
			list = append(list, fmt.Sprintf("%s %s %s [%s] %d %d %s\n   %s\n   -> %s", c.ID, c.API, r.Model, tokens,
				c.Started, c.Ended, c.Path, words(r.Parts), words(said)))
		}
		if s.Unsent.Kind != canon.KindAbsent {
			list = append(list, "rest "+string(s.Unsent.Value()))
		}
	}
	for _, f := range log.Findings {
		list = append(list, "finding "+f.Message)
	}
	return list
}

func text64(n int64) string { return fmt.Sprint(n) }

var must = testrun.Must
