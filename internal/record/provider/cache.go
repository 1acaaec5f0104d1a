package provider

import (
	"crypto/sha256"
	"slices"
	"sync/atomic"
	"time"
)

// Cache follows what a provider keeps of the calls of one conversation: which
// prefixes, how long, and how many tokens the provider counted in them. It does
// not know prefixes from other conversations.
type Cache struct {
	rules   *CacheRules
	entries map[prefix]*cachedPrefix
	last    *cachedCall
}

// Looks counts the blocks of prompts, and the parts of requests, that this process read, compared or hashed. What is in the
// array of a prompt before is not looked at.
var Looks atomic.Int64

// prefix identifies a prefix by the model, the settings that count up to its
// end, and its blocks.
type prefix [sha256.Size]byte

// cachedPrefix is a cached prefix.
type cachedPrefix struct {
	used   *time.Time // when a call last wrote or read it; those that calls have used together share it
	life   Lifetime
	tokens *int64 // nil if the provider gave no count
}

// cachedCall is the last call and its forecast.
type cachedCall struct {
	model    string
	settings []string
	blocks   []Block
	prefixes []prefix        // one for each block, ending with that block
	cached   []*cachedPrefix // of these, nil for one that is not cached
	marks    []Marker
	same     int        // blocks that it shares with the call before
	fresh    []prefix   // prefixes that this call presumably wrote
	word     string     // with which the request asks for a lifetime
	renewed  int        // how many blocks end prefixes that were all used last by this call
	clock    *time.Time // when that was
	at       time.Time
	Forecast
}

// Forecast says how much a provider should read from its cache.
type Forecast struct {
	Blocks int    // length of the longest cached prefix
	Tokens *int64 // its tokens by the provider's count; nil if there is none
	// Unsure says that the provider no longer guarantees the prefix: its
	// lifetime may have run out.
	Unsure bool
	// Lapsed is how many blocks the provider could have read if their lifetime
	// had not run out, 0 if none ran out. Idle is how long ago a call last used
	// them.
	Lapsed int
	Idle   time.Duration
}

// NewCache returns an empty cache.
func (d *CacheRules) NewCache() *Cache { return &Cache{rules: d, entries: map[prefix]*cachedPrefix{}} }

// Clone returns a copy of the cache. Cost: its entries.
func (c *Cache) Clone() *Cache {
	d := &Cache{rules: c.rules, entries: make(map[prefix]*cachedPrefix, len(c.entries))}
	for p, e := range c.entries {
		copied, used := *e, *e.used
		copied.used, d.entries[p] = &used, &copied
	}
	if c.last != nil {
		last := *c.last
		last.clock = nil
		last.prefixes, last.cached = slices.Clip(last.prefixes), make([]*cachedPrefix, len(last.prefixes))
		for i, p := range last.prefixes {
			last.cached[i] = d.entries[p]
		}
		d.last = &last
	}
	return d
}

// Forecast says what the provider would read for a request sent at a time. Cost: linear in the blocks.
func (c *Cache) Forecast(p *Prompt, at time.Time) Forecast { return c.forecast(c.called(p, at)) }

// Forecasts is Forecast, and what the provider still has at most of a request that has the first n blocks, no more of them,
// and says something else behind them that it never had.
func (c *Cache) Forecasts(p *Prompt, at time.Time, n int) (all, first Forecast) {
	now := c.called(p, at)
	for i := n - 1; i >= 0 && first.Blocks == 0; i-- {
		e := now.cached[i]
		if e != nil && !now.blocks[i].Stripped && (e.life.Most == 0 || at.Sub(*e.used) <= e.life.Most) {
			first.Blocks, first.Tokens = i+1, e.tokens
		}
	}
	return c.forecast(now), first
}

func (c *Cache) called(p *Prompt, at time.Time) *cachedCall {
	now := &cachedCall{model: p.Model, settings: p.Settings, at: at, blocks: p.Blocks, marks: p.Marks}
	now.prefixes, now.cached, now.same = c.prefixesOf(p)
	return now
}

// Call forecasts what the provider reads for a request sent at a time, and adds
// the request to the cache. Cost: linear in the blocks.
func (c *Cache) Call(p *Prompt, at time.Time) Forecast {
	now := c.called(p, at)
	now.Forecast = c.forecast(now)
	before := c.last
	c.last = now
	c.take(p, before)
	return now.Forecast
}

// prefixesOf returns, for each block, the prefix that ends with it, what the cache has of it, and how many of them the last
// call has too. Cost: it compares what is not in the array of the last call, and hashes what that does not begin with; a call
// that begins with all of the last one shares its lists.
func (c *Cache) prefixesOf(p *Prompt) (list []prefix, cached []*cachedPrefix, same int) {
	section, at := Section(0), prefix(sha256.Sum256([]byte(p.Model)))
	if l := c.last; l != nil && l.model == p.Model && slices.Equal(l.settings, p.Settings) {
		same = shared(l.blocks, p.Blocks)
		from := same
		for same < min(len(l.blocks), len(p.Blocks)) && l.blocks[same].sameContent(&p.Blocks[same]) {
			same++
		}
		Looks.Add(int64(same - from))
		if list, cached = l.prefixes[:same], l.cached[:same]; same < len(l.prefixes) {
			list, cached = slices.Clip(list), slices.Clip(cached)
		}
		if same > 0 {
			section, at = p.Blocks[same-1].Section+1, list[same-1]
		}
	}
	Looks.Add(int64(len(p.Blocks) - same))
	var step []byte
	for i := same; i < len(p.Blocks); i++ {
		b := &p.Blocks[i]
		for ; section <= b.Section; section++ {
			for k := range c.rules.Settings {
				if c.rules.Settings[k].From == section {
					step = append(append(step[:0], at[:]...), p.Settings[k]...)
					at = sha256.Sum256(step)
				}
			}
		}
		if !b.Stripped {
			step = append(append(append(step[:0], at[:]...), byte(b.Section)), b.hash[:]...)
			at = sha256.Sum256(step)
		}
		list, cached = append(list, at), append(cached, c.entries[at])
	}
	return list, cached, same
}

// sameContent reports whether a block adds to a prefix what another does.
func (b *Block) sameContent(other *Block) bool {
	return b.hash == other.hash && b.Section == other.Section && b.Stripped == other.Stripped
}

// forecast looks for the longest cached prefix, and for the longest one that
// would still be cached if no lifetime had run out.
func (c *Cache) forecast(now *cachedCall) (f Forecast) {
	lapsed := 0
	for _, end := range c.lookbackStarts(now) {
		looked := 0
		for i := end; i >= 0 && (c.rules.LookBack == 0 || looked < c.rules.LookBack); i-- {
			if now.blocks[i].Stripped {
				continue
			}
			looked++
			e := now.cached[i]
			if e == nil {
				continue
			}
			idle := now.at.Sub(*e.used)
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
	if f.Unsure && f.Blocks > 0 {
		f.Idle = now.at.Sub(*now.cached[f.Blocks-1].used)
	}
	return f
}

// ended notes what the cache has of the prefix that ends with the i-th block, and with those before it after which the
// provider removes all up to that block.
func (now *cachedCall) ended(i int, e *cachedPrefix) {
	for at := now.prefixes[i]; i >= 0 && now.prefixes[i] == at && now.cached[i] != e; i-- {
		now.cached[i] = e
	}
}

// lookbackStarts returns the blocks from which the provider looks backwards for a prefix:
// those with markers or, if the provider caches without them, the last block.
func (c *Cache) lookbackStarts(now *cachedCall) (list []int) {
	if !c.rules.Marked && len(now.prefixes) > 0 {
		return []int{len(now.prefixes) - 1}
	}
	for i := 0; i < len(now.marks) && c.rules.Marked; i++ {
		list = append(list, now.marks[i].Block)
	}
	return list
}

// take adds the prefixes of the last call to the cache, and renews those that it read. Cost: linear in the blocks behind
// those that the call before it renewed, if it reads those.
func (c *Cache) take(p *Prompt, before *cachedCall) {
	now, from := c.last, 0
	life := Lifetime{}
	if now.renewed, now.word = now.Blocks, p.word; !c.rules.Marked {
		now.renewed, life = len(now.prefixes), c.rules.LifetimeOf(p.Model, p.word)
	}
	if before != nil && before.clock != nil && before.renewed <= min(now.same, now.renewed) && before.word == now.word {
		now.clock, from = before.clock, before.renewed
	} else {
		now.clock = new(time.Time) // what was used with the others and is not now stays as it is
	}
	*now.clock = now.at
	for i := from; i < now.renewed; i++ {
		e := now.cached[i]
		if !c.rules.Marked {
			e = c.write(i, life)
		}
		if e != nil {
			e.used = now.clock
		}
	}
	for _, m := range p.Marks {
		if !c.rules.Marked {
			break
		}
		e := c.write(m.Block, c.rules.LifetimeOf(p.Model, m.Lifetime))
		if m.Block < now.renewed {
			e.used = now.clock
		} else if e.used != now.clock { // the next call may read the others alone
			at := now.at
			e.used = &at
		}
	}
}

// write adds a prefix of the last call to the cache.
func (c *Cache) write(i int, life Lifetime) *cachedPrefix {
	now := c.last
	e := now.cached[i]
	if e == nil { // unless a block before, which the provider removes, ends the same prefix
		e = c.entries[now.prefixes[i]]
	}
	if e == nil {
		e = &cachedPrefix{}
		c.entries[now.prefixes[i]] = e
		now.fresh = append(now.fresh, now.prefixes[i])
	}
	now.ended(i, e)
	e.life = life
	return e
}
