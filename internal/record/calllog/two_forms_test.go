package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// TestTwoFormsInOneFileAreRefused puts each sample behind each sample of another format, line by line: the error names
// both. The forms of messages alone are read together. Conversations among requests are left out, and the finding names both.
func TestTwoFormsInOneFileAreRefused(t *testing.T) {
	lines := map[string][]byte{}
	for name, data := range samples(t) {
		if !canon.InLines(data) {
			list, made := raw(bytes.TrimSpace(data)).elems(), bytes.Buffer{}
			if list == nil {
				list = []raw{data}
			}
			for _, value := range list {
				if err := json.Compact(&made, value); err != nil {
					t.Fatal(name, err)
				}
				made.WriteByte('\n')
			}
			data = made.Bytes()
		}
		lines[name] = append(bytes.TrimSpace(data), '\n')
	}
	together := func(name string) bool {
		return slices.ContainsFunc(messageFormats, func(f format) bool { return f.name == name })
	}
	talk := func(request, other string) bool {
		return request == requests.name && slices.Contains(ofMessages, other)
	}
	tried := 0
	for first, a := range lines {
		for second, b := range lines {
			one, other := Detect(a), Detect(b)
			if one == other || together(one) && together(other) {
				continue
			}
			tried++
			log, err := Read(append(bytes.Clone(a), b...))
			text := fmt.Sprint(err)
			if talk(one, other) || talk(other, one) {
				if err == nil {
					text = fmt.Sprint(log.Findings)
				} else if strings.Contains(text, requests.empty) {
					continue // the one line of requests wraps them
				}
			}
			if !strings.Contains(text, one) || !strings.Contains(text, other) {
				t.Errorf("%s (%s), then %s (%s): %v", first, one, second, other, err)
			}
		}
	}
	if tried < 600 {
		t.Errorf("only %d pairs were tried", tried)
	}
}
