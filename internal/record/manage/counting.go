package manage

import (
	"math"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Counting estimates how a provider counts the tokens of a model: some tokens for four bytes of what tools say, of which
// numbers and code have others than words, some for four bytes of anything else, and some for each part. It fits the
// three to the new parts of each answered request.
type Counting struct {
	fit  [rates]float64  // the tokens
	sums [rates]struct { // of products with each rate, and with what was told, for the fit
		of   [rates]float64
		told float64
	}
	parts map[hash]float64
	vary  float64   // an estimate is multiplied with it
	line  []counted // the first of parts, in the order of the last request that was learned from
}

// What has a rate of its own.
const (
	words = iota
	said  // by tools
	each
	rates
)

// counted is a part and its tokens.
type counted struct {
	Sized
	tokens float64
}

// Each is how many tokens a part is taken to count besides its content until answers say it.
const Each = 8

// NewCounting begins with a token for four bytes and some for a part; the first answers outweigh it.
func NewCounting(by float64) *Counting {
	c := &Counting{vary: 1, fit: [rates]float64{1, 1, by}, parts: map[hash]float64{}}
	const first = 1000 // tokens that tell as much
	c.add([rates]float64{words: first}, first)
	c.add([rates]float64{words: -first, said: first}, 0) // until tools say something, that is words
	c.add([rates]float64{each: 2}, 2*by)
	return c
}

// TokensOf returns the tokens of a part: those that it had in an earlier request, or an estimate.
func (c *Counting) TokensOf(p Sized) float64 { return c.TokensAt(-1, p) }

// TokensAt is TokensOf for the i-th part of a request, counted from 0. It looks first where the last request had it.
func (c *Counting) TokensAt(i int, p Sized) float64 {
	if n, known := c.known(i, p); known {
		return n
	}
	return c.estimate(p)
}

func (c *Counting) known(i int, p Sized) (tokens float64, known bool) {
	if i >= 0 && i < len(c.line) && c.line[i].Sized == p {
		return c.line[i].tokens, true
	}
	tokens, known = c.parts[p.Hash]
	return tokens, known
}

// remember notes the parts of a request that are known, up to the first one that is not; from is how many of the first it
// has.
func (c *Counting) remember(parts []Sized, from int) {
	for i := from; i < len(parts); i++ {
		p := parts[i]
		if i < len(c.line) && c.line[i].Sized == p {
			continue
		}
		n, known := c.parts[p.Hash]
		if c.line = c.line[:i]; !known {
			return
		}
		c.line = append(c.line, counted{p, n})
	}
}

// InPlaceOf returns the tokens of a part of whose content a piece is left, beside notes: the piece in proportion to its
// size, what each part counts besides, and the notes as words.
func (c *Counting) InPlaceOf(p Sized, piece, notes int64) float64 {
	whole, other := c.TokensOf(p), c.fit[each]+c.fit[words]*float64(notes)/4
	if p.Size <= 0 || whole <= c.fit[each] {
		return other + c.rate(p)*float64(piece)/4
	}
	return other + (whole-c.fit[each])*float64(piece)/float64(p.Size)
}

func (c *Counting) rate(p Sized) float64 {
	if p.Result {
		return c.fit[said]
	}
	return c.fit[words]
}

func (c *Counting) estimate(p Sized) float64 {
	return c.vary * (c.rate(p)*float64(p.Size)/4 + c.fit[each])
}

// Learn divides the count of a provider among the new parts. With cut it does not fit the estimate: a request that
// leaves parts out says little about how the provider counts.
func (c *Counting) Learn(parts []Sized, told float64, cut bool) {
	if len(c.parts) > mostCounted {
		clear(c.parts)
		c.line = c.line[:0]
	}
	var fresh []Sized
	var row [rates]float64
	same := 0
	for same < min(len(parts), len(c.line)) && c.line[same].Sized == parts[same] {
		told -= c.line[same].tokens
		same++
	}
	defer c.remember(parts, same)
	for i := same; i < len(parts); i++ {
		p := parts[i]
		if n, known := c.known(i, p); known {
			told -= n
			continue
		}
		fresh = append(fresh, p)
		of := words
		if p.Result {
			of = said
		}
		row[of], row[each] = row[of]+float64(p.Size)/4, row[each]+1
	}
	if len(fresh) == 0 || told <= 0 {
		return
	}
	if !cut {
		c.add(row, told)
		c.solve()
	}
	all := 0.0
	for _, p := range fresh {
		all += c.estimate(p)
	}
	for _, p := range fresh {
		c.parts[p.Hash] = told * c.estimate(p) / all
	}
}

// mostEach is how many tokens a part counts at most besides its content. A fit that says more fits texts of which one
// kind has more tokens a byte than another.
const mostEach = 16

// add adds to the fit that some of each rate have so many tokens.
func (c *Counting) add(row [rates]float64, told float64) {
	for i := range row {
		for k := range row {
			c.sums[i].of[k] += row[i] * row[k]
		}
		c.sums[i].told += row[i] * told
	}
}

// solve fits the rates within their bounds: one after the other, by the others, a hundred times round, which changes little
// at the end.
func (c *Counting) solve() {
	least, most := [rates]float64{0.1, 0.1, 0}, [rates]float64{math.Inf(1), math.Inf(1), mostEach}
	for range 100 {
		for i := range c.fit {
			rest := c.sums[i].told
			for k := range c.fit {
				if k != i {
					rest -= c.sums[i].of[k] * c.fit[k]
				}
			}
			c.fit[i] = min(max(least[i], rest/c.sums[i].of[i]), most[i])
		}
	}
}

// sizeOf returns how long a content is, for a forecast: line breaks, quotes and backslashes, which are mostly
// tokens of their own, count twice.
func sizeOf(content canon.Any) int64 {
	if content.Kind != canon.KindString {
		return int64(len(content.AppendTo(nil)))
	}
	text := content.Text
	return int64(len(text) + strings.Count(text, "\n") + strings.Count(text, `"`) + strings.Count(text, `\`))
}
