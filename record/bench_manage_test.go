//go:build unix

package record

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// BenchmarkManage measures what managing adds to a request: the same one again, or the next one of the conversation
// with a call and a result more. Every second result is sent shaped.
func BenchmarkManage(b *testing.B) {
	for name, text := range map[string]string{
		"shape": `{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000}]}`,
		"cut":   `{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000,"ttl":12,"stub":true}]}`,
	} {
		for _, size := range []int{100_000, 2_000_000} {
			b.Run(fmt.Sprint(name, "/again/", size), func(b *testing.B) { benchmarkManage(b, text, size, false) })
			b.Run(fmt.Sprint(name, "/next/", size), func(b *testing.B) { benchmarkManage(b, text, size, true) })
		}
	}
}

func benchmarkManage(b *testing.B, text string, size int, next bool) {
	policy, err := lifecycle.ParsePolicy([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	SetPatience(time.Minute)
	r := New(pact.NewDB(store.NewMemory()), Options{Policy: &policy, Manage: true})
	defer r.Close()
	req, _ := http.NewRequest(http.MethodPost, "http://localhost/v1/chat/completions", nil)
	manage := func(body []byte) *managing {
		_, _, m := r.manage(provider.Chat, req, append(bytes.Clone(body), "]}"...))
		return m
	}
	call := func(body []byte, n int) []byte {
		text := strings.Repeat("a line of output\\n", 200+400*(n%2))
		return fmt.Appendf(body, `,{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"ls","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":"%d %s"}`, n, n, n, text)
	}
	body := []byte(`{"model":"m","tools":[{"type":"function"}],"messages":[{"role":"user","content":"q"}`)
	n := 0
	for ; len(body) < size; n++ {
		body = call(body, n)
		manage(body)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	before := spent(b)
	for b.Loop() {
		now := body
		if next {
			n++
			now = call(body[:len(body):len(body)], n)
		}
		if m := manage(now); m.kept == nil {
			b.Fatal("nothing was shaped")
		}
	}
	b.ReportMetric(float64((spent(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
}

// spent returns the processor time of this program.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
