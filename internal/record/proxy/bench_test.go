package proxy_test

import (
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkFirstByte takes the time to the first byte of an answer, without a
// proxy and through one that records to a file, one request at a time. It repeats
// a request with one long message. It also takes other proxies if
// PACT_BENCH_PROXIES names them, name=address,…; they pass on to
// PACT_BENCH_PROVIDER, at which the provider then listens, and get PACT_BENCH_KEY.
func BenchmarkFirstByte(b *testing.B) {
	provider := benchProvider(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	to, err := url.Parse(provider.URL)
	must(b, err)
	for _, size := range []int{10_000, 100_000, 2_000_000} {
		body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("some words ", size/11) + `"}]}`
		b.Run(fmt.Sprintf("direct/%dkB", size/1000), func(b *testing.B) { ask(b, provider.URL, body) })
		b.Run(fmt.Sprintf("proxy/%dkB", size/1000), func(b *testing.B) {
			s, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
			must(b, err)
			defer s.Close()
			rec := record.New(s, record.Options{})
			defer rec.Close()
			server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
			defer server.Close()
			ask(b, server.URL, body)
		})
		for name, address := range otherProxies() {
			b.Run(fmt.Sprintf("%s/%dkB", name, size/1000), func(b *testing.B) { ask(b, address, body) })
		}
	}
}

// benchProvider serves a provider at PACT_BENCH_PROVIDER, or at any free address.
func benchProvider(b *testing.B, h http.Handler) *httptest.Server {
	provider := httptest.NewUnstartedServer(h)
	if address := os.Getenv("PACT_BENCH_PROVIDER"); address != "" {
		listener, err := net.Listen("tcp", address)
		must(b, err)
		provider.Listener = listener
	}
	provider.Start()
	return provider
}

// otherProxies returns the names and addresses in PACT_BENCH_PROXIES.
func otherProxies() iter.Seq2[string, string] {
	return func(yield func(name, address string) bool) {
		for other := range strings.SplitSeq(os.Getenv("PACT_BENCH_PROXIES"), ",") {
			if name, address, ok := strings.Cut(other, "="); ok && !yield(name, address) {
				return
			}
		}
	}
}

func ask(b *testing.B, address, body string) {
	var waits []time.Duration
	for b.Loop() {
		began := time.Now()
		resp, err := http.DefaultClient.Do(question(address, body))
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(err, resp)
		}
		_, err = resp.Body.Read(make([]byte, 1))
		must(b, err)
		waits = append(waits, time.Since(began))
		_, err = io.Copy(io.Discard, resp.Body)
		must(b, err)
		resp.Body.Close()
	}
	reportWaits(b, waits)
}

// question makes the request of one call.
func question(address, body string) *http.Request {
	req, err := http.NewRequest(http.MethodPost, address+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		panic(err) // the address is none
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+os.Getenv("PACT_BENCH_KEY")) // some proxies ask for one
	return req
}

// reportWaits reports the median and the 99th percentile.
func reportWaits(b *testing.B, waits []time.Duration) {
	if len(waits) > 0 {
		b.ReportMetric(float64(percentile(waits, 50))/1e6, "p50-ms")
		b.ReportMetric(float64(percentile(waits, 99))/1e6, "p99-ms")
	}
}

func percentile(waits []time.Duration, p int) time.Duration {
	slices.Sort(waits)
	return waits[len(waits)*p/100]
}
