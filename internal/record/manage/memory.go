package manage

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// Memory keeps what bodies said that were read: of the conversations that were read last their messages, so that
// reading the next body of one costs a comparison and only what is new in it is read, and the elements of other lists.
// A Memory that holds too much forgets the conversations that were not read for longest.
type Memory struct {
	mu       sync.Mutex
	last     []*reading            // of each conversation, the last one first
	held     int                   // bytes that they hold
	elements map[string]*canon.Any // of other lists, by their bytes
	hashes   provider.Hashes       // of parts, which share the memory of what was read
	shared   int                   // bytes of elements and of what has hashes
}

// The limits of a Memory. Tests change mostHeld.
const (
	mostConversations = 64
	mostRewritten     = 8 // messages at the end of a body that the next one of the conversation may have anew
)

// mostHeld is how many bytes the conversations of a Memory hold, and what it has besides.
var mostHeld = 32 << 20

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{elements: map[string]*canon.Any{}, hashes: provider.Hashes{}}
}

// reading is what a body said. Nothing of it changes, and nothing of it refers to the body.
type reading struct {
	name     provider.API
	messages []splice.Value
	values   []canon.Any // of the messages
	request  *provider.Request
	parts    []Part // without what a list decided about them
	size     int    // bytes that it holds, about
}

// repeated returns what was read that a body repeats, and how many messages of it.
func (m *Memory) repeated(name provider.API, body []byte) (of *reading, messages int) {
	m.mu.Lock()
	last := m.last
	m.mu.Unlock()
	for _, r := range last {
		if r.name != name || len(r.messages) <= messages || splice.Repeats(body, r.messages[messages:messages+1]) == 0 {
			continue
		}
		if n := splice.Repeats(body, r.messages); n > messages {
			of, messages = r, n
		}
	}
	return of, messages
}

// add keeps a reading; of is the one of which it repeats so many messages, nil for none.
func (m *Memory) add(r, of *reading, messages int) {
	for i := range r.messages {
		r.size += perMessage + 2*len(r.messages[i].Raw)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last := []*reading{r}
	m.held = r.size
	for _, other := range m.last {
		next := other == of && messages >= len(of.messages)-mostRewritten
		if !next && m.held+other.size <= mostHeld && len(last) < mostConversations {
			last, m.held = append(last, other), m.held+other.size
		}
	}
	m.last = last
}

// perMessage is about what a reading holds for a message besides its bytes and its texts.
const perMessage = 1 << 10

// value returns what a member of a body says. The conversation has its messages in values.
func (m *Memory) value(field splice.Value, values []canon.Any) (canon.Any, error) {
	switch {
	case field.Kind != canon.KindArray:
		return field.Canon()
	case values != nil:
		return canon.ArrayOf(values...), nil
	}
	all := make([]canon.Any, len(field.Elems))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shared > mostHeld {
		m.shared, m.elements, m.hashes = 0, map[string]*canon.Any{}, provider.Hashes{}
	}
	for i := range field.Elems {
		raw := field.Elems[i].Raw
		e := m.elements[string(raw)]
		if e == nil {
			v, err := field.Elems[i].Canon()
			if err != nil {
				return canon.Any{}, err
			}
			e = &v
			m.elements[string(raw)], m.shared = e, m.shared+len(raw)
		}
		all[i] = *e
	}
	return canon.ArrayOf(all...), nil
}

// HashOf returns the hash of a part.
func (m *Memory) HashOf(p *provider.Part) hash {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.hashes)
	hash := m.hashes.Of(p)
	if len(m.hashes) > before {
		m.shared += len(p.Content.Text)
	}
	return hash
}

// KeyOf returns the key of a part: of a result with its call, of thinking with "".
func KeyOf(call string, content canon.Value) string {
	sum := sha256.Sum256([]byte(call + "\n" + string(content)))
	return hex.EncodeToString(sum[:16])
}
