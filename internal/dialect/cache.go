package dialect

import (
	"crypto/sha256"
	"time"

	"github.com/contexttree/pact/internal/api"
)

// Cache follows what a provider keeps of the calls of one conversation: which
// prefixes, until when, and how many tokens the provider counted for them. It
// knows nothing of other conversations that the provider keeps prefixes of.
type Cache struct {
	dialect *Dialect
	entries map[prefix]*entry
	last    *call
}

// prefix tells prefixes apart: the model, the settings that count up to its end,
// and its blocks.
type prefix [sha256.Size]byte

// entry is a prefix that was cached.
type entry struct {
	used   time.Time // when it was written or read last
	life   Lifetime
	tokens *int64 // nil where the provider did not say
}

// call is the last call and what was expected of it.
type call struct {
	model    string
	blocks   []Block
	prefixes []prefix // that end with each of the blocks
	marked   []int    // the places of blocks with a marker
	fresh    []prefix // that it is taken to have written
	at       time.Time
	Forecast
}

// Forecast is what a provider can be expected to read from its cache.
type Forecast struct {
	Blocks int    // of the longest prefix that is there
	Tokens *int64 // of that, as the provider counted them; nil where it did not
	AtMost *int64 // a longer prefix has so many tokens; nil where none is known
	// Unsure: its lifetime may have run out, the provider does not promise more.
	Unsure bool
	// Lapsed is how many blocks could be read if their lifetime had not run out, 0
	// where it has not; Idle how long ago they were used.
	Lapsed int
	Idle   time.Duration
}

// NewCache returns an empty cache.
func (d *Dialect) NewCache() *Cache { return &Cache{dialect: d, entries: map[prefix]*entry{}} }

// Call says what the provider can be expected to read for a request that is sent
// at a time, and takes the request into the cache. Cost: linear in the blocks.
func (c *Cache) Call(p *Prompt, at time.Time) Forecast {
	now := &call{model: p.Model, at: at, blocks: p.Blocks, prefixes: c.prefixesOf(p)}
	for i := range p.Blocks {
		if p.Blocks[i].Marked {
			now.marked = append(now.marked, i)
		}
	}
	now.Forecast = c.forecast(now)
	c.last = now
	c.take(p)
	return now.Forecast
}

// prefixesOf returns the prefixes that end with each of the blocks.
func (c *Cache) prefixesOf(p *Prompt) []prefix {
	list := make([]prefix, len(p.Blocks))
	h := sha256.New()
	write := func(text string) {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	write(p.Model)
	section := api.Section(0)
	settle := func(upTo api.Section) {
		for ; section <= upTo; section++ {
			for i := range c.dialect.Settings {
				if c.dialect.Settings[i].From == section {
					write(p.Settings[i])
				}
			}
		}
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		settle(b.Section)
		if !b.Apart {
			h.Write([]byte{byte(b.Section)})
			h.Write(b.hash[:])
		}
		h.Sum(list[i][:0])
	}
	return list
}

// forecast looks for the longest prefix that is cached, and for the longest that
// would be if none had run out.
func (c *Cache) forecast(now *call) (f Forecast) {
	lapsed := 0
	for _, end := range c.ends(now) {
		looked := 0
		for i := end; i >= 0 && (c.dialect.LookBack == 0 || looked < c.dialect.LookBack); i-- {
			if now.blocks[i].Apart {
				continue
			}
			looked++
			e := c.entries[now.prefixes[i]]
			if e == nil {
				continue
			}
			idle := now.at.Sub(e.used)
			if e.life.Most > 0 && idle > e.life.Most {
				if i+1 > lapsed {
					lapsed, f.Idle = i+1, idle
				}
				continue
			}
			if i+1 > f.Blocks {
				f.Blocks, f.Tokens = i+1, e.tokens
				f.Unsure = e.life.Sure == 0 || idle > e.life.Sure
			}
			break
		}
	}
	if lapsed > f.Blocks {
		f.Lapsed = lapsed
	} else {
		f.Idle = 0
	}
	if f.Blocks > 0 && f.Tokens == nil {
		f.AtMost = c.longer(now.prefixes[f.Blocks-1], f.Blocks-1)
	}
	if f.Unsure && f.Blocks > 0 {
		f.Idle = now.at.Sub(c.entries[now.prefixes[f.Blocks-1]].used)
	}
	return f
}

// ends are the places from which on a prefix is looked for: the markers or,
// where the provider caches by itself, the last block.
func (c *Cache) ends(now *call) []int {
	if c.dialect.Marked {
		return now.marked
	}
	if len(now.prefixes) == 0 {
		return nil
	}
	return []int{len(now.prefixes) - 1}
}

// longer is how many tokens a prefix of the last call has that was counted and
// begins with a prefix, which ends with the i-th block; nil if there is none.
func (c *Cache) longer(p prefix, i int) *int64 {
	if c.last == nil || i >= len(c.last.prefixes) || c.last.prefixes[i] != p {
		return nil
	}
	for ; i < len(c.last.prefixes); i++ {
		if e := c.entries[c.last.prefixes[i]]; e != nil && e.tokens != nil {
			return e.tokens
		}
	}
	return nil
}

// take puts the prefixes of the last call into the cache, and renews those that it
// read.
func (c *Cache) take(p *Prompt) {
	now := c.last
	for i := range now.prefixes {
		b := &p.Blocks[i]
		if c.dialect.Marked && !b.Marked {
			if e := c.entries[now.prefixes[i]]; e != nil && i < now.Blocks {
				e.used = now.at
			}
			continue
		}
		word := p.word
		if c.dialect.Marked {
			word = b.Lifetime
		}
		e := c.entries[now.prefixes[i]]
		if e == nil {
			e = &entry{}
			c.entries[now.prefixes[i]] = e
			now.fresh = append(now.fresh, now.prefixes[i])
		}
		e.used, e.life = now.at, c.dialect.lifetime(p.Model, word)
	}
}
