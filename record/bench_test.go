package record_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkStoreSize records a run of 100 calls, each with the result of a tool of
// two kilobytes, and reports the bytes of the store once it is compact, of all bodies, and of what was
// different in them.
func BenchmarkStoreSize(b *testing.B) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "pact.db")
		s, err := dbtest.Open(sqlite.Open(b.Context(), path))
		if err != nil {
			b.Fatal(err)
		}
		rec := record.New(s, record.Options{Strict: true})
		client := &http.Client{Transport: rec.Transport(nil)}
		sent, different, messages := 0, 0, ""
		for call := range 100 {
			var result strings.Builder
			for line := range 40 {
				fmt.Fprintf(&result, "file %d-%d, %d bytes, changed on day %d\\n", call, line, call*line*7919, line*call%31)
			}
			message := `{"role":"user","content":"` + result.String() + `"}`
			messages += message
			body := `{"model":"m","temperature":0.5,"messages":[` + messages + `]}`
			messages += `,{"role":"assistant","content":"ok"},`
			sent, different = sent+len(body), different+len(message)
			resp, err := client.Post(provider.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		rec.Close()
		if got := rec.Stats(); got.Calls != 100 || got.Lost > 0 {
			b.Fatalf("%+v", got)
		}
		if _, err := s.Compact(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		file, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(file.Size()), "B-store")
		b.ReportMetric(float64(sent), "B-sent")
		b.ReportMetric(float64(different), "B-different")
	}
}
