package record

import (
	"context"
	"errors"
	"strings"
	"sync"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// decisions keeps the list of decisions of the conversations of a recorder, with the originals, as blocks of a context of
// its own. It is safe for concurrent use.
type decisions struct {
	store   *pact.DB
	name    string
	options pact.OpenOptions
	list    *manage.List

	adding sync.Mutex // held from the look whether something is decided until the list knows it

	io    sync.Mutex    // held during work with the store
	c     *pact.Context // nil before the first use
	cycle int64         // of the last snapshot whose decisions were read

	mu     sync.Mutex      // never held during work with the store: a request does not wait for another's
	loaded bool            // the decisions of the context were read
	plain  map[string]bool // keys of results about which the context has nothing, as far as it was read
}

func newDecisions(s *pact.DB, name string, o pact.OpenOptions) *decisions {
	return &decisions{store: s, name: name, options: o, list: manage.NewList(), plain: map[string]bool{}}
}

// ready reads the decisions of the context, once.
func (e *decisions) ready(ctx context.Context) error {
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

// mostPlain bounds how many results are remembered about which nothing was decided. Tests change it.
var mostPlain = 1 << 17

// lookAgain reads the decisions that other processes made meanwhile, if some of the results are not new and nothing is
// known about them.
func (e *decisions) lookAgain(ctx context.Context, q *manage.Request) error {
	var keys []string
	e.mu.Lock()
	for i := range q.Parts {
		p := &q.Parts[i]
		if p.Kind == "result" && p.Key != "" && !p.Unseen() && !e.plain[p.Key] && !e.list.Knows(p.Key) {
			keys = append(keys, p.Key)
		}
	}
	e.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	if err := retryOnce(func() error { return e.refresh(ctx) }); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.plain) > mostPlain {
		clear(e.plain)
	}
	for _, key := range keys {
		e.plain[key] = true
	}
	return nil
}

// lookForOthers reads what other processes decided meanwhile, such as a person by hand. A request does not wait for work
// with the store that is under way.
func (e *decisions) lookForOthers(ctx context.Context) error {
	if !e.io.TryLock() {
		return nil
	}
	defer e.io.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return e.reload(ctx)
}

// retryOnce repeats a call that fails once.
func retryOnce(f func() error) error {
	if f() == nil {
		return nil
	}
	return f()
}

func (e *decisions) refresh(ctx context.Context) error {
	e.io.Lock()
	defer e.io.Unlock()
	return e.reload(ctx)
}

// reload reads what other processes decided. It loads the context only if it changed. The caller holds e.io.
func (e *decisions) reload(ctx context.Context) error {
	if e.c != nil {
		if err := e.c.Refresh(ctx); err != nil {
			return err
		}
	}
	return e.load(ctx, false)
}

// load opens the context, or makes it with create, and reads the decisions. The caller holds e.io.
func (e *decisions) load(ctx context.Context, create bool) error {
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
	last := e.c.Info().Cycle
	if last != e.cycle {
		if err := e.read(ctx); err != nil {
			return err
		}
	}
	e.cycle = last
	e.list.Shed(func(block string) func() (canon.Value, error) { return e.reader(ctx, block) })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.loaded = true
	return nil
}

// reader returns a function that reads the text that a block keeps.
func (e *decisions) reader(ctx context.Context, block string) func() (canon.Value, error) {
	ctx = context.WithoutCancel(ctx) // the text is read later
	t := tree.Of(e.c.Working())
	return func() (canon.Value, error) {
		n, err := t.Node(block)
		if err != nil || n == nil {
			return "", err
		}
		return contentOf(ctx, n)
	}
}

// read takes the decisions out of the blocks of the context.
func (e *decisions) read(ctx context.Context) error {
	for at, err := range tree.Of(e.c.Working()).Blocks(0) {
		if err != nil {
			return err
		}
		n := at.Node()
		key, has := n.Header(attrDecided).Text()
		if !has {
			continue
		}
		d := manage.Decision{Key: key, Block: n.ID}
		d.Since, _ = n.Header(attrSince).Text()
		if len(n.Refs) > 0 { // an edit may have removed the original
			d.ID = n.Refs[0]
		}
		what, _ := n.Header(attrWhat).Text()
		switch {
		case n.Kind == kindRaw:
			why, err := contentOf(ctx, n)
			if err != nil {
				return err
			}
			d.Action, d.Why, d.ID = manage.Raw, why.Any().Text, ""
			switch {
			case strings.HasPrefix(d.Why, endedBecause):
				d.Action = manage.Ended
			case strings.HasPrefix(d.Why, stoppedBecause):
				d.Action = manage.Stopped
			case strings.HasPrefix(d.Why, pinnedBecause):
				d.Action = manage.Pinned
			}
		case n.Has(attrCleared):
			d.Action, d.Text = manage.Cleared, canon.Value(provider.Cleared)
		case n.Has(attrSince) && n.Kind != "result":
			d.Action = manage.Gone
		case n.Has(attrSince):
			d.Action, d.Load = manage.Left, e.reader(ctx, n.ID)
		case what != "":
			d.Action, d.Load = manage.Action(what), e.reader(ctx, n.ID)
			d.Of, _ = n.Header(attrRefers).Text()
		default:
			e.list.Name(n.ID, key)
			continue
		}
		e.list.Add(d)
	}
	return nil
}

var keepAll = &pact.Pruning{WithoutKept: true, Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}

// add keeps decisions, with their originals, before it returns, and adds them to the list. It calls begin, maybe more
// than once, before it makes them durable, and makes none durable after begin fails. Of two decisions that hold for all
// requests the first stays: another process may have been faster.
func (e *decisions) add(ctx context.Context, list []deciding, begin func() error) error {
	e.adding.Lock()
	defer e.adding.Unlock()
	var made []manage.Decision
	err := e.persist(ctx, true, func() *pact.CommitOptions {
		return &pact.CommitOptions{Pruning: keepAll, Edit: func(b *pact.Batch) error {
			if err := begin(); err != nil {
				return err
			}
			made = nil
			for i := range list {
				d := &list[i]
				if d.Since == "" && d.Action != manage.Raw && e.list.Entered(d.Key) {
					continue
				}
				if of := e.list.Named(d.ID); d.ID != "" && of != "" && of != d.originalOf().key() {
					return errNameTaken
				}
				d.writeBlocks(b)
				made = append(made, d.Decision)
			}
			return nil
		}}
	})
	if err != nil {
		return err
	}
	for _, d := range made {
		e.list.Add(d)
	}
	return nil
}

// persist commits to the context, which it makes with create. If another process was faster, it asks again which
// options to commit.
func (e *decisions) persist(ctx context.Context, create bool, options func() *pact.CommitOptions) error {
	e.io.Lock()
	defer e.io.Unlock()
	for try := 0; ; try++ {
		err := e.load(ctx, create)
		if err == nil && e.c == nil {
			return nil
		}
		if err == nil {
			if _, err = e.c.Commit(ctx, options()); err == nil {
				e.cycle = e.c.Info().Cycle
				return nil
			}
		}
		if try > 2 || e.c == nil || !errors.Is(err, fault.Conflict) {
			return err
		}
		if err := e.c.Refresh(ctx); err != nil {
			return err
		}
	}
}

var errNameTaken = errors.New("another process keeps another original under the same id")
