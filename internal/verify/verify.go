package verify

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
)

// Progress is told how many of all snapshots are done; it may be nil.
type Progress func(done, total int)

// Named verifies the context with a name, and rows that belong to no context. E_CONTEXT_NOT_FOUND if there is none,
// E_STORE if the store fails without reporting damage.
func Named(ctx context.Context, s engine.Contexts, name string, progress Progress) (*inspect.Verification, error) {
	if defect, err := outsideContexts(ctx, s); defect != nil || err != nil {
		return &inspect.Verification{Context: name, Defect: defect}, err
	}
	list, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(i engine.Info) bool { return i.Name == name })
	if at < 0 {
		return nil, engine.NoContext(name)
	}
	return Info(ctx, s, list[at], progress)
}

// All verifies every context of a store, and the rows that belong to none. If it cannot read a
// context, it reports that as its defect and continues.
func All(ctx context.Context, s engine.Contexts, progress Progress) (*inspect.StoreVerification, error) {
	all := &inspect.StoreVerification{Contexts: []*inspect.Verification{}}
	var err error
	if all.Defect, err = outsideContexts(ctx, s); err != nil {
		return nil, err
	}
	list, err := s.List(ctx)
	if err != nil && all.Defect != nil {
		return all, nil // the defect hides which contexts exist
	}
	if err != nil {
		return nil, err
	}
	done, total := 0, 0
	for _, i := range list {
		total += int(i.Cycle - i.First + 1)
	}
	for _, i := range list {
		before := done
		verified, err := Info(ctx, s, i, func(n, _ int) {
			if done = before + n; progress != nil {
				progress(min(done, total), total)
			}
		})
		if errors.Is(err, fault.ContextNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil && (ctx.Err() != nil || fault.CodeOf(err) != fault.Store) {
			return nil, err
		}
		if err != nil {
			verified = &inspect.Verification{Context: i.Name, Defect: &inspect.Defect{NoCycle: true, What: err.Error()}}
		}
		all.Contexts = append(all.Contexts, verified)
	}
	return all, nil
}

// outsideContexts checks what belongs to no single context.
func outsideContexts(ctx context.Context, s engine.Contexts) (*inspect.Defect, error) {
	damage, err := s.CheckAll(ctx)
	return defectOf(damage, err)
}

// defectOf turns damage that a store found, or that is the cause of an error, into a defect. It
// returns other errors.
func defectOf(d *history.Damage, err error) (*inspect.Defect, error) {
	if d == nil && !errors.As(err, &d) {
		return nil, err
	}
	return &inspect.Defect{
		NoCycle: d.NoCycle, Cycle: d.Cycle, Node: d.Node, Suspects: d.Suspects,
		What: d.What, Recorded: d.Recorded, Found: d.Found, Derived: d.Derived,
	}, nil
}

// tries is how often a context is verified again because others erase.
const tries = 8

// Info verifies a context that the store may not list, by its key, its name and the state that it had,
// and again if an erasure meanwhile mixed states from before and after it. E_CONFLICT if that happens
// every time. Other errors are those of Named.
func Info(ctx context.Context, s engine.Contexts, now engine.Info, progress Progress) (*inspect.Verification, error) {
	for range tries {
		v := newVerifier(ctx, s, now)
		err := v.context(progress)
		if defect, other := defectOf(nil, err); defect != nil {
			v.found.Defect, err = defect, other
		}
		if d := v.found.Defect; d != nil && !d.NoCycle && d.Cycle > now.Cycle {
			d.Working = true
		}
		if err == nil && v.found.Holds() {
			return &v.found, nil
		}
		since, failed := s.Log(ctx, now.Key, now.Revision+1, math.MaxInt64)
		if failed != nil || !slices.ContainsFunc(since, func(e history.Entry) bool { return e.Kind == history.Erasing }) {
			return &v.found, err
		}
		later, failed := s.Load(ctx, now.Key)
		if failed != nil {
			return &v.found, err
		}
		now = later.Info
	}
	return nil, fault.New(fault.Conflict, "an erasure changed "+
		strconv.Quote(now.Name)+" during every attempt to verify it",
		"verify it again")
}
