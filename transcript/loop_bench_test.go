package transcript

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// BenchmarkLoop is the loop of an agent in a long conversation: edit a turn of
// 3.7 kB in four messages, prepare it, write all of it as OpenAI messages,
// commit; beside, in every round, copying as many bytes. The figures are medians, the
// ratios those of the loop, and of writing alone, to copying.
func BenchmarkLoop(b *testing.B) {
	ctx := context.Background()
	stores := map[string]func(b *testing.B) *pact.DB{
		"memory": func(*testing.B) *pact.DB { return pact.NewDB(store.NewMemory()) },
		"sqlite": func(b *testing.B) *pact.DB {
			s, err := dbtest.Open(sqlite.Open(ctx, filepath.Join(b.TempDir(), "loop.db")))
			must(b, err)
			b.Cleanup(func() { s.Close() })
			return s
		},
	}
	for _, name := range []string{"memory", "sqlite"} {
		for _, turns := range []int{1_000, 5_000} {
			b.Run(fmt.Sprintf("%s/turns=%d", name, turns), func(b *testing.B) {
				c, err := pact.Create(ctx, stores[name](b), "loop", nil)
				must(b, err)
				for range turns {
					edit(b, c)
					if _, err := c.Commit(ctx, nil); err != nil {
						b.Fatal(err)
					}
				}
				must(b, WriteOpenAI(ctx, io.Discard, c.Working()))
				var out, copied bytes.Buffer
				out.Grow(turns * 5_000)
				copied.Grow(turns * 5_000)
				must(b, WriteOpenAI(ctx, &out, c.Working()))
				source := bytes.Clone(out.Bytes())
				var loop, write, plain []time.Duration
				for b.Loop() {
					out.Reset()
					copied.Reset()
					began := time.Now()
					edit(b, c)
					candidate, err := c.Prepare(ctx, nil)
					must(b, err)
					writing := time.Now()
					must(b, WriteOpenAI(ctx, &out, candidate.Snapshot))
					write = append(write, time.Since(writing))
					if _, err := c.Commit(ctx, nil); err != nil {
						b.Fatal(err)
					}
					loop = append(loop, time.Since(began))
					began = time.Now()
					copied.Write(source)
					plain = append(plain, time.Since(began))
				}
				copying := median(plain)
				b.ReportMetric(median(loop)/copying, "loop/copy")
				b.ReportMetric(median(write)/copying, "write/copy")
				b.ReportMetric(copying, "copy-µs")
				b.ReportMetric(median(write), "write-µs")
				b.ReportMetric(median(loop), "loop-µs")
			})
		}
	}
}

// median is that of some durations, in microseconds.
func median(list []time.Duration) float64 {
	slices.Sort(list)
	return list[len(list)/2].Seconds() * 1e6
}

// edit adds what a turn brings: a question, a call, its result, an answer.
func edit(b *testing.B, c *pact.Context) {
	text := strings.Repeat("words of ", 900/9)
	must(b, c.Edit(context.Background(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		call := b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Content: map[string]any{"name": "find",
			"arguments": text}})
		b.Add("^ah", pact.Spec{Role: "tool", Kind: "result", Refs: []string{call}, Content: text})
		b.Add("^ah", pact.Spec{Role: "assistant", Kind: "text", Content: text})
		return nil
	}, nil))
}
