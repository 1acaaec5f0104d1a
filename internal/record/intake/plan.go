package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

// Options say how contexts are made of a file.
type Options struct {
	pact.OpenOptions
	pact.HistoryOptions
	Name   string           // of the context; of several the part before the /
	Policy lifecycle.Policy // under which the calls of a transcript are replayed
	Again  bool             // record the calls of a log that were erased after an earlier import
}

// Plan says which contexts a file gives.
type Plan struct {
	Options
	Kind     Kind
	Parts    []Part
	Findings []inspect.Finding // about the file, before a part of it is imported

	document []byte
	history  func() io.Reader // from its beginning
}

// Part is the source of contexts: a conversation or a whole file, which give one, or a session of a log,
// which gives one for each of its lines.
type Part struct {
	Name         string
	Conversation *transcript.Conversation
	Session      *Session
	Pruned       func(before *pact.Snapshot, r *lifecycle.Report) error // is told what the policy takes, unless it is nil

	existed bool             // a rehearsal found the context, made of the same contents
	adds    int64            // a rehearsal found how many cycles that context would get
	stored  *record.Importer // knows the calls that a rehearsal found, nil without one
}

// Calls returns how many calls of a model a part has, 1 for a file that is not read yet.
func (p *Part) Calls() int {
	switch {
	case p.Session != nil:
		return len(p.Session.Calls)
	case p.Conversation != nil:
		return p.Conversation.Calls()
	}
	return 1
}

// Made is a context that an import made or went on with.
type Made struct {
	Context      *pact.Context
	Part         *Part
	Existed      bool  // the store already had it, made of the same contents
	Added        int64 // how many cycles it has more now
	Calls, Known int   // of a log: how many calls were recorded now, and how many before
	Findings     []inspect.Finding
}

// Differs is the error for a context of the name of a part that was made of something else.
type Differs struct {
	Name string
	Err  error
}

func (e *Differs) Error() string { return e.Err.Error() }

// Unwrap returns the conflict.
func (e *Differs) Unwrap() error { return e.Err }

// PlanDocument plans the import of a document.
func PlanDocument(document []byte, o Options) *Plan {
	return &Plan{Options: o, Kind: Snapshot, Parts: []Part{{Name: o.Name}}, document: document}
}

// PlanHistory plans the import of a history, which text reads from its beginning.
func PlanHistory(text func() io.Reader, o Options) *Plan {
	return &Plan{Options: o, Kind: History, Parts: []Part{{Name: o.Name}}, history: text}
}

// PlanTranscript plans the import of conversations. Of several each has its name behind that of the options. A strict
// one refuses a file with damaged lines.
func PlanTranscript(list []*transcript.Conversation, o Options) (*Plan, error) {
	p := &Plan{Options: o, Kind: Transcript, Parts: make([]Part, len(list))}
	for i, c := range list {
		if err := c.Damage(); o.Strict && err != nil {
			return nil, err
		}
		p.Parts[i] = Part{Name: o.Name, Conversation: c}
		if len(list) > 1 {
			p.Parts[i].Name += "/" + c.Name
		}
		p.Findings = append(p.Findings, c.Findings()...)
	}
	return p, nil
}

// PlanLog plans the import of a log, a part for each of its sessions. A strict one refuses a log with damaged lines.
func PlanLog(ctx context.Context, log *calllog.Log, o Options) (*Plan, error) {
	if o.Strict && log.Damage != nil {
		return nil, log.Damage
	}
	sessions, err := Sessions(ctx, log, o.Name)
	p := &Plan{Options: o, Kind: Log, Parts: make([]Part, len(sessions)), Findings: log.Findings}
	for i := range sessions {
		sessions[i].Again = o.Again
		p.Parts[i] = Part{Name: sessions[i].Name, Session: &sessions[i]}
	}
	return p, err
}

// Rehearse notes what a store has of the file already, and refuses what an import into it would refuse.
// An import into another store then tells what one into this store would make.
func (p *Plan) Rehearse(ctx context.Context, s *pact.DB) (err error) {
	for i := range p.Parts {
		part := &p.Parts[i]
		if part.Session != nil {
			if part.stored, err = part.Session.Importer(ctx, s, ""); err != nil {
				return err
			}
			continue
		}
		c, grows, err := p.existing(ctx, s, part)
		if err != nil {
			return err
		}
		if part.existed = c != nil; grows != nil {
			part.adds = grows.Cycles
		}
	}
	return nil
}

// Import makes the contexts of a file. A context of that name gets what it lacks if it was made of the
// beginning of the same contents; [Differs] refuses any other. It checks all names before the first import.
func (p *Plan) Import(ctx context.Context, s *pact.DB, progress func(done, total int)) (list []Made, err error) {
	there, grows, total := make([]*pact.Context, len(p.Parts)), make([]*pact.Extension, len(p.Parts)), 0
	for i := range p.Parts {
		if there[i], grows[i], err = p.existing(ctx, s, &p.Parts[i]); err != nil {
			return nil, err
		}
		total += p.Parts[i].Calls()
	}
	done := 0
	for i := range p.Parts {
		part := &p.Parts[i]
		each := func(n int) { progress(done+n, total) }
		switch {
		case part.Session != nil:
			made, err := p.record(ctx, s, part, each)
			if err != nil {
				return nil, err
			}
			list = append(list, made...)
		case there[i] == nil:
			c, findings, err := p.begin(ctx, s, part, each)
			if err != nil {
				return nil, err
			}
			list = append(list, Made{Context: c, Part: part, Existed: part.existed, Added: part.adds, Findings: findings})
		default:
			made := Made{Context: there[i], Part: part, Existed: true}
			if grows[i] != nil {
				if err := grows[i].Apply(ctx); err != nil {
					return nil, err
				}
				made.Added = grows[i].Cycles
			}
			list = append(list, made)
		}
		done += part.Calls()
		progress(done, total)
	}
	return list, nil
}

// existing looks for a context that already has the name of a part, nil for none, and what it lacks. It
// counts as the same context if its snapshots begin with those that the part would give, or the other way
// round. The importer of a session goes on with its own contexts by itself.
func (p *Plan) existing(ctx context.Context, s *pact.DB, part *Part) (*pact.Context, *pact.Extension, error) {
	if part.Session != nil {
		return nil, nil, nil
	}
	c, err := pact.Open(ctx, s, part.Name, &pact.OpenOptions{Actor: p.Actor})
	if errors.Is(err, fault.ContextNotFound) {
		return nil, nil, names.Check(part.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	var grows *pact.Extension
	if p.Kind == History {
		grows, err = c.HistoryExtension(ctx, p.history(), &p.HistoryOptions)
	} else {
		var fresh *pact.Context
		if fresh, _, err = p.begin(ctx, pact.NewDB(store.NewMemory()), &Part{Name: part.Name, Conversation: part.Conversation},
			func(int) {}); err != nil {
			return nil, nil, err
		}
		grows, err = c.Extension(ctx, fresh)
	}
	if errors.Is(err, fault.Conflict) {
		err = &Differs{part.Name, err}
	}
	return c, grows, err
}

// begin makes the context of a conversation, a document or a history.
func (p *Plan) begin(ctx context.Context, s *pact.DB, part *Part, progress func(done int)) (*pact.Context, []inspect.Finding, error) {
	switch p.Kind {
	case Transcript:
		c, err := transcript.Import(ctx, s, part.Name, part.Conversation, &transcript.ImportOptions{
			CreateOptions: pact.CreateOptions{OpenOptions: p.OpenOptions, Edition: p.Edition}, Policy: p.Policy,
			Pruned: part.Pruned, Progress: func(done, _ int) { progress(done) }})
		return c, nil, err
	case Snapshot:
		return pact.Import(ctx, s, part.Name, p.document, &pact.ImportOptions{OpenOptions: p.OpenOptions, Edition: p.Edition})
	}
	c, findings, err := pact.ImportHistory(ctx, s, part.Name, p.history(), &pact.ImportHistoryOptions{OpenOptions: p.OpenOptions,
		HistoryOptions: p.HistoryOptions})
	if err != nil {
		return nil, nil, err
	}
	lacking, err := record.Lacking(ctx, c)
	return c, append(findings, lacking...), err
}

// record makes the contexts of a session, or adds to those that an earlier import of the same log made.
func (p *Plan) record(ctx context.Context, s *pact.DB, part *Part, progress func(done int)) ([]Made, error) {
	names, known, left, err := part.Session.Record(ctx, s, p.Actor, part.stored, progress)
	if err != nil {
		return nil, err
	}
	list := make([]Made, len(names))
	for i, name := range names {
		list[i] = Made{Part: part, Existed: known == len(part.Session.Calls) && known > 0}
		if list[i].Context, err = pact.Open(ctx, s, name, &p.OpenOptions); err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		list[0].Calls, list[0].Known = len(part.Session.Calls)-known, known
		if left {
			list[0].Findings = []inspect.Finding{{Code: fault.DocumentInvalid, Message: part.Name +
				": what was said last has no answer in the log yet; it was left out, and comes with its answer"}}
		}
		if n := part.Session.Erased; n > 0 {
			on, err := erasedOn(ctx, list)
			if err != nil {
				return nil, err
			}
			list[0].Findings = append(list[0].Findings, inspect.Finding{Code: fault.Conflict, Message: fmt.Sprintf(
				"%s: %d of %d calls of this log were erased%s and stay erased, unless the import is to record them again", part.Name, n,
				len(part.Session.Calls), on)})
		}
	}
	return list, nil
}

// erasedOn says on which day the last erasure in some contexts was, in UTC, "" if no log of them knows.
func erasedOn(ctx context.Context, list []Made) (day string, err error) {
	last := int64(0)
	for _, made := range list {
		for e, err := range made.Context.Log(ctx, 1) {
			if err != nil {
				return "", err
			}
			if e.Erased() != nil {
				last = max(last, e.TimeNS)
			}
		}
	}
	if last == 0 {
		return "", nil
	}
	return " on " + time.Unix(0, last).UTC().Format(time.DateOnly), nil
}
