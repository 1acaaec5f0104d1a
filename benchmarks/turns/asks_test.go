package main

import (
	"context"
	"testing"

	"github.com/contexttree/pact/benchmarks/talk"
)

// Both sides hold the same contents and have an answer to every question.
func TestBothSidesAnswer(t *testing.T) {
	b, err := newBench(t.Context(), 12)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, question := range []string{"node", "key", "last", "diff", "half"} {
		if err := ask(context.Background(), "ours:"+question, b.filled()); err != nil {
			t.Errorf("ours, %s: %v", question, err)
		}
		if err := ask(context.Background(), "plain:"+question, b.plainFilled()); err != nil {
			t.Errorf("plain rows, %s: %v", question, err)
		}
	}
	s, c := b.context()
	defer s.Close()
	hits, err := c.Find(t.Context(), ".block", nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for _, h := range hits {
		text, err := h.Node.Text(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ours += len(text)
	}
	var plain int
	p := b.openPlainToWrite(b.plainFilled())
	defer p.db.Close()
	if err := p.db.QueryRow("SELECT sum(length(body)) FROM content").Scan(&plain); err != nil {
		t.Fatal(err)
	}
	if want := 12 * talk.TurnBytes; ours != want || plain != want {
		t.Errorf("ours has %d bytes of contents, plain rows have %d, want %d", ours, plain, want)
	}
}
