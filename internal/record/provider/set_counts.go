package provider

import (
	"slices"
	"time"
)

// SetCounts has the cache know what the provider counted of a request that it has.
func (c *Cache) SetCounts(p *Prompt, u Usage) {
	var prefixes []prefix
	if l := c.last; l != nil && len(l.blocks) == len(p.Blocks) && shared(l.blocks, p.Blocks) == len(p.Blocks) && l.model == p.Model && slices.Equal(l.settings, p.Settings) {
		prefixes = l.prefixes
	} else {
		prefixes, _, _ = c.prefixesOf(p)
	}
	end := len(prefixes) - 1
	tokens := u.In
	if c.rules.Marked {
		if len(p.Marks) == 0 || u.Cached == nil || u.Written == nil || *u.Cached+*u.Written == 0 {
			return
		}
		sum := *u.Cached + *u.Written
		end, tokens = p.Marks[len(p.Marks)-1].Block, &sum
	}
	if end < 0 || tokens == nil {
		return
	}
	if e := c.entries[prefixes[end]]; e != nil {
		e.tokens = tokens
	}
}

// AddBroken adds a request whose answer broke off: the provider had read the request. u is what it
// had reported by then.
func (c *Cache) AddBroken(p *Prompt, at time.Time, u Usage) {
	c.Call(p, at)
	c.Answered(u)
}

// Answered learns from the provider's report on the last call how many tokens prefixes have. It estimates nothing.
// Tokens read and written end at the last marker; without markers they cover the whole prompt. With markers, a call
// that neither read nor wrote left nothing in the cache.
func (c *Cache) Answered(u Usage) {
	now := c.last
	if !c.rules.Marked {
		if n := len(now.prefixes); n > 0 && u.In != nil {
			c.entries[now.prefixes[n-1]].tokens = u.In
		}
		return
	}
	if u.Cached == nil || u.Written == nil || len(now.marks) == 0 {
		return
	}
	if now.Blocks > 0 && now.Tokens == nil && *u.Cached > 0 {
		read := *u.Cached
		c.entries[now.prefixes[now.Blocks-1]].tokens = &read
	}
	cached := *u.Cached + *u.Written
	if cached == 0 {
		for _, p := range now.fresh {
			delete(c.entries, p)
		}
		for _, m := range now.marks {
			now.ended(m.Block, c.entries[now.prefixes[m.Block]])
		}
		return
	}
	c.entries[now.prefixes[now.marks[len(now.marks)-1].Block]].tokens = &cached
}
