package runfile

import (
	"context"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
)

// Runs is a text as runs of pieces: the index of a piece and how many follow each other from it, again and again.
type Runs []int

// Add adds an index.
func (r *Runs) Add(index int) {
	if n := len(*r); n > 0 && (*r)[n-2]+(*r)[n-1] == index {
		(*r)[n-1]++
		return
	}
	*r = append(*r, index, 1)
}

// pieces are the different pieces of all texts.
type pieces struct {
	list  []string
	index map[string]int
}

// Sizes of a piece in bytes. The mask makes one of 512 bytes end a piece, beyond the least size.
const (
	leastPiece = 128
	mostPiece  = 4096
	endMask    = 511 << 40
)

// gear has a number for each byte. A piece ends where the numbers of the bytes before say so, and so at the same
// places in two texts where they are alike, wherever these begin.
var gear = func() (table [256]uint64) {
	x := uint64(0x9e3779b97f4a7c15)
	for i := range table {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		table[i] = x
	}
	return table
}()

// add cuts a text into pieces and keeps those that are new. The text must be UTF-8.
func (p *pieces) add(text string) (runs Runs) {
	for len(text) > 0 {
		end, hash := 0, uint64(0)
		for end < len(text) && end < mostPiece {
			hash = hash<<1 + gear[text[end]]
			if end++; end >= leastPiece && hash&endMask == 0 {
				break
			}
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		at, known := p.index[text[:end]]
		if !known {
			if p.index == nil {
				p.index = map[string]int{}
			}
			at = len(p.list)
			p.list = append(p.list, text[:end])
			p.index[text[:end]] = at
		}
		runs.Add(at)
		text = text[end:]
	}
	return runs
}

// join puts a text together again, of most bytes at most, and holds it in the budget of ctx. Each piece adds a byte at least, so
// that the cost is bounded by most.
func join(ctx context.Context, list []string, runs Runs, most int64) ([]byte, error) {
	if slices.Contains(list, "") {
		return nil, damaged(nil)
	}
	size := int64(0)
	for text, err := range piecesOf(list, runs) {
		if err != nil {
			return nil, err
		}
		if size += int64(len(text)); size > most {
			return nil, fault.New(fault.Limit, "the run in the page is too large", "")
		}
	}
	if _, err := budget.Hold(ctx, size); err != nil { // the caller goes on to read it
		return nil, err
	}
	text := make([]byte, 0, size)
	for piece := range piecesOf(list, runs) {
		text = append(text, piece...)
	}
	return text, ctx.Err()
}

// piecesOf yields the pieces of a text, or that one is not there.
func piecesOf(list []string, runs Runs) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := 0; i+1 < len(runs); i += 2 {
			for at, n := runs[i], runs[i+1]; n > 0; at, n = at+1, n-1 {
				if at < 0 || at >= len(list) {
					yield("", damaged(nil))
					return
				}
				if !yield(list[at], nil) {
					return
				}
			}
		}
	}
}
