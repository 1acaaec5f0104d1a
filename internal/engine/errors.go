package engine

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// NoAttempt returns the error for an id that no attempt of the context has:
// E_ATTEMPT_NOT_FOUND.
func NoAttempt(id string) error {
	return fault.At(fault.AttemptNotFound, fault.NoOffset, id, "there is no attempt "+strconv.Quote(id),
		"Attempts lists those that are there")
}

// attemptEnded returns the error for ending an attempt a second time: E_CONFLICT.
func attemptEnded(a history.Attempt) error {
	return fault.New(fault.Conflict, "the attempt "+strconv.Quote(a.ID)+" has ended already: "+string(a.Status),
		"start another attempt")
}

// cycleOver returns the error for starting an attempt in a cycle that is not the current
// one: E_CONFLICT.
func cycleOver(cycle, now int64) error {
	return fault.New(fault.Conflict, "cycle "+strconv.FormatInt(cycle, 10)+" is not under way, "+strconv.FormatInt(now, 10)+" is",
		"nothing was recorded: read the context again and repeat the call")
}

// tokenTaken returns the error for the name of a token that is there already: E_CONFLICT.
func tokenTaken(name string) error {
	return fault.At(fault.Conflict, fault.NoOffset, name, "there is a token "+strconv.Quote(name)+" already",
		"choose another name, or revoke that one first")
}

// noToken returns the error for the name of a token that is not there: E_NOT_FOUND.
func noToken(name string) error {
	return fault.At(fault.NotFound, fault.NoOffset, name, "there is no token "+strconv.Quote(name),
		"list the tokens and choose one that is there")
}

// NoContext returns the error for a name that no context has: E_CONTEXT_NOT_FOUND.
func NoContext(name string) error {
	return fault.At(fault.ContextNotFound, fault.NoOffset, name, "there is no context "+strconv.Quote(name),
		"make it, or list the contexts and choose one that is there")
}

// noKey returns the error for a key that no context has: E_CONTEXT_NOT_FOUND.
func noKey(key history.Key) error {
	return fault.New(fault.ContextNotFound, "there is no context with the key "+strconv.FormatInt(int64(key), 10)+
		" any more", "it was deleted; list the contexts and choose one that is there")
}

// conflict decides whether a change conflicts with another writer's: it returns E_CONFLICT unless the guard
// holds. If two engines pass it at once, the medium refuses the second batch (see write).
func (l *branch) conflict(g Guard) error {
	if g.Cycle == l.last.latest && g.Revision == l.last.revision {
		return nil
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return fault.New(fault.Conflict, "another writer changed the context: expected cycle "+number(g.Cycle)+" revision "+
		number(g.Revision)+", found cycle "+number(l.last.latest)+" revision "+number(l.last.revision),
		"nothing was changed: read the context again and repeat the call")
}

// noSnapshot returns the error for a cycle without a snapshot: E_SNAPSHOT_NOT_FOUND.
func noSnapshot(cycle int64) error {
	return fault.New(fault.SnapshotNotFound, "there is no snapshot @c"+strconv.FormatInt(cycle, 10),
		"Find says which cycles the context has")
}

// closed returns the error for using a closed store: E_STORE.
func closed() error {
	return fault.New(fault.Store, "the store is closed", "open it again")
}

// otherFormat returns the error for rows that another version of pact wrote: E_STORE.
func otherFormat() error {
	return fault.New(fault.Store, "another version of pact wrote the store, in another format",
		"export its contexts, all snapshots of each, with the program that wrote it, and import them with this one")
}

// copyUnderWay is the error for beginning a copy of a branch that already has an unfinished one.
func copyUnderWay(name string) error {
	return fault.New(fault.Conflict, "there is an unfinished copy of "+name, "wait until it is done, or go on with it")
}

// noCopy is the error for a key that is not that of an unfinished copy.
func noCopy() error {
	return fault.New(fault.ContextNotFound, "the unfinished copy is gone", "another process finished it or began anew")
}

// DamageErr returns the error for a reader of a damaged part: E_STORE.
func DamageErr(d *history.Damage) error {
	e := fault.Wrap(fault.Store, d, "the store is damaged", "restore it from a backup or an export")
	e.Node = d.Node
	return e
}

// canceled is the error of a call whose context ended with err.
func canceled(err error) error {
	return fault.Wrap(fault.Store, err, "the call was canceled", "call it again, with a context that has not ended")
}
