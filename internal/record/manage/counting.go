package manage

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// Counting estimates how a provider counts the tokens of a model: some tokens for four bytes, and some for each
// part. It fits both numbers to the new parts of each answered request.
type Counting struct {
	bytes, each                      float64
	bytes2, both, each2, told, told2 float64 // sums of the fit
	parts                            map[hash]float64
	vary                             float64   // an estimate is multiplied with it
	line                             []counted // the first of parts, in the order of the last request that was learned from
}

// counted is a part and its tokens.
type counted struct {
	Sized
	tokens float64
}

// Each is how many tokens a part is taken to count besides its content until answers say it.
const Each = 8

// NewCounting begins with a token for four bytes and some for a part; the first answers outweigh it.
func NewCounting(each float64) *Counting {
	return &Counting{vary: 1, bytes: 1, each: each, bytes2: 1e6, told: 1e6, each2: 4, told2: 4 * each,
		parts: map[hash]float64{}}
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

// InPlaceOf returns the tokens of a content that takes the place of another in a part, in proportion to their sizes and
// with what each part counts besides.
func (c *Counting) InPlaceOf(p Sized, size int64) float64 {
	whole := c.TokensOf(p)
	if p.Size <= 0 || whole <= c.each {
		return c.each + c.bytes*float64(size)/4
	}
	return c.each + (whole-c.each)*float64(size)/float64(p.Size)
}

func (c *Counting) estimate(p Sized) float64 { return c.vary * (c.bytes*float64(p.Size)/4 + c.each) }

// Learn divides the count of a provider among the new parts. With cut it does not fit the estimate: a request that
// leaves parts out says little about how the provider counts.
func (c *Counting) Learn(parts []Sized, told float64, cut bool) {
	if len(c.parts) > mostCounted {
		clear(c.parts)
		c.line = c.line[:0]
	}
	var fresh []Sized
	size, same := 0.0, 0
	for same < min(len(parts), len(c.line)) && c.line[same].Sized == parts[same] {
		told -= c.line[same].tokens
		same++
	}
	defer c.remember(parts, same)
	for i := same; i < len(parts); i++ {
		p := parts[i]
		if n, known := c.known(i, p); known {
			told -= n
		} else {
			fresh, size = append(fresh, p), size+float64(p.Size)/4
		}
	}
	n := float64(len(fresh))
	if n == 0 || told <= 0 {
		return
	}
	if !cut {
		c.fit(size, n, told)
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

// fit adds the count of some parts to the fit.
func (c *Counting) fit(size, n, told float64) {
	c.bytes2, c.both, c.each2 = c.bytes2+size*size, c.both+size*n, c.each2+n*n
	c.told, c.told2 = c.told+size*told, c.told2+n*told
	if by := c.bytes2*c.each2 - c.both*c.both; by > 0 {
		c.each = min(max(0, (c.told2*c.bytes2-c.told*c.both)/by), mostEach)
		c.bytes = max(0.1, (c.told-c.each*c.both)/c.bytes2)
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
