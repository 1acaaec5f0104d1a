package record

import "crypto/sha256"

// counting estimates how a provider counts the tokens of a model: some tokens for four bytes, and some for each
// part. It fits both numbers to the new parts of each answered request.
type counting struct {
	bytes, each                      float64
	bytes2, both, each2, told, told2 float64 // sums of the fit
	parts                            map[[sha256.Size]byte]float64
}

// newCounting begins with a token for four bytes and eight for a part; the first answers outweigh it.
func newCounting() *counting {
	return &counting{bytes: 1, each: 8, bytes2: 1e6, told: 1e6, each2: 4, told2: 32,
		parts: map[[sha256.Size]byte]float64{}}
}

// tokensOf returns the tokens of a part: those that it had in an earlier request, or an estimate.
func (c *counting) tokensOf(p sized) float64 {
	if n, known := c.parts[p.hash]; known {
		return n
	}
	return c.estimate(p)
}

func (c *counting) estimate(p sized) float64 { return c.bytes*float64(p.size)/4 + c.each }

// learn divides the count of a provider among the new parts. With cut it does not fit the estimate: a request that
// leaves parts out says little about how the provider counts.
func (c *counting) learn(parts []sized, told float64, cut bool) {
	if len(c.parts) > mostKeys {
		clear(c.parts)
	}
	var fresh []sized
	size := 0.0
	for _, p := range parts {
		if n, known := c.parts[p.hash]; known {
			told -= n
		} else {
			fresh, size = append(fresh, p), size+float64(p.size)/4
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
		c.parts[p.hash] = told * c.estimate(p) / all
	}
}

// fit adds the count of some parts to the fit.
func (c *counting) fit(size, n, told float64) {
	c.bytes2, c.both, c.each2 = c.bytes2+size*size, c.both+size*n, c.each2+n*n
	c.told, c.told2 = c.told+size*told, c.told2+n*told
	if by := c.bytes2*c.each2 - c.both*c.both; by > 0 {
		c.bytes = max(0.1, (c.told*c.each2-c.told2*c.both)/by)
		c.each = max(0, (c.told2*c.bytes2-c.told*c.both)/by)
	}
}
