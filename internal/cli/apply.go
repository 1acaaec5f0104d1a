package cli

import (
	"bytes"
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

func (a *app) applyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "apply OPS.jsonl",
		Short: "Replay operations and print the history they make",
		Long: `Replay operations on a new context in memory, one JSON object a line, and print
its history, one canonical snapshot a line. The same operations give the same
bytes. - reads standard input. An operation that is refused stops it with its
line number, and nothing is printed or stored. What is printed grows with the
square of the number of commits; with --compact each version of a node is printed
once, as pact export --all --compact does.

  {"op":"config","edition":"v0.1","clock":{"start_ns":1000,"step_ns":1},
   "prune":{"max_nodes":N,"protect_turns":K,…}}          a policy
  {"op":"add","into":"^sys"|"^ah"|"<id>","node":{…}}      or "at":"<position>"
  {"op":"update","id":…,"set":{…}}
  {"op":"remove","id":…}
  {"op":"move","id":…,"into":…,"offset":n}                or "at":"<position>"
  {"op":"commit"}                       "message" and "prune":[ids] may be added

config comes first and is optional: without it the edition is canonical and the
clock reads 0, 1, 2 …. A node has id, nodeType, offset, ttl, priority, role, kind,
key, provenance, mime, encoding, tags, refs, removable, pinned, content and custom
attributes; the default offset is 0. Calls without results and results
without calls are kept, unless the policy has "orphans":"refuse" or "drop".`,
		Example: `  pact apply ops.jsonl > history.jsonl
  pact apply ops.jsonl --into replayed
  pact apply ops.jsonl --compact > backup.jsonl
  printf '%s\n' '{"op":"add","into":"^ah","node":{"id":"a"}}' |
    pact apply - --into replayed`,
		Args: exactly("OPS.jsonl"),
	}
	into := cmd.Flags().String("into", "", "also store the context, as `NAME`")
	compact := cmd.Flags().Bool("compact", false, "print each version of a node once")
	cmd.RunE = a.does(func(ctx context.Context, _ *cobra.Command, args []string) error {
		in, err := a.read(ctx, args[0])
		if err != nil {
			return err
		}
		r := &replay{edition: selector.Canonical, step: 1, policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
		m := a.meter("applying")
		total := bytes.Count(in.data, []byte("\n")) + 1
		number := 0
		for line := range bytes.Lines(in.data) {
			number++
			m.at(number, total)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if err := r.line(ctx, line); err != nil {
				return refused(err, in.name, line, number)
			}
		}
		m.end()
		if *into != "" {
			if err := a.keep(ctx, r, *into); err != nil {
				return err
			}
		}
		if r.context == nil {
			return nil
		}
		if *compact {
			return r.context.Backup(ctx, a.out)
		}
		first, last := r.context.Cycles()
		if last < first {
			return nil
		}
		return r.context.ExportHistory(ctx, a.out, pact.Cycle(first), pact.Latest)
	})
	return cmd
}

// refused adds the line to the error of an operation.
func refused(err error, file string, line []byte, number int) error {
	if fault.CodeOf(err) == "" { // the run was interrupted
		return err
	}
	f := *factsOf(err)
	f.Line = number
	place := &located{err: &f, name: file, text: string(line), exit: exitInvalid}
	if inner, ok := err.(*located); ok {
		place.text = inner.text
	}
	return place
}

// keep stores the replayed context.
func (a *app) keep(ctx context.Context, r *replay, name string) error {
	if r.context == nil {
		return fault.New(fault.SnapshotNotFound, "the operations make no snapshot to store", "end them with a commit")
	}
	s, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = r.context.Copy(ctx, s, name)
	return err
}

// replay is a context and the operations that build it.
type replay struct {
	context *pact.Context // the first operation other than config makes it
	edition selector.Edition
	now     int64 // the next reading of the clock
	step    int64
	policy  lifecycle.Policy
}

// clock reads the clock and advances it by one step.
func (r *replay) clock() int64 {
	now := r.now
	r.now += r.step
	return now
}

func (r *replay) line(ctx context.Context, line []byte) error {
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
	if r.context == nil {
		r.context, err = pact.Create(ctx, store.NewMemory(), "replay",
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
		values := make(map[string]any, len(set.Members))
		for _, s := range set.Members {
			values[s.Name] = s.Value.Value()
		}
		return r.context.Edit(ctx, func(b *pact.Batch) error {
			b.Update(id, values)
			return nil
		}, nil)
	case "remove":
		id := m.need("id")
		if err := m.end(); err != nil {
			return err
		}
		return r.context.Edit(ctx, func(b *pact.Batch) error {
			b.Remove(id)
			return nil
		}, nil)
	case "move":
		return r.move(ctx, m)
	case "commit":
		return r.commit(ctx, m)
	}
	return fault.At(fault.DocumentInvalid, fault.NoOffset, op, "there is no operation "+strconv.Quote(op),
		"write config, add, update, remove, move or commit")
}

// config applies settings to the context before it is made. Only the policy can
// change later.
func (r *replay) config(m *members) error {
	edition, hasEdition := m.optional("edition")
	clock, hasClock := m.take("clock")
	prune, hasPrune := m.take("prune")
	if err := m.end(); err != nil {
		return err
	}
	if r.context != nil && (hasEdition || hasClock) {
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
		if p.Orphans == "" {
			p.Orphans = lifecycle.Keep
		}
		r.policy = p
	}
	return nil
}

func (r *replay) add(ctx context.Context, m *members) error {
	into, at := m.target()
	node := m.object("node")
	if err := m.end(); err != nil {
		return err
	}
	spec, err := specOf(node)
	if err != nil {
		return err
	}
	return r.context.Edit(ctx, func(b *pact.Batch) error {
		if at != "" {
			b.Insert(at, spec)
			return inArgument(b.Err(), at)
		}
		b.Add(into, spec)
		return nil
	}, nil)
}

func (r *replay) move(ctx context.Context, m *members) error {
	id := m.need("id")
	into, at := m.target()
	_, hasOffset := m.doc.Get("offset")
	offset := m.integer("offset", 0)
	if err := m.end(); err != nil {
		return err
	}
	if at != "" && hasOffset {
		return fault.New(fault.DocumentInvalid, "the operation has a position and an offset", `leave "offset" out`)
	}
	return r.context.Edit(ctx, func(b *pact.Batch) error {
		if at != "" {
			b.MoveTo(id, at)
			return inArgument(b.Err(), at)
		}
		b.Move(id, into, offset)
		return nil
	}, nil)
}

func (r *replay) commit(ctx context.Context, m *members) error {
	message, _ := m.optional("message")
	prune := m.texts("prune")
	if err := m.end(); err != nil {
		return err
	}
	_, err := r.context.Commit(ctx, &pact.CommitOptions{Note: pact.Note{Message: message},
		Pruning: &pact.Pruning{Policy: r.policy, IDs: prune}})
	return err
}
