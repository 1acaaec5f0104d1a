package record_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// again is a text that repeats a part until so many bytes have come.
type again struct {
	part string
	left int
}

func (r *again) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && r.left > 0 {
		m := copy(p[n:min(len(p), n+r.left)], r.part)
		n, r.left = n+m, r.left-m
	}
	return n, nil
}

// pass has a recorder record an answer that comes as an event stream, and returns what the client read of it.
func pass(t *testing.T, rec *record.Recorder, path, question string, answer io.Reader) int64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://provider"+path, strings.NewReader(question))
	must(t, err)
	resp, err := rec.Middleware(req, func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(answer)}, nil
	})
	must(t, err)
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{resp.Body}, make([]byte, 32<<10))
	must(t, err)
	must(t, resp.Body.Close())
	return n
}

// A provider can send an event without an end. The client gets every byte of it, the stream takes less than
// 8 MiB of memory from its beginning until it is recorded, and the record says what it lacks.
func TestAnEventWithoutAnEndTakesNoMemory(t *testing.T) {
	testrun.CountsAllocations(t)
	size := testrun.Size(t, 32<<20, 300<<20, 300<<20)
	const begin = `data: {"choices":[{"index":0,"delta":{"content":"the beginning"}}]}` + "\n\n"
	for name, part := range map[string]string{
		"a line":   strings.Repeat("x", 1000),
		"data":     strings.Repeat("y", 100) + "\ndata: ",
		"comments": strings.Repeat("y", 100) + "\r\n: ",
	} {
		t.Run(name, func(t *testing.T) {
			s := pact.NewDB(store.NewMemory())
			rec := recorder(t, s, record.Options{Context: "chat"})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := pass(t, rec, "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello?"}]}`,
				io.MultiReader(strings.NewReader(begin+"data: "), &again{part, size}))
			rec.Close()
			runtime.ReadMemStats(&after)
			if want := int64(len(begin) + len("data: ") + size); n != want {
				t.Errorf("the client got %d bytes of %d", n, want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
				t.Errorf("%d bytes were allocated for a stream of %d", took, size)
			}
			a := onlyAttempt(t, s)
			if a.Status != history.Failed || !strings.Contains(a.Error, "the record of the answer ends before it") {
				t.Errorf("%s: %q", a.Status, a.Error)
			}
			broken, err := record.BrokenAnswers(t.Context(), opened(t, s, "chat"), a.Cycle)
			must(t, err)
			if len(broken) != 1 || !strings.Contains(string(broken[0].Content), "the beginning") {
				t.Errorf("what came before the event is missing: %v", broken)
			}
		})
	}
}

// onlyAttempt returns the attempt of the context chat.
func onlyAttempt(t *testing.T, s *pact.DB) history.Attempt {
	t.Helper()
	list, err := opened(t, s, "chat").Attempts(t.Context(), 0, 2)
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("%d attempts", len(list))
	}
	return list[0]
}
