package provenance

import (
	"context"
	"encoding/json"
	"iter"
	"sort"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// Log is the part of a context's log for some cycles, indexed by cycle and by the nodes in its
// reports.
type Log struct {
	edits    map[int64][]history.Entry
	commits  map[int64]history.Entry     // entries that published a cycle, the first entry of an import included
	reports  map[int64]*lifecycle.Report // of the commits that did more than seal
	removals map[string]diff.Cause       // by id: why a commit removed the node
	stubs    map[string]diff.Cause       // by id: why a commit added the stub
	erasures []history.Entry
}

// Log reads the log entries of the cycles from..to. E_STORE if the report of a
// commit cannot be read. Cost: these entries, and O(log n) reads to find the first.
func (s *Source) Log(ctx context.Context, from, to int64) (*Log, error) {
	first, err := s.firstRevision(ctx, from)
	if err != nil {
		return nil, err
	}
	end := s.State.Revision
	if to < s.State.Stamps.Cycle {
		if end, err = s.firstRevision(ctx, to+1); err != nil {
			return nil, err
		}
		end--
	}
	return LogOf(s.revisions(ctx, first, end))
}

// LogOf indexes entries that the caller reads, oldest first, such as those of
// [pact.Context.Log]. It fails if the reading does, and with E_STORE if the report of a commit
// cannot be read.
func LogOf(entries iter.Seq2[history.Entry, error]) (*Log, error) {
	l := newLog()
	for e, err := range entries {
		if err == nil {
			err = l.add(e)
		}
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

func newLog() *Log {
	return &Log{
		edits: map[int64][]history.Entry{}, commits: map[int64]history.Entry{}, reports: map[int64]*lifecycle.Report{},
		removals: map[string]diff.Cause{}, stubs: map[string]diff.Cause{},
	}
}

// Creator returns who added a node, by the cycle and the stamp in its headers.
func (l *Log) Creator(n *tree.Node) diff.Author { return l.creator(n.Cycle, n.CreatedNS) }

// firstRevision returns the first revision of a cycle. Cycles never descend along the log. It looks
// among the newest entries first, because most questions are about them.
func (s *Source) firstRevision(ctx context.Context, cycle int64) (int64, error) {
	if cycle <= 0 {
		return 1, nil
	}
	const newest = 16
	from := max(1, s.State.Revision-newest+1)
	list, err := s.Store.Log(ctx, s.State.Key, from, s.State.Revision)
	if err != nil {
		return 0, err
	}
	if k := sort.Search(len(list), func(i int) bool { return list[i].Cycle >= cycle }); k > 0 {
		return from + int64(k), nil
	}
	before := sort.Search(int(from-1), func(i int) bool {
		if err != nil {
			return true
		}
		list, err = s.Store.Log(ctx, s.State.Key, int64(i)+1, int64(i)+1)
		return len(list) > 0 && list[0].Cycle >= cycle
	})
	return int64(before) + 1, err
}

// Publication returns the entry that published a cycle, and whether the log has it.
func (l *Log) Publication(cycle int64) (history.Entry, bool) {
	e, ok := l.commits[cycle]
	return e, ok
}

// Report returns the report of the commit of a cycle, nil if the commit only sealed or the log
// has no such commit.
func (l *Log) Report(cycle int64) *lifecycle.Report { return l.reports[cycle] }

func (l *Log) add(e history.Entry) error {
	switch e.Kind {
	case history.Edit:
		l.edits[e.Cycle] = append(l.edits[e.Cycle], e)
		return nil
	case history.Erasing:
		l.erasures = append(l.erasures, e)
		return nil
	case history.Commit, history.Create:
	default:
		return nil // it concerns the context, not a cycle
	}
	l.commits[e.Cycle] = e
	if len(e.Report) == 0 {
		return nil
	}
	r := new(lifecycle.Report)
	if err := json.Unmarshal(e.Report, r); err != nil {
		return fault.Wrap(fault.Store, err, "the report of revision "+strconv.FormatInt(e.Revision, 10)+" cannot be read",
			"restore the store from a backup or an export")
	}
	l.reports[e.Cycle] = r
	for _, gone := range r.Removed {
		l.removals[gone.ID] = diff.Cause{
			Kind: causeKind(gone.Reason), Cycle: e.Cycle, Rule: pruningRule(gone), Author: authorOf(e),
		}
	}
	for _, stub := range r.Stubs {
		l.stubs[stub.ID] = diff.Cause{Kind: diff.ByPruning, Cycle: e.Cycle, Rule: "stub", Author: authorOf(e)}
	}
	return nil
}

func causeKind(r lifecycle.Reason) diff.Kind {
	switch r {
	case lifecycle.Expired:
		return diff.ByExpiry
	case lifecycle.Cascaded:
		return diff.ByCascade
	}
	return diff.ByPruning
}

// pruningRule names the rule that pruned a node, "" for other reasons.
func pruningRule(gone lifecycle.Removal) string {
	if gone.Reason == lifecycle.Orphaned {
		return "orphans"
	}
	return gone.Rule
}

func authorOf(e history.Entry) diff.Author {
	return diff.Author{Revision: e.Revision, Actor: e.Actor, Message: e.Message}
}

// creator returns who added a node with this stamp in a cycle: the author of the first batch
// whose last stamp is not before it.
func (l *Log) creator(cycle, createdNS int64) diff.Author {
	for _, e := range l.edits[cycle] {
		if e.TimeNS >= createdNS {
			return l.editAuthor(e)
		}
	}
	return l.committer(cycle)
}

// editor returns who made a change that has no stamp in a cycle: the author of the only edit,
// or the committer if the edit came with the commit; the zero Author if several edited.
func (l *Log) editor(cycle int64) diff.Author {
	edits := l.edits[cycle]
	switch len(edits) {
	case 0:
		return l.committer(cycle)
	case 1:
		return l.editAuthor(edits[0])
	}
	a := diff.Author{Actor: edits[0].Actor, Message: l.commits[cycle].Message}
	for _, e := range edits {
		if e.Actor != a.Actor {
			a.Actor = ""
		}
	}
	return a
}

// editAuthor is the author of an edit. An edit without a message gets the message of the commit
// of its cycle.
func (l *Log) editAuthor(e history.Entry) diff.Author {
	a := authorOf(e)
	if a.Message == "" {
		a.Message = l.commits[e.Cycle].Message
	}
	return a
}

func (l *Log) committer(cycle int64) diff.Author { return authorOf(l.commits[cycle]) }
