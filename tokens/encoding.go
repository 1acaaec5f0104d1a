package tokens

import (
	"bufio"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// encoding is a way to cut a text into pieces, and the vocabulary into whose tokens the
// bytes of a piece are merged.
type encoding struct {
	next       func(*splitter, int) int
	vocabulary func() *vocabulary
}

var (
	o200kBase  = &encoding{(*splitter).o200k, sync.OnceValue(func() *vocabulary { return load("o200k_base.tiktoken") })}
	cl100kBase = &encoding{(*splitter).cl100k, sync.OnceValue(func() *vocabulary { return load("cl100k_base.tiktoken") })}
)

// vocabulary holds the tokens of an encoding with their ranks, which are also their ids.
type vocabulary struct {
	ranks   map[string]uint32
	twos    [1 << 16]uint32 // the ranks of pairs of bytes, the most frequent look-ups
	longest int             // bytes of the longest token
}

// load reads a compiled-in vocabulary: one line for each token, with its bytes in base64
// and its rank. It panics if the build damaged the file; no input can cause that.
func load(file string) *vocabulary {
	f, err := assets.Assets.Open(file)
	if err != nil {
		panic("tokens: " + err.Error())
	}
	defer f.Close()
	v, err := readVocabulary(f)
	if err != nil {
		panic("tokens: " + file + ": " + err.Error())
	}
	return v
}

func readVocabulary(r io.Reader) (*vocabulary, error) {
	var all strings.Builder // of every token, so that they share one string
	var ends []int
	var ranks []uint32
	var token []byte
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		text, number, _ := strings.Cut(lines.Text(), " ")
		var err error
		if token, err = base64.StdEncoding.AppendDecode(token[:0], []byte(text)); err != nil {
			return nil, err
		}
		rank, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return nil, err
		}
		all.Write(token)
		ends = append(ends, all.Len())
		ranks = append(ranks, uint32(rank))
	}
	v := &vocabulary{ranks: make(map[string]uint32, len(ends))}
	start := 0
	for i, end := range ends {
		v.ranks[all.String()[start:end]] = ranks[i]
		v.longest = max(v.longest, end-start)
		start = end
	}
	for i := range v.twos {
		v.twos[i] = v.rank(string([]byte{byte(i >> 8), byte(i)}))
	}
	return v, lines.Err()
}

// rank returns the rank of a token, or none.
func (v *vocabulary) rank(token string) uint32 {
	if len(token) <= v.longest {
		if rank, found := v.ranks[token]; found {
			return rank
		}
	}
	return none
}

// longestPiece bounds the bytes that are merged at once, and so the memory. A longer
// piece, which no real text has, is merged in parts; the count may be off by a few tokens
// for each part.
const longestPiece = 4 << 20

// count returns the number of tokens of text.
func (e *encoding) count(text string) (n int) {
	e.each(text, func(m *merger, piece string) { n += m.merge(piece) })
	return n
}

// each calls do for each piece of text, in order.
func (e *encoding) each(text string, do func(m *merger, piece string)) (steps int) {
	if text == "" {
		return 0
	}
	m := &merger{vocabulary: e.vocabulary()}
	s := newSplitter(text)
	for i := 0; i < len(text); {
		end := e.next(s, i)
		for ; end-i > longestPiece; i += longestPiece {
			do(m, text[i:i+longestPiece])
		}
		do(m, text[i:end])
		i = end
	}
	return s.steps + m.steps
}
