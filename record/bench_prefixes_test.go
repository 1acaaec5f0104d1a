package record_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkPrefixes compares the calls of recorded runs in which each call
// repeats the one before and adds the result of a tool.
func BenchmarkPrefixes(b *testing.B) {
	for _, calls := range []int{60, 240} {
		b.Run(fmt.Sprintf("%d calls", calls), func(b *testing.B) {
			s, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
			must(b, err)
			defer s.Close()
			recordGrowing(b, s, calls)
			b.Run("fresh", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					readPrefixes(b, s, calls)
				}
			})
			b.Run("followed", func(b *testing.B) { // the call that is not final yet, in a context that is open
				c := opened(b, s, "chat")
				var f record.Follower
				_, err := f.Prefixes(b.Context(), c)
				must(b, err)
				b.ReportAllocs()
				for b.Loop() {
					list, err := f.Prefixes(b.Context(), c)
					must(b, err)
					if len(list) != calls {
						b.Fatalf("%d calls", len(list))
					}
				}
			})
		})
	}
}

// recordGrowing records calls as an agent makes them: with tools, and a marker
// on the last message.
func recordGrowing(tb testing.TB, s *pact.DB, calls int) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"}`)
	}))
	defer provider.Close()
	rec := record.New(s, record.Options{Context: "chat", Strict: true})
	defer rec.Close()
	client := &http.Client{Transport: rec.Transport(nil)}
	var tools, messages []string
	for i := range 20 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool%d","input_schema":{"type":"object","properties":{"path":`+
			`{"type":"string","description":"a file"}}}}`, i))
	}
	for call := range calls {
		text := strings.Repeat(fmt.Sprintf("line of call %d\\n", call), 60)
		said := func(marker string) string {
			return fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%s"%s}]}`, text, marker)
		}
		sent := append(messages[:len(messages):len(messages)], said(`,"cache_control":{"type":"ephemeral"}`))
		body := `{"model":"claude-sonnet-4-6","max_tokens":100,"tools":[` + strings.Join(tools, ",") + `],"messages":[` +
			strings.Join(sent, ",") + `]}`
		messages = append(messages, said(""), `{"role":"assistant","content":[{"type":"text","text":"ok"}]}`)
		resp, err := client.Post(provider.URL+"/v1/messages", "application/json", strings.NewReader(body))
		must(tb, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func readPrefixes(tb testing.TB, s *pact.DB, calls int) {
	n := 0
	for p, err := range record.Prefixes(tb.Context(), opened(tb, s, "chat"), "", nil) {
		must(tb, err)
		if n++; p.Problem != "" {
			tb.Fatal(p.Problem)
		}
	}
	if n != calls {
		tb.Fatalf("%d calls", n)
	}
}
