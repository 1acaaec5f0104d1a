package record

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// BenchmarkManage measures what managing adds to a request whose results were all decided about before, of which every
// second one is sent shaped.
func BenchmarkManage(b *testing.B) {
	for name, text := range map[string]string{
		"shape": `{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000}]}`,
		"cut":   `{"rules":[{"select":".cb[kind='result'][bytes>8000]","head":2000,"tail":1000,"ttl":12,"stub":true}]}`,
	} {
		benchmarkManage(b, name, text)
	}
}

func benchmarkManage(b *testing.B, name, text string) {
	for _, size := range []int{100_000, 2_000_000} {
		b.Run(fmt.Sprint(name, "/", size), func(b *testing.B) {
			policy, err := lifecycle.ParsePolicy([]byte(text))
			if err != nil {
				b.Fatal(err)
			}
			r := New(pact.NewDB(store.NewMemory()), Options{Policy: &policy, Manage: true})
			defer r.Close()
			body := []byte(`{"model":"m","tools":[{"type":"function"}],"messages":[{"role":"user","content":"q"}`)
			for n := 0; len(body) < size; n++ {
				text := strings.Repeat("a line of output\\n", 200+400*(n%2))
				body = fmt.Appendf(body, `,{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"ls","arguments":"{}"}}]},`+
					`{"role":"tool","tool_call_id":"c%d","content":"%d %s"}`, n, n, n, text)
				req, _ := http.NewRequest(http.MethodPost, "http://localhost/v1/chat/completions", nil)
				SetPatience(time.Minute)
				r.manage(provider.Chat, req, append(bytes.Clone(body), "]}"...))
			}
			body = append(body, "]}"...)
			req, _ := http.NewRequest(http.MethodPost, "http://localhost/v1/chat/completions", nil)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, m := r.manage(provider.Chat, req, body); m.kept == nil {
					b.Fatal("nothing was shaped")
				}
			}
		})
	}
}
