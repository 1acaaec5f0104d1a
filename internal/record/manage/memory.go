package manage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// Memory keeps the parts of the bodies that were read. A body repeats nearly all of the one before, so
// reading it costs a comparison, and only new elements are read. A Memory that holds too much forgets everything,
// and reads again.
type Memory struct {
	mu       sync.Mutex
	held     int                 // bytes of elements and of texts
	elements map[string]*element // by their bytes
	hashes   provider.Hashes     // of parts, which share the memory of the elements
}

// element is a message, a tool or another element of a list in a body.
type element struct {
	value canon.Any
	keys  map[int]string // of the results in it, by where they stand
}

// mostHeld is how many bytes a Memory holds before it forgets.
const mostHeld = 32 << 20

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{elements: map[string]*element{}, hashes: provider.Hashes{}}
}

// reading is a body that was read.
type reading struct {
	name     provider.API
	model    string // that the body or the path names
	root     splice.Value
	value    canon.Any
	messages []*element // of the conversation
}

// read reads a body; model is the one that the path names. ok is false if the body is no JSON object that can be read.
func (m *Memory) read(name provider.API, model string, body []byte) (r *reading, ok bool) {
	r = &reading{name: name}
	if r.root, ok = splice.Parse(body); !ok || r.root.Kind != canon.KindObject {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held > mostHeld {
		m.held, m.elements, m.hashes = 0, map[string]*element{}, provider.Hashes{}
	}
	members := make([]canon.Member, len(r.root.Members))
	for i, field := range r.root.Members {
		value, elements, err := m.valueOf(field.Value)
		if err != nil {
			return nil, false
		}
		members[i] = canon.Member{Name: field.Name, Value: value}
		if field.Name == provider.ListOf(name) {
			r.messages = elements
		}
	}
	r.value, r.model = canon.Object(members...), cmp.Or(r.root.Get("model").Text(), model)
	return r, true
}

// valueOf reads a field of a body. The caller holds m.mu.
func (m *Memory) valueOf(field splice.Value) (_ canon.Any, elements []*element, err error) {
	if field.Kind != canon.KindArray {
		value, err := field.Canon()
		return value, nil, err
	}
	values := make([]canon.Any, len(field.Elems))
	elements = make([]*element, len(field.Elems))
	for i := range field.Elems {
		raw := field.Elems[i].Raw
		e := m.elements[string(raw)]
		if e == nil {
			e = &element{keys: map[int]string{}}
			if e.value, err = field.Elems[i].Canon(); err != nil {
				return canon.Any{}, nil, err
			}
			m.elements[string(raw)], m.held = e, m.held+len(raw)
		}
		values[i], elements[i] = e.value, e
	}
	return canon.ArrayOf(values...), elements, nil
}

// keyOf returns the key of a result in a body.
func (m *Memory) keyOf(r *reading, one *provider.PlacedResult) (string, error) {
	in := r.root.Get(provider.ListOf(r.name)).Elems[one.Message]
	e, at := r.messages[one.Message], one.Content.Start-in.Start
	m.mu.Lock()
	key, known := e.keys[at]
	m.mu.Unlock()
	if known {
		return key, nil
	}
	content, err := one.Content.Canon()
	if err != nil {
		return "", err
	}
	key = KeyOf(one.Call, content.Value())
	m.mu.Lock()
	defer m.mu.Unlock()
	e.keys[at] = key
	return key, nil
}

// HashOf returns the hash of a part.
func (m *Memory) HashOf(p *provider.Part) hash {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.hashes)
	hash := m.hashes.Of(p)
	if len(m.hashes) > before {
		m.held += len(p.Content.Text)
	}
	return hash
}

// KeyOf returns the key of a part: of a result with its call, of thinking with "".
func KeyOf(call string, content canon.Value) string {
	sum := sha256.Sum256([]byte(call + "\n" + string(content)))
	return hex.EncodeToString(sum[:16])
}
