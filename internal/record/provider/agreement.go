package provider

import "time"

// Agreement says how a provider's report on its cache fits the forecast.
type Agreement string

// The agreements.
const (
	Agrees   Agreement = "agrees"
	ReadLess Agreement = "read less"
	ReadMore Agreement = "read more"
	NotTold  Agreement = "not told"
)

// Answered compares the provider's report on the last call with the forecast,
// and learns from it how many tokens prefixes have. It estimates nothing: for a
// prefix without a token count it expects only that the provider reads some of
// it, and less than any prompt that contains it.
func (c *Cache) Answered(u Usage) Agreement {
	now := c.last
	agreement := NotTold
	if u.Cached != nil {
		agreement = c.judge(now, *u.Cached, u.In)
	}
	c.learn(now, u)
	return agreement
}

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
	c.learn(c.last, u)
}

func (c *Cache) judge(now *cachedCall, read int64, in *int64) Agreement {
	least := c.rules.LeastTokens(now.model)
	low, high := int64(0), int64(0)
	switch {
	case now.Blocks == 0 || in != nil && *in < least:
	case now.Tokens != nil && *now.Tokens < least:
	case now.Tokens != nil:
		low, high = c.steps(*now.Tokens), *now.Tokens
	default:
		low, high = 1, *orElse(in, &maxTokens)
		if now.AtMost != nil {
			high = min(high, *now.AtMost)
		}
		if !c.rules.Marked {
			low = 0 // the tokens of the remaining prefix were not counted: it may be too short to cache
		}
	}
	if now.Unsure && read == 0 {
		return Agrees
	}
	switch {
	case read < low:
		return ReadLess
	case read > high:
		return ReadMore
	}
	return Agrees
}

// maxTokens exceeds the tokens of every prompt.
var maxTokens int64 = 1 << 62

func orElse(n, otherwise *int64) *int64 {
	if n != nil {
		return n
	}
	return otherwise
}

// steps returns the smallest count that a provider may report for a prefix of
// that many tokens. The last tokens of a prompt ask for the answer and do not
// recur there in the next prompt, which may cost one step.
func (c *Cache) steps(tokens int64) int64 {
	switch step := c.rules.Step; step {
	case 0:
		return 1
	case 1:
		return tokens
	default:
		return max(0, (tokens/step-1)*step)
	}
}

// learn stores the tokens of prefixes. Tokens read and written end at the last
// marker; without markers they cover the whole prompt. With markers, a call
// that neither read nor wrote left nothing in the cache.
func (c *Cache) learn(now *cachedCall, u Usage) {
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
			now.cached[i] = c.entries[now.prefixes[i]]
		}
		return
	}
	c.entries[now.prefixes[now.marked[len(now.marked)-1]]].tokens = &cached
}
