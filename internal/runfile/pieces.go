package runfile

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sort"
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

// lastText is the text of a kind that was added last. The next one mostly begins like it.
type lastText struct {
	text    []byte
	indexes []int // of its pieces
	ends    []int // where these end in the text
	lists
}

// lists writes lists of indexes, each as what differs from the one before.
type lists struct {
	last []int
	at   int // in File.lists
}

// add adds a list. It begins with [-1-k, n] if its first n indexes are those of list k.
func (l *lists) add(to *[]Runs, indexes []int, from int) int {
	same := from
	for same < min(len(indexes), len(l.last)) && indexes[same] == l.last[same] {
		same++
	}
	if same == len(indexes) && same == len(l.last) && same > 0 {
		return l.at
	}
	runs := Runs{}
	if same > 0 {
		runs = append(runs, -1-l.at, same)
	}
	for _, index := range indexes[same:] {
		runs.Add(index)
	}
	l.last, l.at = append(l.last[:same], indexes[same:]...), len(*to)
	*to = append(*to, runs)
	return l.at
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
func (p *pieces) add(text []byte) (runs Runs) {
	for len(text) > 0 {
		end := cut(text)
		runs.Add(p.intern(text[:end]))
		text = text[end:]
	}
	return runs
}

// next cuts a text into pieces and adds it to the lists. The first common bytes are those of the one before. Cost: that of
// what is new in it, and of comparing the others with the one before.
func (p *pieces) next(g *lastText, to *[]Runs, text []byte, common int) int {
	most := min(len(text), len(g.text))
	for common+mostPiece <= most && bytes.Equal(text[common:common+mostPiece], g.text[common:common+mostPiece]) {
		common += mostPiece
	}
	for common < most && text[common] == g.text[common] {
		common++
	}
	same := sort.SearchInts(g.ends, common+1)
	if same == len(g.ends) && same > 0 && len(text) != len(g.text) { // a text ends the last piece wherever it stands
		same--
	}
	g.indexes, g.ends = g.indexes[:same], g.ends[:same]
	at := 0
	if same > 0 {
		at = g.ends[same-1]
	}
	for at < len(text) {
		end := at + cut(text[at:])
		g.indexes, g.ends = append(g.indexes, p.intern(text[at:end])), append(g.ends, end)
		at = end
	}
	g.text = append(g.text[:common], text[common:]...)
	return g.add(to, g.indexes, same)
}

// cut returns where the first piece of a text ends.
func cut(text []byte) int {
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
	return end
}

// intern returns the index of a piece.
func (p *pieces) intern(piece []byte) int {
	at, known := p.index[string(piece)]
	if !known {
		if p.index == nil {
			p.index = map[string]int{}
		}
		at = len(p.list)
		p.list = append(p.list, string(piece))
		p.index[p.list[at]] = at
	}
	return at
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
			return nil, fault.New(fault.Limit, "the run in the page is too large", "import the history or the log that the page was made of")
		}
	}
	if _, err := budget.Reserve(ctx, size); err != nil { // the caller goes on to read it
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
