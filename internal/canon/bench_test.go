package canon

import (
	"strings"
	"testing"
)

func BenchmarkAppendString(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("The quick brown fox. ", 50),
		"lines": strings.Repeat("a line of text\n", 70),
		"cjk":   strings.Repeat("日本語", 350),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			buf := make([]byte, 0, 8*len(s))
			for b.Loop() {
				buf = AppendString(buf[:0], s)
			}
		})
	}
}

func BenchmarkContentHash(b *testing.B) {
	content, role, kind := String(strings.Repeat("some content ", 80)), String("user"), String("text")
	source := String("somewhere")
	attrs := func(yield func(string, Value) bool) {
		_ = yield("author", source) && yield("data_source", source)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, ok := ContentHash(content, role, kind, attrs); !ok {
			b.Fatal("no hash")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"content":"a line of text\n","id":"n1","priority":5,"ttl":null},`, 100) + "[]]")
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
