package operations

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A Replay builds a context in memory out of operations. The same operations give the same context:
// its clock counts.
type Replay struct {
	Context *pact.Context // the first operation other than config makes it
	edition selector.Edition
	now     int64 // the next reading of the clock
	step    int64
	policy  lifecycle.Policy
}

// New returns a replay without operations. Its edition is canonical, and calls without results stay.
func New() *Replay {
	return &Replay{edition: selector.Canonical, step: 1}
}

// Misplaced is an error about a text that names a position.
type Misplaced struct {
	Text string
	Err  error
}

func (e *Misplaced) Error() string { return e.Err.Error() }
func (e *Misplaced) Unwrap() error { return e.Err }

func misplaced(err error, at string) error {
	if err == nil {
		return nil
	}
	return &Misplaced{at, err}
}

// clock reads the clock and advances it by one step.
func (r *Replay) clock() int64 {
	now := r.now
	r.now += r.step
	return now
}

// Line does the operation that a line describes as a JSON object. E_DOCUMENT_INVALID if it describes
// none; else the errors of the edit or the commit, a [Misplaced] for those about a position.
func (r *Replay) Line(ctx context.Context, line []byte) error {
	doc, err := canon.ParseDocument(line)
	if err != nil {
		return err
	}
	if doc.Kind != canon.KindObject {
		return fault.New(fault.DocumentInvalid, "the line is not a JSON object", `write an operation such as {"op":"commit"}`)
	}
	m := &members{doc: doc, what: "operation"}
	op := m.text("op")
	if op == "config" {
		return r.config(m)
	}
	if r.Context == nil {
		r.Context, err = pact.Create(ctx, pact.NewDB(store.NewMemory()), "replay",
			&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: r.clock}, Edition: r.edition})
		if err != nil {
			return err
		}
	}
	switch op {
	case "add":
		return r.add(ctx, m)
	case "update":
		id, set := m.need("id"), m.object("set")
		if err := m.end(); err != nil {
			return err
		}
		return r.Context.Edit(ctx, func(b *pact.Batch) (err error) {
			b.Update(id, func(s *pact.Spec) {
				for i := 0; i < len(set.Members) && err == nil; i++ {
					err = Set(s, set.Members[i].Name, set.Members[i].Value.Value())
				}
			})
			return err
		}, nil)
	case "replace":
		id, node := m.need("id"), m.object("node")
		if err := m.end(); err != nil {
			return err
		}
		spec, err := specOf(node)
		if err != nil {
			return err
		}
		return r.Context.Edit(ctx, func(b *pact.Batch) error { b.Replace(id, spec); return nil }, nil)
	case "remove":
		id := m.need("id")
		if err := m.end(); err != nil {
			return err
		}
		return r.Context.Edit(ctx, func(b *pact.Batch) error {
			b.Remove(id)
			return nil
		}, nil)
	case "move":
		return r.move(ctx, m)
	case "commit":
		return r.commit(ctx, m)
	}
	return fault.At(fault.DocumentInvalid, fault.NoOffset, op, "there is no operation "+strconv.Quote(op),
		"write config, add, update, replace, remove, move or commit")
}

// config applies settings to the context before it is made. Only the policy can
// change later.
func (r *Replay) config(m *members) error {
	edition, hasEdition := m.optional("edition")
	clock, hasClock := m.pop("clock")
	prune, hasPrune := m.pop("prune")
	if err := m.end(); err != nil {
		return err
	}
	if r.Context != nil && (hasEdition || hasClock) {
		return fault.New(fault.DocumentInvalid, "edition and clock cannot be set after the first operation",
			"make config the first line")
	}
	if hasEdition {
		e, err := selector.ParseEdition(edition)
		if err != nil {
			return err
		}
		r.edition = e
	}
	if hasClock {
		c := &members{doc: clock, what: "clock"}
		r.now, r.step = c.integer("start_ns", r.now), c.integer("step_ns", r.step)
		if err := c.end(); err != nil {
			return err
		}
	}
	if hasPrune {
		p, err := lifecycle.ParsePolicy([]byte(prune.Value()))
		if err != nil {
			return err
		}
		r.policy = p
	}
	return nil
}

func (r *Replay) add(ctx context.Context, m *members) error {
	into, at := m.target(m.has("depth") || r.Context.Edition().Traits().ParentIDs)
	node, depth := m.object("node"), m.integer("depth", 0)
	if err := m.end(); err != nil {
		return err
	}
	spec, err := specOf(node)
	if err != nil {
		return err
	}
	return r.Context.Edit(ctx, func(b *pact.Batch) error {
		if depth != 0 {
			b.Splice(depth, spec)
			return nil
		}
		if at != "" {
			b.Add(at, spec)
			return misplaced(b.Err(), at)
		}
		b.Add(into, spec)
		return nil
	}, nil)
}

func (r *Replay) move(ctx context.Context, m *members) error {
	id := m.need("id")
	into, at := m.target(m.has("depth"))
	_, hasOffset := m.doc.Get("offset")
	offset, depth := m.integer("offset", 0), m.integer("depth", 0)
	if err := m.end(); err != nil {
		return err
	}
	if at != "" && hasOffset {
		return fault.New(fault.DocumentInvalid, "the operation has a position and an offset", `leave "offset" out`)
	}
	return r.Context.Edit(ctx, func(b *pact.Batch) error {
		if depth != 0 {
			b.MoveToDepth(depth, id)
			return nil
		}
		if at != "" {
			b.MoveTo(id, at)
			return misplaced(b.Err(), at)
		}
		b.Move(id, into, offset)
		return nil
	}, nil)
}

func (r *Replay) commit(ctx context.Context, m *members) error {
	message, _ := m.optional("message")
	prune := m.texts("prune")
	if err := m.end(); err != nil {
		return err
	}
	_, err := r.Context.Commit(ctx, &pact.CommitOptions{Note: pact.Note{Message: message},
		Pruning: &pact.Pruning{Policy: r.policy, IDs: prune}})
	return err
}
