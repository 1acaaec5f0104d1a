package record

import (
	"context"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// unbegun is a context that an importer made for a call, and ended before the call was in it.
type unbegun struct {
	*recording
	origin history.Origin
}

// isEmpty reports whether nothing is in a context but what it began with.
func (l *recording) isEmpty(ctx context.Context, info history.Info) (bool, error) {
	if info.Revision > info.Origin.Revision+1 {
		return false, nil
	}
	attempts, err := l.c.Attempts(ctx, info.Cycle+1, info.Cycle+1)
	return len(attempts) == 0, err
}

// takeUnbegun takes the context that an earlier import made for a call that it did not record, nil if there is none.
func (r *Recorder) takeUnbegun(ctx context.Context, c *choice, q *request) (*recording, error) {
	if len(r.unbegun) == 0 {
		return nil, nil
	}
	var origin history.Origin
	if c.fork && c.cycle > 0 {
		from, err := r.store.Find(ctx, c.recording.name)
		if err != nil {
			return nil, err
		}
		origin = history.Origin{Key: from.Key, Cycle: c.cycle}
	}
	attrs := r.sourced(attrsOf(q.group, c.begun))
	group, err := canon.Encode(attrs[attrGroup])
	if err != nil {
		return nil, err
	}
	for i, l := range r.unbegun {
		if series(l.name) != series(r.nameOf(c)) || l.origin.Key != origin.Key || l.origin.Cycle != origin.Cycle {
			continue
		}
		root := tree.Of(l.c.Working()).Root().Node()
		if origin.Key != 0 || root.Has(attrGroup) == (attrs[attrGroup] != nil) && root.Has(attrBegun) == (attrs[attrBegun] != nil) &&
			(attrs[attrGroup] == nil || root.Header(attrGroup) == group) {
			r.unbegun = slices.Delete(r.unbegun, i, i+1)
			return l.recording, nil
		}
	}
	return nil, nil
}
