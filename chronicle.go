package pact

import (
	"context"
	"encoding/json"
	"sort"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/fault"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Author is who changed something, as the log has it. The message is that of
// the edit or, where it has none, of the commit of its cycle.
type Author = diff.Author

// Cause says what made a node differ (06 §6).
type Cause = diff.Cause

// chronicle is what the log says of some cycles.
type chronicle struct {
	edits   map[int64][]store.Entry
	commits map[int64]store.Entry // of published cycles, the first of an import too
	reports map[int64]*Report     // of those commits that did more than seal
	removed map[string]Cause      // what commits took out, by id
	stubs   map[string]Cause      // what they left instead
	erased  []store.Entry         // erasures
}

// chronicle reads the log of the cycles from..to. Cost: its entries, and
// O(log n) reads to find the first.
func (c *Context) chronicle(ctx context.Context, s *state, from, to int64) (*chronicle, error) {
	first, err := c.firstOf(ctx, s, from)
	if err != nil {
		return nil, err
	}
	end := s.Revision
	if to < s.Stamps.Cycle {
		if end, err = c.firstOf(ctx, s, to+1); err != nil {
			return nil, err
		}
		end--
	}
	entries, err := c.store.Log(ctx, s.Key, first, end)
	if err != nil {
		return nil, err
	}
	h := &chronicle{edits: map[int64][]store.Entry{}, commits: map[int64]store.Entry{}, reports: map[int64]*Report{}, removed: map[string]Cause{}, stubs: map[string]Cause{}}
	for _, e := range entries {
		if err := h.take(e); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// firstOf returns the first revision of a cycle. Cycles do not descend along
// the log.
func (c *Context) firstOf(ctx context.Context, s *state, cycle int64) (int64, error) {
	var failed error
	before := sort.Search(int(s.Revision), func(i int) bool {
		if failed != nil {
			return true
		}
		list, err := c.store.Log(ctx, s.Key, int64(i)+1, int64(i)+1)
		failed = err
		return len(list) > 0 && list[0].Cycle >= cycle
	})
	return int64(before) + 1, failed
}

func (h *chronicle) take(e store.Entry) error {
	switch e.Kind {
	case store.Edit:
		h.edits[e.Cycle] = append(h.edits[e.Cycle], e)
		return nil
	case store.Erasing:
		h.erased = append(h.erased, e)
		return nil
	case store.Commit, store.Create:
	default:
		return nil // of the context, not of a cycle
	}
	h.commits[e.Cycle] = e
	if len(e.Report) == 0 {
		return nil
	}
	r := new(Report)
	if err := json.Unmarshal(e.Report, r); err != nil {
		return fault.Wrap(fault.Store, err, "the report of revision "+strconv.FormatInt(e.Revision, 10)+" cannot be read", "")
	}
	h.reports[e.Cycle] = r
	for _, gone := range r.Removed {
		h.removed[gone.ID] = Cause{Kind: kindOf(gone.Reason), Cycle: e.Cycle, Rule: ruleOf(gone), Author: authorOf(e)}
	}
	for _, stub := range r.Stubs {
		h.stubs[stub.ID] = Cause{Kind: diff.ByPruning, Cycle: e.Cycle, Rule: "stub", Author: authorOf(e)}
	}
	return nil
}

func kindOf(r lifecycle.Reason) diff.Kind {
	switch r {
	case lifecycle.Expired:
		return diff.ByExpiry
	case lifecycle.Cascaded:
		return diff.ByCascade
	}
	return diff.ByPruning
}

// ruleOf names the rule by which something was pruned.
func ruleOf(gone lifecycle.Removal) string {
	if gone.Reason == lifecycle.Orphaned {
		return "orphans"
	}
	return gone.Rule
}

func authorOf(e store.Entry) Author {
	return Author{Revision: e.Revision, Actor: e.Actor, Message: e.Message}
}

// stamped returns who made a node that got its stamp in a cycle: the first
// batch whose last stamp is not before it.
func (h *chronicle) stamped(cycle, ns int64) Author {
	for _, e := range h.edits[cycle] {
		if e.TimeNS >= ns {
			return h.said(e)
		}
	}
	return authorOf(h.commits[cycle])
}

// edited returns who changed something in a cycle without stamping it: the one
// who edited in that cycle, who committed where the edit came with the commit,
// and nobody in particular where several did.
func (h *chronicle) edited(cycle int64) Author {
	edits := h.edits[cycle]
	switch len(edits) {
	case 0:
		return authorOf(h.commits[cycle])
	case 1:
		return h.said(edits[0])
	}
	a := Author{Actor: edits[0].Actor, Message: h.commits[cycle].Message}
	for _, e := range edits {
		if e.Actor != a.Actor {
			a.Actor = ""
		}
	}
	return a
}

// said is the author of an edit.
func (h *chronicle) said(e store.Entry) Author {
	a := authorOf(e)
	if a.Message == "" {
		a.Message = h.commits[e.Cycle].Message
	}
	return a
}

func (h *chronicle) committed(cycle int64) Author { return authorOf(h.commits[cycle]) }
