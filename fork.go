package pact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/address"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// Fork makes a new context that begins as a snapshot of this one. The two share everything up to that snapshot
// instead of copying it; what comes later belongs to each alone. Generated ids in a fork end in its number
// (block:12-3-f2), so that related contexts never give the same id. Uncommitted edits stay behind. Errors: E_CONFLICT
// if the name is taken, E_STORE also if the store made the fork and then cannot read it: Fork with the same request
// token returns it later. Cost: reading the snapshot.
func (c *Context) Fork(ctx context.Context, at Address, name string, n *Note) (_ *Context, err error) {
	f := c.options().context(c.store)
	s := c.state.Load()
	if done, err := c.forked(ctx, name, optionsOf(n).Request); done != nil || err != nil {
		return done, err
	}
	cycle, err := address.Snapshot(string(at), s.Info.Info)
	if err != nil {
		return nil, err
	}
	t, err := c.treeAt(ctx, s, Cycle(cycle))
	if err != nil {
		return nil, err
	}
	next, err := c.branch(ctx, s, t, engine.Fork{Name: name, Entry: c.entry(n, s.Stamps)})
	if err != nil {
		return nil, err
	}
	f.state.Store(next)
	return f, nil
}

// options returns the options with which the context was opened.
func (c *Context) options() OpenOptions {
	return OpenOptions{Actor: c.actor, Clock: c.clock, Counter: c.counter}
}

// forked returns the fork that a call with the same token made before, nil without one.
func (c *Context) forked(ctx context.Context, name, token string) (*Context, error) {
	if token == "" {
		return nil, nil
	}
	like := c.options()
	f, err := Open(ctx, &DB{hiddenContexts: engine.Hide(c.store)}, name, &like)
	if errors.Is(err, fault.ContextNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := c.store.Request(ctx, f.state.Load().Key, token)
	if err != nil || e == nil || e.Kind != history.Forked {
		return nil, err
	}
	return f, nil
}

// Undo takes the last commit back: in one durable step a fork of the snapshot before it gets the name of this
// context, and this Context continues with the fork. Nothing is lost: the old context, with its uncommitted edits,
// keeps the name that Undo returns. Errors: E_SNAPSHOT_NOT_FOUND if there is no snapshot before the
// last, E_CONFLICT if another writer was faster, E_STORE also if the store made the fork and then cannot read it:
// Undo with the same request token does not undo twice.
func (c *Context) Undo(ctx context.Context, n *Note) (undone string, err error) {
	c.write.Lock()
	defer c.write.Unlock()
	s := c.state.Load()
	if done, err := c.earlierUndo(ctx, s, optionsOf(n).Request); done != "" || err != nil {
		return done, err
	}
	cycle, err := address.Snapshot(address.Back(1).Word(), s.Info.Info)
	if err != nil {
		return "", err
	}
	past, reach, err := c.before(ctx, s, cycle)
	if err != nil {
		return "", err
	}
	last := len(past) - 1
	name, number := s.Name+"~c"+strconv.FormatInt(s.State.Cycle, 10), 0
	for {
		undone = numbered(name, number)
		e := c.entry(n, s.Stamps)
		if e.Report, err = json.Marshal(map[string]string{"undone": undone}); err != nil {
			return "", fault.Wrap(fault.Store, err, "the report cannot be written", "report it as a fault of the library")
		}
		next, err := c.branch(ctx, s, past[last], engine.Fork{Name: s.Name, Entry: e, SupersededName: undone, Guard: guard(s)})
		if err == nil {
			if number > 0 {
				c.undone = undoneLine{name, number}
			}
			next.past, next.reach = past[:last:last], reach
			c.state.Store(next)
			return undone, nil
		}
		taken, failed := c.takenAfter(ctx, err, undone)
		switch {
		case failed != nil || !taken:
			return "", cmp.Or(failed, err)
		case number == 0 && c.undone.name == name: // saves listing all names when one undo follows another
			number = c.undone.number + 1
		default:
			if number, err = c.freeNumber(ctx, name); err != nil {
				return "", err
			}
		}
	}
}

// before returns the snapshots up to a cycle that precedes the latest one, oldest first. When one undo follows
// another, it reads more snapshots at once each time, so that each undo costs little.
func (c *Context) before(ctx context.Context, s *state, cycle int64) (list []*tree.Tree, reach int64, err error) {
	if n := len(s.past); n > 0 && s.past[0].Cycle() <= cycle && cycle <= s.past[n-1].Cycle() {
		return s.past[:cycle-s.past[0].Cycle()+1], s.reach, nil
	}
	if s.reach == 0 {
		t, err := c.treeAt(ctx, s, Cycle(cycle))
		return []*tree.Tree{t}, 1, err
	}
	reach = 4 * s.reach
	list, err = engine.Collect(c.store.History(ctx, s.Key, max(s.First, cycle-reach+1), cycle))
	return list, reach, err
}

// earlierUndo looks for an undo that was made before with the same token: the log of both lines has it. It continues
// with the state that the undo left and returns the name of the old line, "" if there was no such undo.
func (c *Context) earlierUndo(ctx context.Context, s *state, token string) (string, error) {
	done, err := c.seen(ctx, s, token)
	if done == nil || err != nil {
		return "", err
	}
	undone := done.Undone()
	if undone == "" {
		return "", fault.New(fault.Conflict, "the request token "+strconv.Quote(token)+" belongs to another call",
			"give every call a token of its own")
	}
	if done.Kind == history.Forked {
		return undone, nil
	}
	info, err := c.store.Find(ctx, s.Name)
	if err != nil {
		return "", err
	}
	loaded, err := c.load(ctx, info.Key)
	if err != nil {
		return "", err
	}
	c.state.Store(loaded)
	return undone, nil
}

// branch makes a fork of a snapshot and returns its state.
func (c *Context) branch(ctx context.Context, s *state, t *tree.Tree, f engine.Fork) (*state, error) {
	info, err := c.store.Fork(ctx, s.Key, t.Cycle(), f)
	if err != nil {
		return nil, err
	}
	// the entry that published the snapshot, and that of the fork
	begun, err := c.store.Log(ctx, info.Key, info.Origin.Revision, info.Revision)
	if err != nil {
		return nil, err
	}
	if len(begun) != 2 || begun[1].Digest != t.Digest().String() { // an erasure has changed it since
		return c.load(ctx, info.Key)
	}
	return &state{State: engine.State{Info: info, Head: t, Working: t.WithCycle(info.Stamps.Cycle), Idle: begun[0].Idle,
		From: c.store}}, nil
}

// numbered is the name that a line gets when its latest commit is undone; 0 for the first such line.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	return name + "~" + strconv.Itoa(n)
}

// freeNumber returns the first number from 2 on that gives a name which no context has.
// Cost: listing the contexts of the store.
func (c *Context) freeNumber(ctx context.Context, name string) (n int, err error) {
	list, err := c.store.List(ctx)
	names := make(map[string]bool, len(list))
	for _, info := range list {
		names[info.Name] = true
	}
	for n = 2; names[numbered(name, n)]; n++ {
	}
	return n, err
}

// takenAfter reports whether a fork failed with err because a context has this name. If the
// store cannot tell, failed says why.
func (c *Context) takenAfter(ctx context.Context, err error, name string) (taken bool, failed error) {
	if !errors.Is(err, fault.Conflict) {
		return false, nil
	}
	switch _, err := c.store.Find(ctx, name); fault.CodeOf(err) {
	case "":
		return err == nil, err
	case fault.ContextNotFound:
		return false, nil
	default:
		return false, err
	}
}

// Origins returns the snapshot from which this context was forked, then the snapshot from
// which that origin was forked, and so on, as far as these contexts still exist. It
// returns nothing for a context that is not a fork. Cost: listing the contexts.
func (c *Context) Origins(ctx context.Context) ([]inspect.Origin, error) {
	at := c.state.Load().Info
	if at.Origin.Key == 0 {
		return nil, nil
	}
	list, err := c.store.List(ctx)
	if err != nil {
		return nil, err
	}
	byKey := make(map[history.Key]engine.Info, len(list))
	for _, info := range list {
		byKey[info.Key] = info
	}
	var origins []inspect.Origin
	for at.Origin.Key != 0 {
		from := byKey[at.Origin.Key] // the zero Info if the origin was deleted
		origins = append(origins, inspect.Origin{Name: from.Name, Cycle: at.Origin.Cycle, Revision: at.Origin.Revision + 1})
		at = from
	}
	return origins, nil
}
