package runfile

import (
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
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

// join puts a text together again, of most bytes at most.
func join(list []string, runs Runs, most int64) ([]byte, error) {
	var text []byte
	for i := 0; i+1 < len(runs); i += 2 {
		for at := runs[i]; at < runs[i]+runs[i+1]; at++ {
			if at < 0 || at >= len(list) {
				return nil, damaged(nil)
			}
			if text = append(text, list[at]...); int64(len(text)) > most {
				return nil, fault.New(fault.Limit, "the run in the page is too large", "")
			}
		}
	}
	return text, nil
}
