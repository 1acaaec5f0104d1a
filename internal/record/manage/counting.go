package manage

import (
	"math"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Counting estimates how a provider counts the tokens of a model: some tokens for four bytes of what tools say, of
// which numbers and code have others than words, some for four bytes of anything else, and some for each part. It fits
// the three to the new parts of each answered request.
type Counting struct {
	fit  [rates]float64  // the tokens
	sums [rates]struct { // of products with each rate, and with what was told, for the fit
		of   [rates]float64
		told float64
	}
	parts     map[hash]float64
	vary      float64   // an estimate is multiplied with it
	last      []Sized   // the parts of the last request that was learned from
	line      []float64 // the tokens of the first of these, as far as they are known
	forgotten int       // how often all was
}

// What has a rate of its own.
const (
	words = iota
	said  // by tools
	each
	rates
)

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
func (c *Counting) TokensOf(p Sized) float64 {
	if n, known := c.parts[p.Hash]; known {
		return n
	}
	return c.estimate(p)
}

// Add adds to a list the tokens of parts. Cost: linear in them; it looks at those alone that do not go on in the array
// of the last request that was learned from.
func (c *Counting) Add(list []float64, parts []Sized) []float64 {
	same := c.commonParts(parts)
	list = append(list, c.line[:same]...)
	for _, p := range parts[same:] {
		list = append(list, c.TokensOf(p))
	}
	return list
}

// commonParts returns how many of the first parts are those of the line. Nothing changes in an array of parts but that
// others are added behind.
func (c *Counting) commonParts(parts []Sized) (same int) {
	most := min(len(parts), len(c.line))
	if most > 0 && &parts[0] == &c.last[0] {
		return most
	}
	for same < most && c.last[same] == parts[same] {
		same++
	}
	return same
}

// remember notes the parts of a request that are known, up to the first one that is not; same is how many of the line
// it has.
func (c *Counting) remember(parts []Sized, same int) {
	c.last, c.line = parts, c.line[:same]
	for _, p := range parts[same:] {
		n, known := c.parts[p.Hash]
		if !known {
			return
		}
		c.line = append(c.line, n)
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
		c.forgotten++
	}
	var unknown []Sized
	var row [rates]float64
	same := c.commonParts(parts)
	for _, n := range c.line[:same] {
		told -= n
	}
	defer c.remember(parts, same)
	for _, p := range parts[same:] {
		if n, known := c.parts[p.Hash]; known {
			told -= n
			continue
		}
		unknown = append(unknown, p)
		of := words
		if p.Result {
			of = said
		}
		row[of], row[each] = row[of]+float64(p.Size)/4, row[each]+1
	}
	if len(unknown) == 0 || told <= 0 {
		return
	}
	if !cut {
		c.add(row, told)
		c.solve()
	}
	all := 0.0
	for _, p := range unknown {
		all += c.estimate(p)
	}
	for _, p := range unknown {
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

// solve fits the rates within their bounds: one after the other, by the others, a hundred times round, which changes
// little at the end.
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
