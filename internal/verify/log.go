package verify

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
)

// publishes reports whether an entry published a snapshot of a context whose first one has a cycle.
func publishes(e *history.Entry, first int64) bool {
	return e.Kind == history.Commit || e.Kind == history.Create && e.Cycle == first // an import brought it
}

// checkLog checks that a log has every revision once and every cycle once, in order, and returns its erasures.
func checkLog(log iter.Seq2[history.Entry, error], i engine.Info) (erasures []history.Entry, d *inspect.Defect, err error) {
	revision, published := int64(0), i.First-1 // the latest of each
	for e, err := range log {
		if err != nil {
			return erasures, nil, err
		}
		revision++
		begins := e.Kind == history.Create
		switch e.Kind {
		case history.Create, history.Edit, history.Forked, history.Superseded:
		case history.Erasing:
			erasures = append(erasures, e)
		case history.Commit:
			switch {
			case e.Cycle <= published:
				return erasures, &inspect.Defect{Cycle: e.Cycle, What: "the log publishes the cycle twice"}, nil
			case e.Cycle > published+1:
				return erasures, unpublished(published + 1), nil
			}
		default:
			return erasures, &inspect.Defect{Cycle: e.Cycle, What: "the log has an entry of an unknown kind"}, nil
		}
		if publishes(&e, i.First) {
			published = e.Cycle
		}
		if e.Revision != revision || begins != (revision == 1) {
			return erasures, &inspect.Defect{
				Cycle: e.Cycle, What: "the log does not count its revisions",
				Found: strconv.FormatInt(e.Revision, 10), Recorded: strconv.FormatInt(revision, 10),
			}, nil
		}
	}
	switch {
	case revision != i.Revision || revision == 0:
		return erasures, &inspect.Defect{Cycle: i.Cycle, What: "the log ends early"}, nil
	case published < i.Cycle:
		return erasures, unpublished(published + 1), nil
	}
	return erasures, nil, nil
}

func unpublished(cycle int64) *inspect.Defect {
	return &inspect.Defect{Cycle: cycle, What: "the log does not say who published the cycle"}
}

// erasuresOf returns the erasures in the log of a context and in the logs of its origins: a
// fork that was made after an erasure begins before it.
func erasuresOf(ctx context.Context, s engine.Contexts, i engine.Info, log []history.Entry) ([]inspect.Erasure, error) {
	var list []inspect.Erasure
	seen := map[string]bool{} // by salt: every context that an erasure changed logs it
	take := func(entries []history.Entry, own bool) {
		for _, e := range entries {
			of := e.Erased()
			if of == nil || seen[of.Salt] {
				continue
			}
			seen[of.Salt] = true
			erasure := inspect.Erasure{
				TimeNS: e.TimeNS, Actor: e.Actor, Reason: e.Message,
				IDs: of.IDs, Versions: of.Versions, Entries: of.Entries, Attempts: of.Attempts, Digests: of.Digests, Salt: of.Salt,
			}
			if own {
				erasure.Revision = e.Revision
			}
			list = append(list, erasure)
		}
	}
	take(log, true)
	if i.Origin.Key == 0 {
		return list, nil
	}
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	byKey := make(map[history.Key]engine.Info, len(all))
	for _, info := range all {
		byKey[info.Key] = info
	}
	for i.Origin.Key != 0 {
		from := i.Origin
		if i = byKey[from.Key]; i.Key == 0 {
			break // the origin was deleted with its log
		}
		entries, err := s.Log(ctx, i.Key, from.Revision+1, i.Revision)
		if err != nil {
			return nil, err
		}
		take(entries, false)
	}
	slices.SortStableFunc(list, func(a, b inspect.Erasure) int { return cmp.Compare(a.TimeNS, b.TimeNS) })
	return list, nil
}
