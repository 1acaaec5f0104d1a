package sqlstore

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/contexttree/pact/store/internal/page"
)

// openPage is a page with its decoded rows.
type openPage struct {
	packedPage
	index page.Index
}

// blockKey identifies a block of a page by the digest of that page.
type blockKey struct {
	branch, birth, nid int64
	digest             [sha256.Size]byte
	no                 int
}

// The bounds of a pageCache.
const (
	maxOpenPages  = 8
	maxOpenBlocks = 4 << 20 // bytes of contents
)

// pageCache keeps the pages and the blocks that were used last. A page never changes: when an
// erasure rewrites one, it gets another digest, and callers ask by digest.
type pageCache struct {
	mu     sync.Mutex
	heads  []*openPage // most recently used last
	blocks []openBlock // most recently used last
	bytes  int         // of all blocks
}

type openBlock struct {
	key      blockKey
	contents []byte
}

// head returns the page at a place if the cache has it with this digest.
func (c *pageCache) head(at *packedPage, digest []byte) *openPage {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range c.heads {
		if p.branch == at.branch && p.birth == at.birth && p.nid == at.nid && string(p.digest[:]) == string(digest) {
			c.heads = append(append(c.heads[:i], c.heads[i+1:]...), p)
			return p
		}
	}
	return nil
}

// row returns the row of a birth and a nid with its page, nil if no open page has it.
func (c *pageCache) row(branch, birth, nid int64) (*openPage, *page.Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range slices.Backward(c.heads) {
		if p.branch != branch {
			continue
		}
		if r := p.row(birth, nid); r != nil {
			return p, r
		}
	}
	return nil, nil
}

func (c *pageCache) putHead(p *openPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heads) == maxOpenPages {
		c.heads = append(c.heads[:0], c.heads[1:]...)
	}
	c.heads = append(c.heads, p)
}

// block returns the contents of a block, nil if the cache does not have them.
func (c *pageCache) block(key blockKey) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.blocks) - 1; i >= 0; i-- {
		if b := c.blocks[i]; b.key == key {
			c.blocks = append(append(c.blocks[:i], c.blocks[i+1:]...), b)
			return b.contents
		}
	}
	return nil
}

func (c *pageCache) putBlock(key blockKey, contents []byte) {
	if len(contents) > maxOpenBlocks/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks = append(c.blocks, openBlock{key, contents})
	c.bytes += len(contents)
	for c.bytes > maxOpenBlocks {
		c.bytes -= len(c.blocks[0].contents)
		c.blocks = append(c.blocks[:0], c.blocks[1:]...)
	}
}

// clear drops all pages and blocks, with the texts in them.
func (c *pageCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads, c.blocks, c.bytes = nil, nil, 0
}
