package search

import (
	"strings"
	"sync"

	"github.com/contexttree/pact/selector"
)

// parsed are the selectors that the calls of this process asked last.
var parsed selectorCache

// Parse is [selector.Parse] for a text that may be asked again.
func Parse(text string, e selector.Edition) (*selector.Selector, error) { return parsed.parse(text, e) }

// selectorCache keeps parsed selectors, which are never changed, by their text. It is bounded, because a program can
// put values into the texts.
type selectorCache struct {
	mu     sync.Mutex
	parsed map[editionText]*selector.Selector
	order  [cachedSelectors]editionText // a ring: the oldest is the next to go
	next   int
}

type editionText struct {
	edition selector.Edition
	text    string
}

const (
	cachedSelectors  = 128
	cachedTextAtMost = 1 << 10 // bytes; a longer text is parsed each time
)

// parse returns the selector of a text.
func (c *selectorCache) parse(text string, e selector.Edition) (*selector.Selector, error) {
	key := editionText{e, text}
	c.mu.Lock()
	q := c.parsed[key]
	c.mu.Unlock()
	if q != nil {
		return q, nil
	}
	q, err := selector.Parse(text, e)
	if err != nil || len(text) > cachedTextAtMost {
		return q, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed == nil {
		c.parsed = make(map[editionText]*selector.Selector, cachedSelectors)
	}
	if c.parsed[key] == nil {
		key.text = strings.Clone(text) // which may be a part of a large one
		delete(c.parsed, c.order[c.next])
		c.order[c.next], c.parsed[key] = key, q
		c.next = (c.next + 1) % cachedSelectors
	}
	return q, nil
}
