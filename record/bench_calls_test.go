//go:build unix

package record_test

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// answersAtOnce is a provider without a network.
type answersAtOnce struct{}

const shortAnswer = `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`

func (answersAtOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(shortAnswer)), Request: r}, nil
}

// BenchmarkCalls takes the time and the processor of a call that adds two kilobytes to a
// conversation of 20 calls, with Strict to a file; one conversation after the other, and 64 at
// once. Rows writes the same bytes as a plain row when the request goes out and one when the
// answer is there, with the settings of the store.
func BenchmarkCalls(b *testing.B) {
	for _, streams := range []int{1, 64} {
		b.Run(fmt.Sprintf("recorder/%d", streams), func(b *testing.B) {
			s, err := dbtest.Open(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "pact.db")))
			must(b, err)
			defer s.Close()
			rec := record.New(s, record.Options{Strict: true})
			defer rec.Close()
			client := &http.Client{Transport: rec.Transport(answersAtOnce{})}
			talks(b, streams, func(name, body, _ string) {
				req, err := http.NewRequest(http.MethodPost, "http://provider/v1/chat/completions", strings.NewReader(body))
				must(b, err)
				req.Header.Set("X-Pact-Context", name)
				wholeOf(b)(client.Do(req))
			})
			if stats := rec.Stats(); stats.NotRecorded > 0 {
				b.Fatal(stats)
			}
		})
		b.Run(fmt.Sprintf("rows/%d", streams), func(b *testing.B) {
			q := url.Values{"_txlock": {"immediate"}, "_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_busy_timeout": {"60000"}}
			db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "rows.db")+"?"+q.Encode())
			must(b, err)
			defer db.Close()
			db.SetMaxOpenConns(1)
			_, err = db.Exec("CREATE TABLE rows (body BLOB)")
			must(b, err)
			talks(b, streams, func(_, _, fresh string) {
				for _, text := range []string{fresh, shortAnswer} {
					_, err := db.Exec("INSERT INTO rows VALUES (?)", []byte(text))
					must(b, err)
				}
			})
		})
	}
}

// talks makes b.N calls, in conversations of 20 calls each.
func talks(b *testing.B, streams int, call func(name, body, fresh string)) {
	began, used := time.Now(), processor()
	var wait sync.WaitGroup
	calls := make(chan int)
	for stream := range streams {
		wait.Go(func() {
			messages, talk := "", 0
			for n := range calls {
				if talk++; talk%20 == 1 {
					messages = ""
				}
				fresh := `{"role":"user","content":"` + strings.Repeat(fmt.Sprintf("file %d of %d, ", n, stream), 120) + `"}`
				messages += fresh
				call(fmt.Sprintf("%d-%d", stream, talk/20), `{"model":"m","messages":[`+messages+`]}`, fresh)
				messages += `,{"role":"assistant","content":"ok"},`
			}
		})
	}
	for n := range b.N {
		calls <- n
	}
	close(calls)
	wait.Wait()
	b.ReportMetric(float64(time.Since(began).Microseconds())/float64(b.N), "µs/call")
	b.ReportMetric(float64((processor()-used).Microseconds())/float64(b.N), "processor-µs/call")
}

// processor is the time of the processor that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
