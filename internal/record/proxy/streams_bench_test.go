package proxy_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

const streamsAtOnce = 200

// streaming is a provider that sends the first event of a stream at once and the
// rest when it is let go on.
type streaming struct {
	mu   sync.Mutex
	hold chan struct{}
}

func (s *streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	const chunk = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`
	_, _ = io.WriteString(w, chunk+`"delta":{"role":"assistant","content":"one"}}]}`+"\n\n")
	_ = http.NewResponseController(w).Flush()
	<-hold
	_, _ = io.WriteString(w, chunk+`"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// BenchmarkStreams opens 200 streams at once, each with a request of 10 kB, and
// takes the time until each has its first byte and the memory that all of them
// hold then, of the client, the provider and the proxy together, and of other
// proxies as BenchmarkFirstByte does.
func BenchmarkStreams(b *testing.B) {
	s := &streaming{}
	provider := benchProvider(b, s)
	to, err := url.Parse(provider.URL)
	must(b, err)
	b.Run("direct", func(b *testing.B) { openStreams(b, s, provider.URL) })
	b.Run("proxy", func(b *testing.B) {
		file, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
		must(b, err)
		defer file.Close()
		rec := record.New(file, record.Options{})
		defer rec.Close()
		server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
		defer server.Close()
		openStreams(b, s, server.URL)
	})
	for name, address := range otherProxies() {
		b.Run(name, func(b *testing.B) { openStreams(b, s, address) })
	}
}

func openStreams(b *testing.B, s *streaming, address string) {
	transport := &http.Transport{MaxIdleConnsPerHost: streamsAtOnce}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	words := strings.Repeat("some words ", 900)
	body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"` + words + `"}]}`
	var waits []time.Duration
	var held uint64
	for b.Loop() {
		before := inUse()
		s.mu.Lock()
		s.hold = make(chan struct{})
		s.mu.Unlock()
		var first, last sync.WaitGroup
		var mu sync.Mutex
		first.Add(streamsAtOnce)
		for range streamsAtOnce {
			last.Go(func() {
				began := time.Now()
				resp, err := client.Do(question(address, body))
				if err != nil || resp.StatusCode != http.StatusOK {
					b.Error(err, resp)
					first.Done()
					return
				}
				defer resp.Body.Close()
				read := bufio.NewReaderSize(resp.Body, 512)
				_, err = read.ReadByte()
				mu.Lock()
				waits = append(waits, time.Since(began))
				mu.Unlock()
				first.Done()
				if _, copied := io.Copy(io.Discard, read); err != nil || copied != nil {
					b.Error(err, copied)
				}
			})
		}
		first.Wait()
		held += inUse() - before
		close(s.hold)
		last.Wait()
	}
	reportWaits(b, waits)
	b.ReportMetric(float64(held)/float64(b.N)/streamsAtOnce/1024, "kB/stream")
}

// inUse is the memory alive on the heap, and the stacks.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
