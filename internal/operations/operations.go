package operations

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/nearest"
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
	op := m.need("op")
	if m.err != nil {
		return m.err
	}
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
	case "add", "update", "replace", "remove", "move":
		e, err := editOf(op, m)
		if err != nil {
			return err
		}
		return r.Context.Edit(ctx, func(b *pact.Batch) error {
			_, err := e.Apply(b)
			return err
		}, nil)
	case "commit":
		return r.commit(ctx, m)
	}
	return fault.At(fault.DocumentInvalid, fault.NoOffset, op, "there is no operation "+strconv.Quote(op),
		nearest.Remedy(op, []string{"config", "add", "update", "replace", "remove", "move", "commit"},
			"write config, add, update, replace, remove, move or commit"))
}

// editOf reads an operation that is an edit.
func editOf(op string, m *members) (e Edit, err error) {
	e.Op = op
	if op != "add" {
		e.ID = m.need("id")
	}
	if op == "add" || op == "move" {
		e.Into, e.At, e.Depth = m.text("into"), m.text("at"), m.integer("depth", 0)
	}
	if op == "move" {
		e.Offset = m.integer("offset", 0)
	}
	var node, set canon.Any
	switch op {
	case "add", "replace":
		node = m.object("node")
	case "update":
		set = m.object("set")
	}
	if err := m.end(); err != nil {
		return e, err
	}
	if op == "add" || op == "replace" {
		spec, err := specOf(node)
		if e.Node = &spec; err != nil {
			return e, err
		}
	}
	e.Set = make(map[string]canon.Value, len(set.Members))
	for _, header := range set.Members {
		e.Set[header.Name] = header.Value.Value()
	}
	return e, nil
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
