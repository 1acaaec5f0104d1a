//go:build unix

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
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkManaging takes the time and the processor of whole calls of a conversation that grows by a result of 500 bytes,
// each fourth time of 20 kB: to the provider alone, through a proxy that records, and through one that manages by a
// policy that shapes and cuts. It measures 50 calls from each size of the request on. -benchtime 1x is enough.
func BenchmarkManaging(b *testing.B) {
	provider := benchProvider(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	to, err := url.Parse(provider.URL)
	must(b, err)
	policy, err := lifecycle.ParsePolicy([]byte(
		`{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000,"ttl":12,"stub":true}]}`))
	must(b, err)
	b.Run("direct", func(b *testing.B) { useTools(b, provider.URL, func() {}) })
	for how, o := range map[string]record.Options{"records": {}, "manages": {Policy: &policy, Manage: true, Prices: prices.BuiltIn()}} {
		b.Run(how, func(b *testing.B) {
			s, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
			must(b, err)
			defer s.Close()
			ended := make(chan struct{}, 1)
			o.OnEnd = func(record.Ended) { ended <- struct{}{} }
			rec := record.New(s, o)
			server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
			defer server.Close()
			useTools(b, server.URL, func() { <-ended })
			rec.Close()
			stats := rec.Stats()
			if stats.Lost > 0 || stats.Manages && stats.Managed.Shaped == 0 {
				b.Fatalf("%+v", stats)
			}
			b.ReportMetric(float64(stats.Managed.Open), "undecided")
		})
	}
	for name, address := range otherProxies() {
		b.Run(name, func(b *testing.B) { useTools(b, address, func() {}) })
	}
}

// useTools makes the calls, and waits after each until it is recorded.
func useTools(b *testing.B, address string, recorded func()) {
	const window = 50
	for b.Loop() {
		messages, n := `{"role":"user","content":"Look."}`, 0
		call := func() time.Duration {
			size := 500 + n%4/3*19_500
			messages += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"ls","arguments":"{}"}}]},`+
				`{"role":"tool","tool_call_id":"c%d","content":"%s"}`, n, n, strings.Repeat(fmt.Sprintf("line %d of it, ", n*7919%1000), size/15))
			n++
			began := time.Now()
			resp, err := http.DefaultClient.Do(question(address,
				`{"model":"gpt-5.4","tools":[{"type":"function","function":{"name":"ls"}}],"messages":[`+messages+`]}`))
			must(b, err)
			_, err = io.Copy(io.Discard, resp.Body)
			must(b, err)
			resp.Body.Close()
			took := time.Since(began)
			recorded()
			return took
		}
		for _, size := range []int{8_000, 100_000, 1_000_000, 2_000_000} {
			for len(messages) < size {
				call()
			}
			var waits []time.Duration
			used := processor()
			for range window {
				waits = append(waits, call())
			}
			used = processor() - used
			b.ReportMetric(float64(percentile(waits, 50))/1e6, fmt.Sprintf("p50-ms@%dkB", size/1000))
			b.ReportMetric(float64(percentile(waits, 99))/1e6, fmt.Sprintf("p99-ms@%dkB", size/1000))
			b.ReportMetric(float64(used.Microseconds())/1e3/window, fmt.Sprintf("processor-ms@%dkB", size/1000))
		}
	}
}
