package pact

import (
	"context"
	"iter"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// Context is one context of a store, open for reading and writing. It is safe
// for concurrent use: readers take what the last edit or commit left and never
// wait, writers go one after the other. A writer in another process is noticed
// by cycle and revision: the change is refused with E_CONFLICT and nothing is
// lost; Refresh takes up what the other one did.
type Context struct {
	store store.Store
	clock func() int64
	actor string

	counter Counter

	write  sync.Mutex // held by the one writer
	state  atomic.Pointer[state]
	undone line // that the last undo left; of the one writer

	holders sync.Mutex
	held    map[string]int // id -> number of holders
}

// state is what a reader sees at one moment. It is immutable.
type state struct {
	store.State
	candidate *candidate // of the cycle under way, where one was prepared

	past  []*tree.Tree // snapshots before the latest, oldest first, for those who take commits back
	reach int64        // how many of them were read at once
}

// Option configures a Context.
type Option func(*options)

type options struct {
	edition Edition
	clock   func() int64
	actor   string
	counter Counter
	attrs   map[string]any
	strict  bool

	renumber bool
}

// WithEdition sets the edition of a context that Create makes. It is fixed
// from then on. Default: canonical.
func WithEdition(e Edition) Option { return func(o *options) { o.edition = e } }

// WithClock gives the clock for stamps, in nanoseconds since the epoch. It is
// read once for every stamp; readings that do not increase are lifted to the
// last one plus 1 (02 §4.4). Default: the system's clock.
func WithClock(now func() int64) Option { return func(o *options) { o.clock = now } }

// WithActor names who edits, for the log.
func WithActor(name string) Option { return func(o *options) { o.actor = name } }

// WithCounter gives what counts tokens, for policies that limit them and for
// reports; package tokens has some. Nothing is counted without one, and no
// commit counts whose policy does not.
func WithCounter(counter Counter) Option { return func(o *options) { o.counter = counter } }

// WithAttrs sets custom attributes of the root of a context that Create makes.
func WithAttrs(attrs map[string]any) Option { return func(o *options) { o.attrs = attrs } }

func collect(opts []Option) options {
	o := options{edition: Canonical, clock: func() int64 { return time.Now().UnixNano() }}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Create makes a new, empty context. Root and regions are stamped in cycle 0;
// the first commit is cycle 1. E_CONFLICT where the name is taken.
func Create(ctx context.Context, s store.Store, name string, opts ...Option) (*Context, error) {
	o := collect(opts)
	if _, err := selector.ParseEdition(string(o.edition)); err != nil {
		return nil, err
	}
	t, stamps, err := tree.New(tree.Env{Vocabulary: vocabulary(o.edition), Clock: o.clock}, o.attrs)
	if err != nil {
		return nil, err
	}
	return begin(ctx, s, store.Creation{
		Name: name, Edition: string(o.edition), Tree: t, Stamps: stamps,
		Entry: store.Entry{TimeNS: stamps.LastNS, Actor: o.actor},
	}, o)
}

func (o *options) context(s store.Store) *Context {
	return opened.note(&Context{store: s, clock: o.clock, actor: o.actor, counter: o.counter, held: map[string]int{}})
}

func begin(ctx context.Context, s store.Store, g store.Creation, o options) (*Context, error) {
	info, err := s.Create(ctx, g)
	if err != nil {
		return nil, err
	}
	c := o.context(s)
	begun := store.State{Info: info, Head: g.Tree, Working: g.Tree.WithCycle(g.Stamps.Cycle), Idle: g.Entry.Idle}
	for _, change := range g.Changes {
		begun.Working = change.After
		if change.Sealed != nil {
			begun.Head, begun.Idle = change.Sealed, change.Entry.Idle
		}
	}
	c.state.Store(&state{State: begun})
	return c, nil
}

// Open opens a context that is there. E_CONTEXT_NOT_FOUND where it is not.
func Open(ctx context.Context, s store.Store, name string, opts ...Option) (*Context, error) {
	o := collect(opts)
	info, err := s.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	c := o.context(s)
	c.write.Lock() // an erasure meanwhile waits, and has the state read again
	defer c.write.Unlock()
	loaded, err := s.Load(ctx, info.Key)
	if err != nil {
		return nil, err
	}
	c.state.Store(&state{State: *loaded})
	return c, nil
}

// Refresh reads the context again, to see what other processes did. A prepared
// candidate is dropped when they did anything.
func (c *Context) Refresh(ctx context.Context) error {
	c.write.Lock()
	defer c.write.Unlock()
	now := c.state.Load()
	loaded, err := c.store.Load(ctx, now.Key)
	if err != nil {
		return err
	}
	if loaded.Revision != now.Revision {
		c.state.Store(&state{State: *loaded})
	}
	return nil
}

// Name returns the name under which the context was found.
func (c *Context) Name() string { return c.state.Load().Name }

// Edition returns the edition of the selector language that the context was
// created with.
func (c *Context) Edition() Edition { return Edition(c.state.Load().Edition) }

// Cycles returns the cycles of the oldest and the latest snapshot; there is
// none while last < first.
func (c *Context) Cycles() (first, last int64) {
	s := c.state.Load()
	return s.First, s.State.Cycle
}

// Revision counts batches of edits and commits.
func (c *Context) Revision() int64 { return c.state.Load().Revision }

// Log yields the entries of all revisions, oldest first, and E_STORE where the
// store cannot be read. It holds a few of them at a time, however long the log is.
func (c *Context) Log(ctx context.Context) iter.Seq2[store.Entry, error] {
	return c.provenance(c.state.Load()).Entries(ctx)
}

// Retain keeps nodes from expiring and from being pruned (02 §5.4) until
// release is called, within this process. E_NODE_NOT_FOUND where one is not in
// the working state.
func (c *Context) Retain(ids ...string) (release func(), err error) {
	working := c.state.Load().Working
	for _, id := range ids {
		if !working.Has(id) {
			return nil, tree.NoNode(id, "in the working state")
		}
	}
	ids = append([]string(nil), ids...)
	c.hold(ids, 1)
	var once sync.Once
	return func() { once.Do(func() { c.hold(ids, -1) }) }, nil
}

func (c *Context) hold(ids []string, by int) {
	c.holders.Lock()
	defer c.holders.Unlock()
	for _, id := range ids {
		if c.held[id] += by; c.held[id] == 0 {
			delete(c.held, id)
		}
	}
}

// retained returns a copy of what is held, so that a commit sees one moment.
func (c *Context) retained() map[string]bool {
	c.holders.Lock()
	defer c.holders.Unlock()
	ids := make(map[string]bool, len(c.held))
	for id := range c.held {
		ids[id] = true
	}
	return ids
}

func vocabulary(e Edition) tree.Vocabulary {
	t := e.Traits()
	return tree.Vocabulary{Turn: t.TurnType, Container: t.ContainerType, Block: t.BlockType}
}

// env is what edits and commits of this context take from outside.
func (c *Context) env(ctx context.Context, s *state) tree.Env {
	env := tree.Env{
		Vocabulary: vocabulary(Edition(s.Edition)),
		Clock:      c.clock,
		Taken:      func(id string) (bool, error) { return c.store.Has(ctx, s.Key, id) },
	}
	if s.Fork > 0 {
		env.Suffix = "-f" + strconv.FormatInt(s.Fork, 10)
	}
	return env
}
