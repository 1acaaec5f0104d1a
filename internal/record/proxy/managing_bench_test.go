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

// BenchmarkManaging takes the time of whole calls of a conversation that grows by a result of 500 bytes, each fourth time of
// 20 kB: to the provider alone, through a proxy that records, and through one that manages by a policy that shapes and
// cuts. They take turns with each call, so that all three meet the same load. It measures 50 calls from each size of the
// request on. -benchtime 1x is enough.
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
	through := []caller{{"direct", provider.URL, func() {}}}
	for _, one := range []struct {
		name string
		o    record.Options
	}{{"records", record.Options{}}, {"manages", record.Options{Policy: &policy, Manage: true, Prices: prices.BuiltIn()}}} {
		s, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
		must(b, err)
		defer s.Close()
		ended := make(chan struct{}, 1)
		one.o.OnEnd = func(record.Ended) { ended <- struct{}{} }
		rec := record.New(s, one.o)
		server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
		defer server.Close()
		through = append(through, caller{one.name, server.URL, func() { <-ended }})
		defer func() {
			rec.Close()
			stats := rec.Stats()
			if stats.NotRecorded > 0 || stats.Manages && stats.Managed.Shaped == 0 {
				b.Errorf("%+v", stats)
			}
			b.ReportMetric(float64(stats.Managed.Open), "undecided-"+one.name)
		}()
	}
	for name, address := range otherProxies() {
		through = append(through, caller{name, address, func() {}})
	}
	useTools(b, through)
}

// caller is a way to the provider; recorded waits until the last call is recorded.
type caller struct {
	name, address string
	recorded      func()
}

// useTools makes each call on each way, and waits until it is recorded.
func useTools(b *testing.B, ways []caller) {
	const window = 50
	for b.Loop() {
		messages, n := `{"role":"user","content":"Look."}`, 0
		call := func(waits map[string][]time.Duration) {
			size := 500 + n%4/3*19_500
			messages += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"c%d","type":"function","function":{"name":"ls","arguments":"{}"}}]},`+
				`{"role":"tool","tool_call_id":"c%d","content":"%s"}`, n, n, strings.Repeat(fmt.Sprintf("line %d of it, ", n*7919%1000), size/15))
			n++
			for _, way := range ways {
				began := time.Now()
				resp, err := http.DefaultClient.Do(question(way.address,
					`{"model":"gpt-5.4","tools":[{"type":"function","function":{"name":"ls"}}],"messages":[`+messages+`]}`))
				must(b, err)
				_, err = io.Copy(io.Discard, resp.Body)
				must(b, err)
				resp.Body.Close()
				waits[way.name] = append(waits[way.name], time.Since(began))
				way.recorded()
			}
		}
		for _, size := range []int{8_000, 100_000, 1_000_000, 2_000_000} {
			for len(messages) < size {
				call(map[string][]time.Duration{})
			}
			waits := map[string][]time.Duration{}
			for range window {
				call(waits)
			}
			for name, took := range waits {
				b.ReportMetric(float64(percentile(took, 50))/1e6, fmt.Sprintf("p50-ms-%s@%dkB", name, size/1000))
				b.ReportMetric(float64(percentile(took, 99))/1e6, fmt.Sprintf("p99-ms-%s@%dkB", name, size/1000))
			}
		}
	}
}
