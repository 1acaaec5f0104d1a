package intake

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/sums"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// Session is a session of a log, and where its calls go.
type Session struct {
	Name    string         // of its first context
	Format  string         // of the log
	BegunBy map[string]any // the call of another session that began a sub-agent, nil for none
	Sums    *sums.Sums     // of the file of the log, nil for none
	*calllog.Session
	Again bool // record calls that were erased after an earlier import too
	// Unasked says that nobody asked for this import: it takes nothing behind a call that was erased, because later
	// calls repeat what the erased one sent.
	Unasked       bool
	Erased        int // how many calls Record left out because they were erased
	AnswersAbsent int // how many answers Record took that no snapshot has
	AnswersInPart int // and how many that a snapshot has only in part
}

// sessionsOf returns the sessions of a log, which go to contexts called name or name/SESSION.
// A call that no importer takes is an error, and so is one that needs more than the budget of ctx has:
// nothing of such a log is imported.
func sessionsOf(ctx context.Context, log *calllog.Log, name string) ([]Session, error) {
	list := make([]Session, len(log.Sessions))
	for i := range log.Sessions {
		s := &log.Sessions[i]
		list[i] = Session{Name: name, Format: log.Format, Sums: log.Sums, Session: s}
		if s.Name != "" {
			list[i].Name += "/" + s.Name
		}
		if b := s.BegunBy; b != nil {
			of := name
			if b.Session != "" {
				of += "/" + b.Session
			}
			list[i].BegunBy = map[string]any{"context": of, "call": b.Call}
		}
		if s.Replay != nil {
			release, err := budget.Reserve(ctx, (&transcript.Conversation{Session: s}).Memory())
			if err != nil {
				return nil, err
			}
			release() // each import holds its own, one after another
			continue
		}
		if n, err := checkCalls(s.Calls); err != nil {
			return nil, list[i].inCall(err, n, len(s.Calls), s.Calls[n].Line)
		}
		held := int64(0)
		for n := range s.Calls {
			if err := holdRequest(ctx, &s.Calls[n], &held); err != nil {
				return nil, list[i].inCall(err, n, len(s.Calls), s.Calls[n].Line)
			}
		}
	}
	return list, nil
}

// Importer returns an importer of the calls of a session.
func (s *Session) Importer(ctx context.Context, to *pact.DB, actor string) (*record.Importer, error) {
	source := map[string]any{"format": s.Format, "exact": string(s.Exact)}
	if len(s.Missing) > 0 {
		source["missing"] = s.Missing
	}
	first := ""
	if len(s.Calls) > 0 {
		first = s.Calls[0].ID
	}
	return record.NewImporter(ctx, to, record.ImportOptions{Context: s.Name, Actor: actor, Source: source, First: first,
		BegunBy: s.BegunBy, Again: s.Again})
}

// Record makes the contexts of a session, or adds to those that an earlier import of the same
// log made. It returns their names and how many of the calls were recorded before, which are
// also those that stored has or had, if it is not nil. It lets go of the calls of the session. unsent says that the last
// words of the log have no answer yet and were left out. progress is called after each call.
func (s *Session) Record(ctx context.Context, to *pact.DB, actor string, stored *record.Importer,
	progress func(done int)) (contexts []string, known int, unsent bool, err error) {
	importer, err := s.Importer(ctx, to, actor)
	if err != nil {
		return nil, 0, false, err
	}
	erasedInStored := 0      // calls that stored had, until they were erased
	var before *calllog.Call // the one that was recorded last, nil if the call before it was not
	of := len(s.Calls)
	for i := range of {
		if err := ctx.Err(); err != nil {
			return nil, 0, false, fault.Wrap(fault.Store, err, "the import was interrupted",
				"the same import again goes on where it stopped")
		}
		next := s.next(of - i)
		call, past := *next, record.PastCall{ID: next.ID}
		recorded, erased, err := importer.Skips(ctx, call.ID)
		if err != nil {
			return nil, 0, false, err
		}
		if !recorded && !erased { // of a call that is left out nobody asks more than its id
			if call, err = call.Load(); err == nil {
				past, err = pastCall(&call, before)
			}
			if err != nil {
				return nil, 0, false, s.inCall(err, i, of, next.Line)
			}
		}
		added, err := importer.Add(ctx, past)
		if err != nil {
			return nil, 0, false, s.inCall(err, i, of, next.Line)
		}
		if before = nil; added {
			before = &call
			next.Answer, next.Attrs = nil, nil // the store has them
		}
		if added && stored != nil {
			if recorded, erased, err = stored.Skips(ctx, call.ID); err != nil {
				return nil, 0, false, err
			}
			if erased {
				erasedInStored++
			}
		}
		if !added || recorded || erased {
			known++
		}
		if progress(i + 1); s.Unasked && importer.Erased() > 0 {
			s.Erased = importer.Erased()
			return importer.Contexts(), known, of > i+1, nil
		}
	}
	if s.HasUnsent() {
		body, err := s.UnsentBody()
		if err != nil {
			return nil, 0, false, err
		}
		kept, err := importer.AddUnsent(ctx, string(s.API), body)
		if err != nil {
			return nil, 0, false, err
		}
		unsent = !kept
	}
	s.Erased = importer.Erased() + erasedInStored
	s.AnswersAbsent, s.AnswersInPart = importer.AnswersAbsent()
	return importer.Contexts(), known, unsent, nil
}

// pastCall returns a call of a log as package record takes it behind the one before, nil for none.
func pastCall(c, before *calllog.Call) (record.PastCall, error) {
	p := record.PastCall{ID: c.ID, API: string(c.API), Host: c.Host, Path: c.Path, Header: c.Header, Body: c.Body,
		Status: c.Status, Answer: c.Answer, Started: c.Started, FirstByte: c.FirstByte, Ended: c.Ended,
		Rewrites: c.Rewrites, Branches: c.Branches}
	if p.Body == nil {
		more, continues, err := c.Continues(before)
		if continues {
			p.Body, p.Whole = more.AppendTo(nil), c.Whole
		} else if err == nil {
			p.Body, err = c.Whole()
		}
		if err != nil {
			return p, err
		}
	}
	for _, m := range c.Attrs {
		if p.Attrs == nil {
			p.Attrs = map[string]any{}
		}
		p.Attrs[m.Name] = m.Value.Value()
	}
	return p, nil
}

// mostRecorded is how many recorded calls a session may hold, however few are left.
const mostRecorded = 1 << 10

// next returns the first of the last calls of a session. It lets go of those before it when they are more than those
// that are left, so that each is moved once.
func (s *Session) next(left int) *calllog.Call {
	recorded := len(s.Calls) - left
	if recorded > max(left, mostRecorded) {
		s.Calls, recorded = slices.Clone(s.Calls[recorded:]), 0
	}
	return &s.Calls[recorded]
}

// inCall names a call of the log in an error: the i-th, counted from 0, of so many, in a line.
func (s *Session) inCall(err error, i, of, line int) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	in.Message = s.Format + ", call " + strconv.Itoa(i+1) + " of " + strconv.Itoa(of) + ": " + e.Message
	in.Line = max(in.Line, line)
	return &in
}
