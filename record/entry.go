package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Attributes of the blocks with the decisions of an Entry.
const (
	attrDecided = "wire:decided" // the key of the result
	attrRaw     = "wire:raw"     // the bytes of the result as the client wrote them, where they differ from canonical JSON
	kindRaw     = "raw"          // of a block that says that a result is sent as it comes, and why
)

// Result is a result of a tool that is about to be sent to a model for the first time.
type Result struct {
	Call    string // the id of the call; a result without one is left alone
	Tool    string // its name
	Content string // canonical JSON: a text, or a list of parts
	Failed  bool
}

// key identifies a result: its call and what it says.
func (r *Result) key() string {
	sum := sha256.Sum256([]byte(r.Call + "\n" + r.Content))
	return hex.EncodeToString(sum[:16])
}

// Shaped is the decision of an Entry about a result.
type Shaped struct {
	ID      string // of the block that keeps the original
	Content string // JSON, in the canonical form: the content to send
	Refers  string // the call whose result the content refers to, "" for none
	Whole   bool   // that result is there as it came, and the content names its call

	value     canon.Any // the content
	refersKey string    // of the result that the content refers to
	cut       bool      // the content is a note in place of a result that was sent before
	cleared   bool      // the result is sent as before, and the provider is asked to clear it
}

// Entry shapes results of tools before they are first sent, by the rules of a policy with head,
// tail or once. It keeps each decision, with the original, as a block of a context of its own,
// and makes it once: a later question about the same result of the same call gets the same
// bytes, in another process too. It is safe for concurrent use.
type Entry struct {
	store   *pact.DB
	name    string
	options pact.OpenOptions
	pruning pact.Pruning
	once    bool // a rule compares results

	io    sync.Mutex    // held during work with the store
	c     *pact.Context // nil before the first use
	cycle int64         // of the last snapshot whose decisions were read

	mu      sync.Mutex           // never held during work with the store: a request does not wait for another's
	loaded  bool                 // the decisions of the context were read
	decided map[string]*decision // by key
	held    int                  // bytes of the contents in decided
	ended   map[string]bool      // keys of the results with which managing ended for a conversation
	cuts    map[string][]cut     // by key, the parts that left requests
}

// decision is a decision about a result.
type decision struct {
	in     *tree.Tree // has the block whose content is still to be read, nil for none
	id     string     // of that block
	shaped *Shaped    // nil if the result is sent as it comes
	mark   bool       // the context says that the result is sent as it comes
}

// mostContents is how many bytes of contents an Entry holds before it leaves them to the store, and mostPlain how many
// results that no rule shapes it knows before it forgets them: a model saw them, which tells as much. Tests change both.
var mostContents, mostPlain = 32 << 20, 1 << 17

// endedBecause begins the reason of a mark that ends managing for a conversation.
const endedBecause = "managing ended: "

// NewEntry returns an Entry that keeps its decisions in a context, which it makes with the first one. It follows
// the rules of the policy that shape, and the rules before these.
func NewEntry(s *pact.DB, name string, p *lifecycle.Policy, o pact.OpenOptions) *Entry {
	e := &Entry{store: s, name: name, options: o, decided: map[string]*decision{}, ended: map[string]bool{},
		cuts: map[string][]cut{}}
	var none int64
	for _, r := range p.Rules {
		kept := lifecycle.Rule{Select: r.Select, Head: r.Head, Tail: r.Tail, Once: r.Once}
		if kept.Head+kept.Tail == 0 && !kept.Once {
			kept.Priority = &none // so no later rule decides about the same nodes
		}
		e.once = e.once || kept.Once
		e.pruning.Policy.Rules = append(e.pruning.Policy.Rules, kept)
	}
	e.pruning.WithoutKept = true
	return e
}

// shapes reports whether any rule shapes.
func (e *Entry) shapes() bool {
	for _, r := range e.pruning.Policy.Rules {
		if r.Head+r.Tail > 0 || r.Once {
			return true
		}
	}
	return false
}

// warm makes the context and asks the rules once, so that the first request finds both at hand.
func (e *Entry) warm(ctx context.Context) {
	_ = e.ready(ctx) // the first request asks again
	if scratch, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "scratch", nil); err == nil {
		_, _ = e.commit(ctx, scratch, []Result{{Call: "warm", Content: `""`}}, [][]byte{[]byte(`""`)}, []int{0}, nil)
	}
	e.io.Lock()
	defer e.io.Unlock()
	_ = e.load(ctx, true)
}

// ready reads the decisions of the context, once.
func (e *Entry) ready(ctx context.Context) error {
	e.mu.Lock()
	loaded := e.loaded
	e.mu.Unlock()
	if loaded {
		return nil
	}
	e.io.Lock()
	defer e.io.Unlock()
	return e.load(ctx, false)
}

// refresh reads the decisions that other processes made meanwhile.
func (e *Entry) refresh(ctx context.Context) error {
	e.io.Lock()
	defer e.io.Unlock()
	if e.c != nil {
		if err := e.c.Refresh(ctx); err != nil {
			return err
		}
	}
	return e.load(ctx, false)
}

// known returns the decision about the result with a key, as far as the Entry has read it; nil if the result is
// sent as it comes. known says whether there is a decision.
func (e *Entry) known(ctx context.Context, key string) (s *Shaped, known bool, err error) {
	e.mu.Lock()
	d := e.decided[key]
	if d == nil || d.in == nil {
		defer e.mu.Unlock()
		if d == nil {
			return nil, false, nil
		}
		return d.shaped, true, nil
	}
	in, id := d.in, d.id
	e.mu.Unlock()
	if n, err := in.Node(id); err != nil {
		return nil, false, err
	} else if n != nil {
		if s, err = shapedBlock(ctx, in, n); err != nil {
			return nil, false, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	d.in, d.shaped = nil, s
	e.hold(s)
	return s, true, nil
}

// hold counts the content of a decision. The caller holds e.mu.
func (e *Entry) hold(s *Shaped) {
	if s != nil {
		e.held += len(s.Content)
	}
}

// shed keeps what the Entry holds bounded. The caller holds e.io.
func (e *Entry) shed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.held <= mostContents && len(e.decided) <= mostPlain || e.c == nil {
		return nil
	}
	t := tree.Of(e.c.Working())
	e.held = 0
	plain := len(e.decided) > mostPlain
	for key, d := range e.decided {
		if d.shaped == nil {
			if d.in == nil && !d.mark && plain {
				delete(e.decided, key)
			}
			continue
		}
		has, err := t.Has(d.shaped.ID)
		if err != nil {
			return err
		}
		if has {
			d.in, d.id, d.shaped = t, d.shaped.ID, nil
		}
		e.hold(d.shaped) // an erasure took it from the context, but requests still have it
	}
	return nil
}

// hasEnded reports whether managing ended with a result.
func (e *Entry) hasEnded(key string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended[key]
}

// load opens the context, or makes it with create, and reads the decisions. The caller holds e.io.
func (e *Entry) load(ctx context.Context, create bool) error {
	if e.c == nil {
		c, err := pact.Open(ctx, e.store, e.name, &e.options)
		if errors.Is(err, fault.ContextNotFound) {
			if !create {
				e.mu.Lock()
				defer e.mu.Unlock()
				e.loaded = true
				return nil
			}
			c, err = pact.Create(ctx, e.store, e.name, &pact.CreateOptions{OpenOptions: e.options})
			if errors.Is(err, fault.Conflict) { // another process made it meanwhile
				c, err = pact.Open(ctx, e.store, e.name, &e.options)
			}
		}
		if err != nil {
			return err
		}
		e.c, e.cycle = c, -1
	}
	_, last := e.c.Cycles()
	if last == e.cycle {
		return nil
	}
	if err := e.read(ctx); err != nil {
		return err
	}
	e.cycle = last
	return nil
}

// read takes the decisions out of the blocks of the context. A mark that a result is sent as it comes always
// counts. Otherwise the decisions of the Entry itself stay.
func (e *Entry) read(ctx context.Context) (err error) {
	t := tree.Of(e.c.Working())
	raw, found := map[string]bool{}, map[string]*decision{} // raw: by key, whether managing ended with it
	cuts := map[string][]cut{}
	for at, err := range t.Blocks(0) {
		if err != nil {
			return err
		}
		n := at.Node()
		key, has := n.Header(attrDecided).Text()
		switch {
		case !has:
		case n.Kind == kindRaw:
			why, err := contentOf(ctx, n)
			if err != nil {
				return err
			}
			raw[key] = raw[key] || strings.HasPrefix(why.Any().Text, endedBecause)
		case n.Has(attrSince):
			c, err := readCut(ctx, n)
			if err != nil {
				return err
			}
			cuts[key] = append(cuts[key], c)
		default:
			found[key] = &decision{in: t, id: n.ID}
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, d := range found {
		if e.decided[key] == nil {
			e.decided[key] = d
		}
	}
	for key, list := range cuts {
		for _, c := range list {
			e.addCut(key, c)
		}
	}
	for key, ended := range raw {
		e.decided[key] = &decision{mark: true}
		e.ended[key] = e.ended[key] || ended
	}
	e.loaded = true
	return nil
}

// shapedBlock returns the form that a rule gave a block; nil if the block is as it came.
func shapedBlock(ctx context.Context, t *tree.Tree, n *tree.Node) (*Shaped, error) {
	content, err := contentOf(ctx, n)
	if err != nil {
		return nil, err
	}
	s := &Shaped{ID: n.ID, Content: string(content), value: content.Any()}
	if _, cut := commit.Original(n); cut {
		return s, nil
	}
	for _, id := range n.Refs {
		if of, err := t.Node(id); err != nil {
			return nil, err
		} else if of != nil && of.Kind == n.Kind {
			s.Refers, _ = of.Header(attrCall).Text()
			s.refersKey, _ = of.Header(attrDecided).Text()
			_, cut := commit.Original(of)
			s.Whole = !cut && of.ID == s.Refers
			return s, nil
		}
	}
	return nil, nil
}

// originalOf returns the bytes that a client wrote for a result of which an Entry keeps the
// original: JSON.
func originalOf(ctx context.Context, s *pact.Snapshot, id string) (_ []byte, err error) {
	t := tree.Of(s)
	n, err := t.Node(id)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, fault.At(fault.NodeNotFound, fault.NoOffset, id, "the original is not in this context", "")
	}
	if raw, has := n.Header(attrRaw).Text(); has {
		return []byte(raw), nil
	}
	if n.Has(attrSince) && n.Kind == "result" && len(n.Refs) > 0 {
		return originalOf(ctx, s, n.Refs[0])
	}
	if content, cut := commit.Original(n); cut {
		return []byte(content), nil
	}
	for _, ref := range n.Refs {
		if of, err := t.Node(ref); err != nil {
			return nil, err
		} else if of != nil && of.Kind == n.Kind {
			n = of
			if content, cut := commit.Original(n); cut {
				return []byte(content), nil
			}
		}
	}
	content, err := contentOf(ctx, n)
	return []byte(content), err
}
