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
)

// Fork makes a new context that begins as a snapshot of this one. The two share everything up to that snapshot
// instead of copying it; what comes later belongs to each alone. Generated ids in a fork end in its number
// (block:12-3-f2), so that related contexts never give the same id. Uncommitted edits stay behind. Errors: E_CONFLICT
// if the name is taken. Cost: reading the snapshot.
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
	next, err := c.store.Fork(ctx, s.Key, cycle, engine.Fork{Name: name, Entry: c.entry(n, s.Stamps)})
	if err != nil {
		return nil, err
	}
	f.state.Store(&state{State: *next})
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
// keeps the name that Undo returns. Undo with the same request token does not undo twice. Errors:
// E_SNAPSHOT_NOT_FOUND if there is no snapshot before the last, E_CONFLICT if another writer was faster.
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
	name, number := s.Name+"~c"+strconv.FormatInt(s.State.Cycle, 10), 0
	for {
		undone = numbered(name, number)
		e := c.entry(n, s.Stamps)
		if e.Report, err = json.Marshal(map[string]string{"undone": undone}); err != nil {
			return "", fault.Wrap(fault.Store, err, "the report cannot be written", "report it as a fault of the library")
		}
		next, err := c.store.Fork(ctx, s.Key, cycle, engine.Fork{Name: s.Name, Entry: e, SupersededName: undone, Guard: guard(s)})
		if err == nil {
			if number > 0 {
				c.undone = undoneLine{name, number}
			}
			c.state.Store(&state{State: *next})
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
