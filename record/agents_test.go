package record_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// sentByAgents returns the files with what real agents sent. Without them the
// test is left out or, where PACT_REQUIRE_SHARED is 1, fails.
func sentByAgents(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	must(t, err)
	places := []string{filepath.Join(os.Getenv("PACT_SHARED"), "data"), os.Getenv("PACT_SHARED")}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(filepath.Dir(dir), "shared", "data"))
	}
	for _, place := range places {
		if paths, _ := filepath.Glob(filepath.Join(place, "agents", "wire", "*.jsonl")); len(paths) > 0 {
			return paths
		}
	}
	if os.Getenv("PACT_REQUIRE_SHARED") == "1" {
		t.Fatal("the requests of real agents are required and were not found")
	}
	t.Skip("the requests of real agents are not here: the tests on them were left out")
	return nil
}

// What three agents sent comes back byte for byte, from the contexts that their
// conversations became.
func TestRequestsOfRealAgents(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	contexts := map[string]int{ // Claude Code's run and its sub-agent; opencode's turn and the agent that gives it a title
		"claude-code-subagent-compact.jsonl": 2, "codex-tool-compact.jsonl": 2, "opencode-title-and-turn.jsonl": 2,
	}
	for _, path := range sentByAgents(t) {
		s := store.NewMemory()
		rec := recorder(t, s, record.Options{Context: "run"})
		client := &http.Client{Transport: rec.Transport(nil)}
		file, err := os.Open(path)
		must(t, err)
		scan := bufio.NewScanner(file)
		scan.Buffer(nil, 4<<20)
		var bodies [][]byte
		for scan.Scan() {
			var sent struct {
				URL     string
				Headers map[string]string
				Body    json.RawMessage
			}
			must(t, json.Unmarshal(scan.Bytes(), &sent))
			req, err := http.NewRequest(http.MethodPost, server.URL+sent.URL, bytes.NewReader(sent.Body))
			must(t, err)
			for name, value := range sent.Headers {
				req.Header.Set(name, value)
			}
			resp, err := client.Do(req)
			must(t, err)
			_, _ = io.Copy(io.Discard, resp.Body)
			must(t, resp.Body.Close())
			bodies = append(bodies, sent.Body)
		}
		must(t, scan.Err())
		must(t, file.Close())
		rec.Close()
		if got := rec.Stats(); got.Calls != len(bodies) || got.Lost > 0 || got.KeptRaw > 0 {
			t.Fatalf("%s: %+v", path, got)
		}
		if got, want := len(rec.Contexts()), contexts[filepath.Base(path)]; got != want {
			t.Errorf("%s: %d contexts, want %d", path, got, want)
		}
		for _, name := range rec.Contexts() {
			c := opened(t, s, name)
			// No call was answered, so the last one of a line has not ended its cycle.
			_, last := c.Cycles()
			for cycle := int64(1); cycle <= last+1; cycle++ {
				body, err := record.Request(t.Context(), c, cycle)
				must(t, err)
				at := slices.IndexFunc(bodies, func(b []byte) bool { return bytes.Equal(b, body.Bytes) })
				if at < 0 {
					t.Fatalf("%s: %s@c%d was not sent", path, name, cycle)
				}
				bodies = slices.Delete(bodies, at, at+1)
			}
		}
		if len(bodies) > 0 {
			t.Errorf("%s: %d requests come back from no cycle", path, len(bodies))
		}
	}
}

// Claude Code moves its cache markers, and a message that had one turns into a
// plain string. Nothing was rewritten by that: every block goes on.
func TestAMovingMarkerRewritesNothing(t *testing.T) {
	p, url := provider(t)
	s := store.NewMemory()
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, "anthropic.messages", url, rec.Transport(nil), true)
	marked := func(text string) []any {
		return []any{map[string]any{"type": "text", "text": text, "cache_control": map[string]any{"type": "ephemeral"}}}
	}
	for i := range 12 {
		text := "question " + string(rune('a'+i))
		a.ask(text)
		a.said[len(a.said)-1].(map[string]any)["content"] = marked(text)
		a.call()
		a.said[len(a.said)-2].(map[string]any)["content"] = text
	}
	rec.Close()
	c := opened(t, s, "chat")
	cycles := 0
	for prefix, err := range c.Prefixes(t.Context(), pact.Cycle(1), pact.Cycle(12)) {
		must(t, err)
		if cycles++; prefix.Shared != nil && (!prefix.Shared.Complete || prefix.Break != nil) {
			t.Errorf("cycle %d repeats %d of %d blocks", prefix.Cycle, prefix.Shared.Blocks, prefix.Shared.OfBlocks)
		}
	}
	if cycles != 12 {
		t.Errorf("%d cycles", cycles)
	}
	sentAsReceived(t, c, p)
}
