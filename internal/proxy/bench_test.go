package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkFirstByte takes the time to the first byte of an answer, without a
// proxy and through one that records to a file. What is recorded is a growing
// conversation whose last message is long.
func BenchmarkFirstByte(b *testing.B) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x","choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	to, err := url.Parse(provider.URL)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{10_000, 100_000, 2_000_000} {
		body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("some words ", size/11) + `"}]}`
		b.Run(fmt.Sprintf("direct/%dkB", size/1000), func(b *testing.B) { ask(b, provider.URL, body) })
		b.Run(fmt.Sprintf("proxy/%dkB", size/1000), func(b *testing.B) {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			rec := record.To(s, record.Options{})
			defer rec.Close()
			server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
			defer server.Close()
			ask(b, server.URL, body)
		})
	}
}

func ask(b *testing.B, address, body string) {
	for b.Loop() {
		resp, err := http.Post(address+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}
