package dialect

// Agreement is how what a provider says of its cache fits what was expected.
type Agreement string

// The agreements.
const (
	Agrees   Agreement = "agrees"
	ReadLess Agreement = "read less"
	ReadMore Agreement = "read more"
	NotTold  Agreement = "not told"
)

// Usage is what a provider says of a call, nil where it does not.
type Usage struct {
	In      *int64 // tokens that the model was sent
	Read    *int64 // of In, read from the cache
	Written *int64 // of In, written to the cache
}

// Answered holds what the provider says of the last call against what was
// expected of it, and learns from it how many tokens prefixes have. Nothing is
// estimated: a prefix of which nobody counted the tokens is only expected to be
// read at all, and to be shorter than the prompts that have it.
func (c *Cache) Answered(u Usage) Agreement {
	now := c.last
	agreement := NotTold
	if u.Read != nil {
		agreement = c.judge(now, *u.Read, u.In)
	}
	c.learn(now, u)
	return agreement
}

func (c *Cache) judge(now *call, read int64, in *int64) Agreement {
	d := c.dialect
	least := d.LeastTokens(now.model)
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
		if !d.Marked {
			low = 0 // how long the prefix is that remains, nobody said: it may be too short
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

// maxTokens is more than any prompt has.
var maxTokens int64 = 1 << 62

func orElse(n, otherwise *int64) *int64 {
	if n != nil {
		return n
	}
	return otherwise
}

// steps is the smallest count that a provider may give for a prefix of so many
// tokens. The last ones of a prompt are those that ask for an answer, which the
// next prompt does not have there: they may cost a step.
func (c *Cache) steps(tokens int64) int64 {
	switch step := c.dialect.Step; step {
	case 0:
		return 1
	case 1:
		return tokens
	default:
		return max(0, (tokens/step-1)*step)
	}
}

// learn notes the tokens of prefixes. What is read and written ends with the last
// marker; without markers the prompt is taken as a whole. A call that neither
// read nor wrote has left nothing in a cache with markers.
func (c *Cache) learn(now *call, u Usage) {
	if !c.dialect.Marked {
		if n := len(now.prefixes); n > 0 && u.In != nil {
			c.entries[now.prefixes[n-1]].tokens = u.In
		}
		return
	}
	if u.Read == nil || u.Written == nil || len(now.marked) == 0 {
		return
	}
	if now.Blocks > 0 && now.Tokens == nil && *u.Read > 0 {
		read := *u.Read
		c.entries[now.prefixes[now.Blocks-1]].tokens = &read
	}
	cached := *u.Read + *u.Written
	if cached == 0 {
		for _, p := range now.fresh {
			delete(c.entries, p)
		}
		return
	}
	c.entries[now.prefixes[now.marked[len(now.marked)-1]]].tokens = &cached
}
