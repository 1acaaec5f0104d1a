package engine

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Delta is what a snapshot has other than the one before it.
type Delta struct {
	Cycle int64    // of the snapshot
	Gone  []string // ids of the nodes that it has no longer
	Born  []Version
}

// Version is a node that is new or has other headers or another content. No tree is made for it.
type Version struct {
	e *Engine
	l *branch
	r *row
}

// ID returns the id of the node.
func (v Version) ID() string { return v.r.id }

// Node makes the node.
func (v Version) Node() *tree.Node { return v.e.node(v.l, v.r) }

// Text reads the content, "" if there is none. The bytes are as they were written; that they are those of
// the node is what reading the content of Node compares as well.
func (v Version) Text(ctx context.Context) (canon.Value, error) {
	if !v.r.placed() {
		return canon.Value(v.r.inline), nil
	}
	c := v.e.contentOf(v.l, v.r)
	text, err := c.get(ctx)
	if err != nil {
		return "", damageOf(v.r.head.cycle, v.r.id, err)
	}
	return text, nil
}

// Deltas implements [Contexts].
func (e *Engine) Deltas(ctx context.Context, key history.Key, from, to int64) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var v version
		l, err := e.between(ctx, key, from, to, func(l *branch) (err error) {
			v, err = e.base(ctx, l.publisher(from), from)
			return err
		})
		if err != nil {
			yield(Delta{}, err)
		}
		if err != nil || from >= to {
			return
		}
		for s, err := range e.steps(ctx, l, v.revision, to) {
			if err != nil {
				yield(Delta{}, err)
				return
			}
			if s.cycle() > from && !yield(s.delta(e), nil) {
				return
			}
		}
	}
}

func (s *step) delta(e *Engine) Delta {
	gone, rows := fold(s.list)
	d := Delta{Cycle: s.cycle(), Gone: gone, Born: make([]Version, 0, len(rows))}
	for i := range rows {
		if !rows[i].moved {
			d.Born = append(d.Born, Version{e, s.branch, &rows[i]})
		}
	}
	return d
}
