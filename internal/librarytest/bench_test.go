package librarytest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
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

// Rendering a thread that was rendered before, against copying its bytes.
func BenchmarkThread(b *testing.B) {
	for _, content := range []int{40, 400, 3700} {
		s := longContext(b, 5_000, strings.Repeat("x", content)).Working()
		want, err := s.Thread(context.Background())
		must(b, err)
		b.Run(fmt.Sprintf("content=%d/render", content), func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			var out bytes.Buffer
			out.Grow(len(want) + 1)
			for b.Loop() {
				out.Reset()
				must(b, s.WriteThread(context.Background(), &out))
			}
		})
		b.Run(fmt.Sprintf("content=%d/copy", content), func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			var out bytes.Buffer
			out.Grow(len(want) + 1)
			for b.Loop() {
				out.Reset()
				_, err = io.Copy(&out, bytes.NewReader(want))
				must(b, err)
			}
		})
	}
}
