package manage

import (
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// A list with more texts than it may hold leaves those that a block keeps to the block, and a request that follows it
// has the same text.
func TestAListLeavesItsTextsToTheirBlocks(t *testing.T) {
	defer func(n int) { MostHeld = n }(MostHeld)
	l, text := NewList(), canon.String("short [the rest is left out]")
	l.Add(Decision{Action: Shaped, Key: "k", ID: "a", Text: text, Block: "block:1"})
	l.Add(Decision{Action: Shaped, Key: "other", ID: "b", Text: text})
	loaded := 0
	load := func(block string) func() (canon.Value, error) {
		return func() (canon.Value, error) { loaded++; return text, nil }
	}
	MostHeld = 2 * len(text)
	if l.Shed(load); loaded > 0 || l.by["k"][0].Text == "" {
		t.Fatal("a list that holds no more than it may sheds texts")
	}
	MostHeld = len(text)
	l.Shed(load)
	if _, held := l.Size(); held != len(text) || l.by["k"][0].Text != "" || l.by["other"][0].Text == "" {
		t.Fatalf("it holds %d bytes of %d", held, 2*len(text))
	}
	d, err := l.of("k", func(string) bool { return true }, true).read()
	if err != nil || d.Text != text || d.value.Text != text.Any().Text || loaded != 1 {
		t.Errorf("%+v, %v, loaded %d times", d, err, loaded)
	}
}
