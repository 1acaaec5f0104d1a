package tokens

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkCount counts what contexts are made of and what is worst, in MB/s.
func BenchmarkCount(b *testing.B) {
	texts := []struct{ name, text string }{
		{"prose", read(b, "../docs/*.md")},
		{"code", read(b, "../*/*.go")},
		{"chinese", strings.Repeat("树的每个节点都有位置、寿命和来源，每次提交都会留下一个不可变的快照。", 2000)},
		{"one letter", strings.Repeat("a", 1<<20)},
		{"blank lines", strings.Repeat(" \n", 1<<19)},
	}
	for _, c := range []*Counter{o200k, cl100k, quarter} {
		c.Count("loads the vocabulary ") // which is BenchmarkLoad's subject
		for _, t := range texts {
			b.Run(c.Name()+"/"+t.name, func(b *testing.B) {
				b.SetBytes(int64(len(t.text)))
				b.ReportAllocs()
				for b.Loop() {
					c.Count(t.text)
				}
			})
		}
	}
}

// BenchmarkLoad measures the first count.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []*Counter{o200k, cl100k} {
		b.Run(c.Name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				load(c.Name() + ".tiktoken")
			}
		})
	}
}

func read(b *testing.B, pattern string) string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		b.Fatal(pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
