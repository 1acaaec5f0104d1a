//go:build unix

package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// growingCalls are the calls at which BenchmarkGrowing looks, each over the calls before it.
var growingCalls = []int{30, 300, 3000}

const growingWindow = 20

// BenchmarkGrowing makes 3,000 calls of one conversation that grows to a megabyte, without a proxy
// and through one that records to a file. At the calls 30, 300 and 3,000 it takes, over the 20 calls
// before: the time of a call, its processor with that of client and provider, and the memory that is
// alive; over the second half of the calls before, the bytes that one adds to the file. One run is
// enough: -benchtime 1x.
func BenchmarkGrowing(b *testing.B) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"I look at the next file."},`+
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`)
	}))
	defer provider.Close()
	to, err := url.Parse(provider.URL)
	must(b, err)
	b.Run("direct", func(b *testing.B) { grow(b, provider.URL, "", func() {}) })
	b.Run("proxy", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "pact.db")
		s, err := dbtest.Open(sqlite.Open(b.Context(), path))
		must(b, err)
		defer s.Close()
		ended := make(chan struct{}, 1)
		rec := record.New(s, record.Options{OnEnd: func(record.Ended) { ended <- struct{}{} }})
		server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec}))
		defer server.Close()
		grow(b, server.URL, path, func() { <-ended })
		rec.Close()
		if stats := rec.Stats(); stats.Lost > 0 {
			b.Fatalf("%+v", stats)
		}
	})
}

// grow makes the calls. recorded waits until they are recorded.
func grow(b *testing.B, address, path string, recorded func()) {
	for b.Loop() {
		var waits []time.Duration
		var used time.Duration
		var size int64
		messages, look := "", 0
		for call := 1; call <= growingCalls[len(growingCalls)-1]; call++ {
			messages += fmt.Sprintf(`{"role":"user","content":"file %d: %s"}`, call,
				strings.Repeat(fmt.Sprintf("line %d of it, ", call*7919%1000), 15))
			switch growingCalls[look] {
			case 2 * call:
				size = sizeOf(path)
			case call + growingWindow - 1:
				waits, used = nil, processor()
			}
			began := time.Now()
			resp, err := http.DefaultClient.Do(question(address, `{"model":"m","messages":[`+messages+`]}`))
			must(b, err)
			_, err = io.Copy(io.Discard, resp.Body)
			must(b, err)
			resp.Body.Close()
			waits = append(waits, time.Since(began))
			recorded() // an agent takes longer to ask again
			messages += `,{"role":"assistant","content":"I look at the next file."},`
			if call != growingCalls[look] {
				continue
			}
			used, size = processor()-used, sizeOf(path)-size
			at := fmt.Sprintf("@%d", call)
			b.ReportMetric(float64(len(messages))/1e3, "kB-sent"+at)
			b.ReportMetric(float64(percentile(waits, 50))/1e6, "p50-ms"+at)
			b.ReportMetric(float64(percentile(waits, 99))/1e6, "p99-ms"+at)
			b.ReportMetric(float64(used.Microseconds())/1e3/growingWindow, "processor-ms"+at)
			b.ReportMetric(float64(inUse())/1e6, "MB-alive"+at)
			b.ReportMetric(float64(size)/float64(call-call/2), "B-store"+at)
			look = min(look+1, len(growingCalls)-1)
		}
	}
}

// sizeOf is the size of a file with its log, 0 for no file.
func sizeOf(path string) (size int64) {
	for _, part := range []string{path, path + "-wal"} {
		if info, err := os.Stat(part); path != "" && err == nil {
			size += info.Size()
		}
	}
	return size
}

// processor is the time of the processor that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
