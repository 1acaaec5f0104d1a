package provider

import "time"

// Told has the cache know what the provider counted of a request that it holds.
func (c *Cache) Told(p *Prompt, u Usage) {
	now := c.called(p, time.Time{})
	end := len(now.prefixes) - 1
	tokens := u.In
	if c.rules.Marked {
		if len(now.marked) == 0 || u.Cached == nil || u.Written == nil || *u.Cached+*u.Written == 0 {
			return
		}
		sum := *u.Cached + *u.Written
		end, tokens = now.marked[len(now.marked)-1], &sum
	}
	if end < 0 || tokens == nil {
		return
	}
	if e := c.entries[now.prefixes[end]]; e != nil {
		e.tokens = tokens
	}
}

// Broke adds a request whose answer broke off: the provider had read the request. u is what it
// had reported by then.
func (c *Cache) Broke(p *Prompt, at time.Time, u Usage) {
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
	if u.Cached == nil || u.Written == nil || len(now.marked) == 0 {
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
		for _, i := range now.marked {
			now.ended(i, c.entries[now.prefixes[i]])
		}
		return
	}
	c.entries[now.prefixes[now.marked[len(now.marked)-1]]].tokens = &cached
}
