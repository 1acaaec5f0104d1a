package archive

import (
	"bufio"
	"context"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// WriteSnapshots writes the canonical snapshots of the cycles first..last, one a line, oldest
// first: the form for exchange. E_SNAPSHOT_NOT_FOUND if one does not exist, E_CONFLICT if an
// erasure changed the context meanwhile. Cost: about that of copying what it writes, see
// [document.Series].
func WriteSnapshots(ctx context.Context, w io.Writer, from *provenance.Source, first, last int64) error {
	began, err := from.Store.Info(ctx, from.State.Key)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	var series document.Series
	for t, err := range from.Store.History(ctx, from.State.Key, first, last) {
		if err != nil {
			return err
		}
		if err := series.Write(ctx, buf, t, from.State.Edition); err != nil {
			return err
		}
		if err := buf.WriteByte('\n'); err != nil {
			return err
		}
	}
	if err := refuseErased(ctx, from, began.Erasures); err != nil {
		return err
	}
	return buf.Flush()
}

// refuseErased returns E_CONFLICT if the context has seen more erasures than these. Contents are read
// when they are written, so an erasure puts its mark beside the hash of what was there before.
func refuseErased(ctx context.Context, from *provenance.Source, erasures int64) error {
	now, err := from.Store.Info(ctx, from.State.Key)
	if err == nil && now.Erasures != erasures {
		err = fault.New(fault.Conflict, "an erasure changed the history while it was written", "write it again")
	}
	return err
}

// WriteCompact writes the whole context in the compact form, each version of a node once.
// E_CONFLICT if an erasure changed the context meanwhile. Cost: reading every snapshot, and
// writing what differs from one to the next.
func WriteCompact(ctx context.Context, w io.Writer, from *provenance.Source) error {
	s := &from.State
	buf := bufio.NewWriterSize(w, 1<<16)
	line := append([]byte(nil), `{"edition":`...)
	line = canon.AppendString(line, string(s.Edition))
	line = append(line, `,"pact_history":`+strconv.Itoa(compactVersion)+`,"spec_version":`...)
	line = append(canon.AppendString(line, s.Edition.Traits().SpecVersion), '}')
	if err := writeLine(buf, line); err != nil {
		return err
	}
	log, attempts := from.Publications(ctx), attemptsOf(from)
	defer log.Stop()
	var last *tree.Tree
	write := func(t *tree.Tree, kind string, entry history.Entry) error {
		list, err := attempts.inCycle(ctx, t.Cycle())
		if err != nil {
			return err
		}
		before := last
		last = t
		return writeCompactLine(ctx, buf, before, t, kind, entry, list)
	}
	next := func(t *tree.Tree, kind string) error {
		entry, err := log.Of(t.Cycle())
		if err != nil {
			return err
		}
		return write(t, kind, entry)
	}
	if s.Cycle < s.First { // a new context: the empty tree is not a snapshot
		if err := next(s.Head, "empty"); err != nil {
			return err
		}
	} else {
		for p, err := range engine.Pairs(ctx, from.Store, s.Key, s.First, s.Cycle, engine.Window) {
			if err == nil {
				last = p.Before
				err = next(p.Now, "cycle")
			}
			if err != nil {
				return err
			}
		}
	}
	if err := write(s.Working, "working", history.Entry{}); err != nil {
		return err
	}
	if err := refuseErased(ctx, from, s.Erasures); err != nil {
		return err
	}
	return buf.Flush()
}

func writeLine(w *bufio.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// writeCompactLine writes the differences from one tree to the next, or all of the tree if
// there is no previous one. kind is cycle, working or empty.
func writeCompactLine(
	ctx context.Context, w *bufio.Writer, last, next *tree.Tree, kind string, e history.Entry, attempts []history.Attempt,
) (err error) {
	var gone []string
	var born []tree.Born
	if last == nil {
		for entry, err := range next.All() {
			if err != nil {
				return err
			}
			born = append(born, tree.Born{Node: entry.Node(), Parent: entry.Parent})
		}
	} else {
		gone, born, err = last.Delta(next)
		if err != nil {
			return err
		}
	}
	line, err := appendAttempts([]byte(`{`), attempts)
	if err != nil {
		return err
	}
	line = append(line, `"born":[`...)
	for i, b := range born {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, `{"node":`...)
		class := tree.Container
		if path, err := next.Path(b.Node.ID); err != nil {
			return err
		} else if path != nil {
			class = path[len(path)-1].Class()
		}
		if line, err = document.AppendNode(ctx, line, b.Node, class, next.Cycle()); err != nil {
			return err
		}
		line = append(line, `,"parent":`...)
		line = append(canon.AppendString(line, b.Parent), '}')
	}
	line = append(line, `],`...)
	line = append(line, canon.String(kind)...)
	line = append(append(line, ':'), canon.Int(next.Cycle())...)
	line = append(append(line, `,"died":`...), canon.Strings(gone)...)
	entry, err := canon.Encode(compactEntry{e.Actor, e.Digest, e.Idle, e.Message, e.Report, e.Sent, e.Thread, e.TimeNS})
	if err != nil {
		return err
	}
	line = append(append(line, `,"entry":`...), entry...)
	return writeLine(w, append(line, '}'))
}
