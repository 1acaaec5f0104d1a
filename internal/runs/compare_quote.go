package runs

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
)

// alike is how many characters that two texts share stand in a quotation of where they part.
const alike = 12

// breaksOfLines writes the breaks of a text, in which alone two may differ.
var breaksOfLines = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)

// quote quotes two blocks that begin alike from where they part. Cost: their texts.
func (p *Divergence) quote(ctx context.Context, a, b *pact.Context) error {
	if p == nil || p.BlockA == nil || p.BlockA.Node == "" || p.BlockB.Node == "" || p.BlockA.Begins != p.BlockB.Begins {
		return nil
	}
	both := [2]Block{*p.BlockA, *p.BlockB}
	var texts [2][]rune
	for i, c := range []*pact.Context{a, b} {
		text, err := both[i].text(ctx, c)
		if err != nil {
			return err
		}
		texts[i] = []rune(text)
	}
	at := 0
	for at < min(len(texts[0]), len(texts[1])) && texts[0][at] == texts[1][at] {
		at++
	}
	if at == max(len(texts[0]), len(texts[1])) {
		return nil // they differ in who says it, or how
	}
	from, begin := max(0, at-alike), ""
	if from > 0 {
		begin = "…"
	}
	for i, text := range texts {
		text, end := text[from:], ""
		if len(text) > firstWords {
			text, end = text[:firstWords], "…"
		}
		both[i].Begins = begin + breaksOfLines.Replace(string(text)) + end
	}
	p.Says = bothInWords(&both[0], &both[1], b.Info().Name)
	return nil
}

// text returns what a block says.
func (b *Block) text(ctx context.Context, c *pact.Context) (string, error) {
	s, err := c.Working(), error(nil)
	if !b.Unsent {
		if s, err = c.At(ctx, pact.Cycle(b.Call)); err != nil {
			return "", err
		}
	}
	n, err := tree.Of(s).Node(b.Node)
	if err != nil {
		return "", err
	}
	content, err := n.Content.Value(ctx)
	return textOf(n, content), err
}
