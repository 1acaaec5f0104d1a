package pact_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
)

var sizes = []int{1_000, 100_000}

// The cost of a commit must follow the change, not the history: compare the
// two sizes.
func BenchmarkCommit(b *testing.B) {
	for _, n := range sizes {
		c := longContext(b, n, "hello")
		b.Run(fmt.Sprintf("turns=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				turn(b, c, "hello")
			}
		})
	}
}

func BenchmarkAdjacentDiff(b *testing.B) {
	for _, n := range sizes {
		c := longContext(b, n, "hello")
		from, to := snapshots(b, c)
		b.Run(fmt.Sprintf("turns=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := pact.Diff(context.Background(), from, to, nil)
				if err != nil || len(r.Added) != 4 {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// Rendering a thread that was rendered before, against copying its bytes.
func BenchmarkThread(b *testing.B) {
	for _, content := range []int{40, 400, 3700} {
		s := longContext(b, 5_000, strings.Repeat("x", content)).Working()
		want, err := s.Thread(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("content=%d/render", content), func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			var out bytes.Buffer
			out.Grow(len(want) + 1)
			for b.Loop() {
				out.Reset()
				if err := s.WriteThread(context.Background(), &out); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("content=%d/copy", content), func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			var out bytes.Buffer
			out.Grow(len(want) + 1)
			for b.Loop() {
				out.Reset()
				if _, err := io.Copy(&out, bytes.NewReader(want)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The number of allocations of a commit must not grow with the history beyond
// what one more level of the tree costs.
func TestCommitAllocatesTheSameAtEverySize(t *testing.T) {
	testrun.CountsAllocations(t)
	allocs := make([]float64, 0, 2)
	for _, n := range []int{1_000, 16_000} {
		c := longContext(t, n, "hello")
		allocs = append(allocs, testing.AllocsPerRun(200, func() { turn(t, c, "hello") }))
	}
	if allocs[1] > 1.3*allocs[0] {
		t.Errorf("a commit allocates %.0f times at 1,000 turns and %.0f times at 16,000", allocs[0], allocs[1])
	}
}
