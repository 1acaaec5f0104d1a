package pact

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// Context is one context of a store, open for reading and writing. It is safe for concurrent use. Readers see the
// state after the last edit or commit and never wait; writers take turns. If a writer in another process was faster,
// a change is refused with E_CONFLICT and nothing is lost; [Context.Refresh] reads what the other writer did.
//
// Working and Info answer from what was loaded last, without asking the store. A method that takes a
// [context.Context] and would answer from memory asks the store first whether something was erased, by any handle or
// process, and then loads the context again: so its answer holds nothing that an earlier erasure removed. That costs
// one look-up, and returns E_CONTEXT_NOT_FOUND if the context was deleted. A change that does not know of the erasure
// returns E_CONFLICT. To ask one snapshot often, call the methods of [Snapshot], which ask only before they give out a
// content, and not again within 20 milliseconds.
//
// Specification: 08 §3, 08 §4.1, 08 §4.2.
type Context struct {
	store engine.Contexts
	clock func() int64
	actor string

	counter Counter
	rules   atomic.Pointer[compiledRules] // of the last commit that followed some; nil if none did

	write    sync.Mutex // held by the one writer
	state    atomic.Pointer[state]
	undone   undoneLine       // the line that the last undo left; only the writer uses it
	settling settling         // only the writer uses it
	families tree.KeyFamilies // only the writer uses it

	holders sync.Mutex
	held    map[string]int // id -> number of holders
}

// settling is how much was committed since a context was read from its store. Only the writer uses it.
type settling struct {
	turns, due int64
	bytes      int64
}

// undoneLine is the name for undone lines of one cycle, and the highest number that an
// undo in this process appended to it.
type undoneLine struct {
	name   string
	number int
}

// state holds everything that a reader sees at one moment. It is immutable.
type state struct {
	engine.State
	candidate *candidate // for the next snapshot; nil if none is prepared
}

// candidate is a cycle that was expired, pruned and sealed but not published.
type candidate struct {
	sealed *tree.Tree
	stamps tree.Stamps
	report lifecycle.Report
	sent   string // SHA-256 of its thread as it was sent, "" if it was not
}

// Create makes a new, empty context. Its root and regions are of cycle 0; the first commit is cycle 1. Errors:
// E_CONFLICT if the name is taken, E_DOCUMENT_INVALID for an invalid name, edition or attribute.
func Create(ctx context.Context, db *DB, name string, opts *CreateOptions) (_ *Context, err error) {
	o := optionsOf(opts)
	o.Edition = cmp.Or(o.Edition, db.Edition, selector.Canonical)
	if _, err := selector.ParseEdition(string(o.Edition)); err != nil {
		return nil, err
	}
	c := o.context(engine.Of(db))
	t, stamps, err := tree.New(envOf(o.Edition, c.clock), o.Attrs)
	if err != nil {
		return nil, err
	}
	return c.begin(ctx, engine.Creation{
		Name: name, Edition: o.Edition, Tree: t, Stamps: stamps,
		Entry: history.Entry{TimeNS: stamps.LastNS, Actor: c.actor},
	})
}

// context makes a context of a store that holds no state yet.
func (o OpenOptions) context(contexts engine.Contexts) *Context {
	if o.Clock == nil {
		o.Clock = func() int64 { return time.Now().UnixNano() }
	}
	return &Context{store: contexts, clock: o.Clock, actor: o.Actor, counter: o.Counter, held: map[string]int{}}
}

// begin creates the context in its store.
func (c *Context) begin(ctx context.Context, g engine.Creation) (*Context, error) {
	begun, err := c.store.Create(ctx, g)
	if err != nil {
		return nil, err
	}
	c.state.Store(&state{State: *begun})
	return c, nil
}

// Open opens an existing context. It returns E_CONTEXT_NOT_FOUND if none has this name.
// Cost: reading the latest snapshot and the working state without their contents.
func Open(ctx context.Context, db *DB, name string, opts *OpenOptions) (_ *Context, err error) {
	info, err := engine.Of(db).Find(ctx, name)
	if err != nil {
		return nil, err
	}
	c := optionsOf(opts).context(engine.Of(db))
	loaded, err := c.load(ctx, info.Key)
	if err != nil {
		return nil, err
	}
	c.state.Store(loaded)
	return c, nil
}

// OpenOrCreate opens a context, or creates it if none has this name. Attrs are used only if it is created. It returns
// E_CONFLICT if the context exists in another edition than the options name.
func OpenOrCreate(ctx context.Context, db *DB, name string, opts *CreateOptions) (*Context, error) {
	o := optionsOf(opts)
	c, err := Open(ctx, db, name, &o.OpenOptions)
	if errors.Is(err, fault.ContextNotFound) {
		if c, err = Create(ctx, db, name, &o); !errors.Is(err, fault.Conflict) {
			return c, err
		}
		c, err = Open(ctx, db, name, &o.OpenOptions) // another process made it meanwhile
	}
	if err == nil && o.Edition != "" && o.Edition != c.Info().Edition {
		return nil, fault.New(fault.Conflict, "the context "+strconv.Quote(name)+" has the edition "+
			string(c.Info().Edition)+", not "+
			string(o.Edition),
			"open it in its own edition, or choose another name")
	}
	return c, err
}

// List returns the contexts of a store, sorted by the bytes of their names. Cost: one row for each context.
func List(ctx context.Context, db *DB) ([]history.Info, error) {
	list, err := engine.Of(db).List(ctx)
	if err != nil {
		return nil, err
	}
	infos := make([]history.Info, len(list))
	for i := range list {
		infos[i] = list[i].Info
	}
	return infos, nil
}

// Rename gives a context another name and changes nothing else. A [Context] that is open
// keeps the old name until [Context.Refresh]. Errors: E_CONTEXT_NOT_FOUND if there is no
// such context, E_CONFLICT if another context has the new name.
func Rename(ctx context.Context, db *DB, name, to string) error {
	info, err := engine.Of(db).Find(ctx, name)
	if err != nil {
		return err
	}
	return engine.Of(db).Rename(ctx, info.Key, to)
}

// Delete removes a context with all its snapshots, drafts and its log. Snapshots that it
// shares with forks stay until the last of these forks is deleted. Delete cannot be undone.
// It returns E_CONTEXT_NOT_FOUND if there is no such context.
func Delete(ctx context.Context, db *DB, name string) error {
	info, err := engine.Of(db).Find(ctx, name)
	if err != nil {
		return err
	}
	return engine.Of(db).Delete(ctx, info.Key)
}

// Refresh reads the context again, to see what other processes did. If they changed
// anything, a prepared candidate is dropped.
func (c *Context) Refresh(ctx context.Context) (err error) {
	c.write.Lock()
	defer c.write.Unlock()
	now := c.state.Load()
	info, err := c.store.Info(ctx, now.Key)
	if err != nil || info.Revision == now.Revision {
		return err
	}
	loaded, err := c.load(ctx, now.Key)
	if err == nil && loaded.Revision != now.Revision {
		c.state.Store(loaded)
	}
	return err
}

// load reads the state of a context.
func (c *Context) load(ctx context.Context, key history.Key) (*state, error) {
	loaded, err := c.store.Load(ctx, key)
	if err != nil {
		return nil, err
	}
	return &state{State: *loaded}, nil
}

// current returns the state that was loaded last. If something was erased since, it loads
// the state again. It takes no lock, so that the function of an edit can read.
func (c *Context) current(ctx context.Context) (*state, error) {
	s := c.state.Load()
	info, err := c.store.Info(ctx, s.Key)
	if err != nil || info.Erasures == s.Erasures {
		return s, err
	}
	fresh, err := c.load(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	c.state.CompareAndSwap(s, fresh) // if it fails, a writer has stored a newer state
	return fresh, nil
}

// Info returns what [List] shows of the context, as it was last loaded or written, without asking the store.
func (c *Context) Info() history.Info { return c.state.Load().Info.Info }

// String names the context and its latest cycle, for messages: context "chat" at @c12.
func (c *Context) String() string {
	i := c.Info()
	return "context " + strconv.Quote(i.Name) + " at " + Cycle(i.Cycle).String()
}

// Retain protects nodes from expiry and pruning (02 §5.4) until release is called. It applies to this process only.
// It returns E_NODE_NOT_FOUND if the working state lacks one of them.
func (c *Context) Retain(ids ...string) (release func(), err error) {
	working := c.state.Load().Working
	for _, id := range ids {
		has, err := working.Has(id)
		if err != nil {
			return nil, err
		}
		if !has {
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

// retained returns a copy of the held ids, nil if there are none. The copy shows a commit one moment.
func (c *Context) retained() map[string]bool {
	c.holders.Lock()
	defer c.holders.Unlock()
	if len(c.held) == 0 {
		return nil
	}
	ids := make(map[string]bool, len(c.held))
	for id := range c.held {
		ids[id] = true
	}
	return ids
}

// envOf returns what an edition says of new nodes.
func envOf(e selector.Edition, clock func() int64) tree.Env {
	t := e.Traits()
	return tree.Env{
		Vocabulary: tree.Vocabulary{Turn: t.TurnType, Container: t.ContainerType, Block: t.BlockType},
		Bare:       t.Bare, Clock: clock,
	}
}

// env returns what edits and commits of this context take from outside.
func (c *Context) env(ctx context.Context, s *state) tree.Env {
	env := envOf(s.Edition, c.clock)
	env.Taken = func(id string) (bool, error) { return c.store.Has(ctx, s.Key, id) }
	if s.Fork > 0 {
		env.Suffix = "-f" + strconv.FormatInt(s.Fork, 10)
	}
	return env
}

// entry begins the log entry of a call.
func (c *Context) entry(n *Note, s tree.Stamps) history.Entry {
	note := optionsOf(n)
	return history.Entry{Cycle: s.Cycle, TimeNS: s.LastNS, Actor: cmp.Or(note.Actor, c.actor), Message: note.Message,
		Request: note.Request}
}
