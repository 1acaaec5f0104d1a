package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
	pact.ImportOptions
	Kind   Kind             // of the file, found out by default
	Name   string           // of the context; of several the part before the /
	Only   string           // the name of the one session to take, all by default
	Choose string           // how a remedy says to choose one, "by its name" by default
	One    bool             // refuse a file of several sessions none of which Only names
	Policy lifecycle.Policy // under which the messages of a session that has nothing else are replayed
	Again  bool             // record the calls of a log that were erased after an earlier import
	// Beside adds to a log what stands in files beside it, unless it is nil or Only names a session.
	Beside func(*calllog.Log) error
}

// Plan says which contexts a file gives.
type Plan struct {
	Options
	Parts    []Part
	Findings []inspect.Finding // about the file, before a part of it is imported

	file *File // of a document or a history
}

// Part is the source of contexts: a session of messages or a whole file, which give one, or a session of calls,
// which gives one for each of its lines.
type Part struct {
	Name    string
	Session *Session                                               // nil for a document and a history
	Pruned  func(before *pact.Snapshot, r *lifecycle.Report) error // is told what the policy takes, unless it is nil

	existed bool             // a rehearsal found the context, made of the same contents
	adds    int64            // a rehearsal found how many cycles that context would get
	stored  *record.Importer // knows the calls that a rehearsal found, nil without one
}

// Calls returns how many calls of a model a part has, 1 for a file that is not read yet.
func (p *Part) Calls() int {
	if p.Session == nil {
		return 1
	}
	return len(p.Session.Calls)
}

// Replays reports whether a part is a session of messages, whose calls a policy may replay.
func (p *Part) Replays() bool { return p.Session != nil && p.Session.Replay != nil }

// Records reports whether a part is a session of calls, whose importer goes on with its own contexts by itself.
func (p *Part) Records() bool { return p.Session != nil && p.Session.Replay == nil }

// Made is a context that an import made or went on with.
type Made struct {
	Context      *pact.Context
	Part         *Part
	Existed      bool  // the store already had it, made of the same contents
	Added        int64 // how many cycles it has more now
	Calls, Known int   // of a log: how many calls were recorded now, and how many before
	Findings     []inspect.Finding
}

// Contexts returns the contexts of a list.
func Contexts(list []Made) []*pact.Context {
	of := make([]*pact.Context, len(list))
	for i := range list {
		of[i] = list[i].Context
	}
	return of
}

// Differs is the error for a context of the name of a part that was made of something else.
type Differs struct {
	Name string
	Err  error
}

func (e *Differs) Error() string { return e.Err.Error() }

// Unwrap returns the conflict.
func (e *Differs) Unwrap() error { return e.Err }

// PlanFile plans the import of a file. A snapshot document takes its memory from the budget of ctx, and so does what
// [PlanLog] reads. Limits and Only are for logs: E_DOCUMENT_INVALID for any other file.
func PlanFile(ctx context.Context, f *File, o Options) (*Plan, error) {
	if o.Kind == "" {
		var err error
		if o.Kind, err = f.Kind(); err != nil {
			return nil, err
		}
	}
	if o.Kind != Log {
		if o.Only != "" {
			return nil, fault.New(fault.DocumentInvalid, "only a log has sessions to choose from", "leave its name out: this is a "+string(o.Kind))
		}
		p := &Plan{Options: o, Parts: []Part{{Name: o.Name}}, file: f}
		if o.Kind == Snapshot {
			return p, holdNodes(ctx, f.Data)
		}
		return p, nil
	}
	log, err := f.Log()
	switch {
	case err != nil:
	case o.Only != "":
		log, err = o.selectSession(log)
	case o.Beside != nil:
		err = o.Beside(log)
	}
	if err == nil && o.One && len(log.Sessions) > 1 {
		err = o.chooseOne(fault.DocumentInvalid, "the log holds several sessions", log)
	}
	if err != nil {
		return nil, err
	}
	return PlanLog(ctx, log, o)
}

// Replays reports whether every part has messages alone, whose calls a policy may replay.
func (p *Plan) Replays() bool {
	return !slices.ContainsFunc(p.Parts, func(part Part) bool { return !part.Replays() })
}

// PlanLog plans the import of a log, a part for each of its sessions. A strict one refuses a log with damaged lines.
func PlanLog(ctx context.Context, log *calllog.Log, o Options) (*Plan, error) {
	if o.Strict && log.Damage != nil {
		return nil, log.Damage
	}
	sessions, err := sessionsOf(ctx, log, o.Name)
	o.Kind = Log
	p := &Plan{Options: o, Parts: make([]Part, len(sessions)), Findings: log.Findings}
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
		if part.Records() {
			if part.stored, err = part.Session.Importer(ctx, s, ""); err != nil {
				return err
			}
			continue
		}
		there, err := p.existing(ctx, s, part)
		if err != nil {
			return err
		}
		part.existed, part.adds = there.c != nil, there.lacks
	}
	return nil
}

// Import makes the contexts of a file. A context of that name gets what it lacks if it was made of the
// beginning of the same contents; [Differs] refuses any other. It checks all names before the first import.
func (p *Plan) Import(ctx context.Context, s *pact.DB, progress func(done, total int)) (list []Made, err error) {
	if p.Edition != "" {
		of := *s
		of.Edition, s = p.Edition, &of
	}
	there, total := make([]existing, len(p.Parts)), 0
	for i := range p.Parts {
		if there[i], err = p.existing(ctx, s, &p.Parts[i]); err != nil {
			return nil, err
		}
		total += p.Parts[i].Calls()
	}
	done := 0
	for i := range p.Parts {
		part := &p.Parts[i]
		each, calls := func(n int) { progress(done+n, total) }, part.Calls()
		switch {
		case part.Records():
			made, err := p.record(ctx, s, part, each)
			if err != nil {
				return nil, err
			}
			list = append(list, made...)
		case there[i].c == nil:
			c, findings, err := p.begin(ctx, s, part, each)
			if err != nil {
				return nil, err
			}
			list = append(list, Made{Context: c, Part: part, Existed: part.existed, Added: part.adds, Findings: findings})
		default:
			if err := there[i].add(ctx); err != nil {
				return nil, err
			}
			list = append(list, Made{Context: there[i].c, Part: part, Existed: true, Added: there[i].lacks})
		}
		done += calls
		progress(done, total)
	}
	return list, nil
}

// existing is a context that already has the name of a part, nil for none, and what it lacks.
type existing struct {
	c     *pact.Context
	lacks int64 // how many cycles
	add   func(context.Context) error
}

// existing looks for a context that already has the name of a part, and for what it lacks. It
// counts as the same context if its snapshots begin with those that the part would give, or the other way
// round.
func (p *Plan) existing(ctx context.Context, s *pact.DB, part *Part) (there existing, err error) {
	if part.Records() {
		return there, nil
	}
	c, err := pact.Open(ctx, s, part.Name, &pact.OpenOptions{Actor: p.Actor})
	if errors.Is(err, fault.ContextNotFound) {
		return there, names.Check(part.Name)
	}
	if err != nil {
		return there, err
	}
	there.c = c
	if p.Kind == History {
		there.lacks, there.add, err = c.Extension(ctx, p.file.Reader(), &p.ImportOptions)
	} else {
		var fresh *pact.Context
		fresh, _, err = p.begin(ctx, pact.NewDB(store.NewMemory()), &Part{Name: part.Name, Session: part.Session}, func(int) {})
		if err != nil {
			return there, err
		}
		history, w := io.Pipe()
		defer history.Close()
		go func() { _ = w.CloseWithError(fresh.Export(ctx, w)) }()
		there.lacks, there.add, err = c.Extension(ctx, history, nil)
	}
	if errors.Is(err, fault.Conflict) {
		err = &Differs{part.Name, err}
	}
	return there, err
}

// begin makes the context of a session of messages, a document or a history.
func (p *Plan) begin(ctx context.Context, s *pact.DB, part *Part, progress func(done int)) (*pact.Context, []inspect.Finding, error) {
	switch p.Kind {
	case Log:
		c, err := transcript.Import(ctx, s, part.Name, &transcript.Conversation{Session: part.Session.Session}, &transcript.ImportOptions{
			CreateOptions: pact.CreateOptions{OpenOptions: p.OpenOptions, Edition: p.Edition}, Policy: p.Policy,
			Pruned: part.Pruned, Progress: func(done, _ int) { progress(done) }})
		return c, nil, err
	case Snapshot:
		return pact.Import(ctx, s, part.Name, p.file.Data, &p.ImportOptions)
	}
	c, findings, err := pact.ImportHistory(ctx, s, part.Name, p.file.Reader(), &p.ImportOptions)
	if err != nil {
		return nil, nil, err
	}
	lacking, err := record.Lacking(ctx, c)
	return c, append(findings, lacking...), err
}

// record makes the contexts of a session, or adds to those that an earlier import of the same log made.
func (p *Plan) record(ctx context.Context, s *pact.DB, part *Part, progress func(done int)) ([]Made, error) {
	calls := len(part.Session.Calls)
	names, known, unsent, err := part.Session.Record(ctx, s, p.Actor, part.stored, progress)
	if err != nil {
		return nil, err
	}
	list := make([]Made, len(names))
	for i, name := range names {
		list[i] = Made{Part: part, Existed: known == calls && known > 0}
		if list[i].Context, err = pact.Open(ctx, s, name, &p.OpenOptions); err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		list[0].Calls, list[0].Known = calls-known, known
		if unsent {
			list[0].Findings = []inspect.Finding{{Code: fault.DocumentInvalid, Message: part.Name +
				": what was said last has no answer in the log yet; it was left out, and comes with its answer"}}
		}
		if n := part.Session.AnswersAbsent; n > 0 {
			list[0].Findings = append(list[0].Findings, inspect.Finding{Code: fault.DocumentInvalid, Message: fmt.Sprintf("%s: the requests "+
				"behind leave out %d of the answers, or have them in other words: no snapshot has these", part.Name, n)})
		}
		if n := part.Session.AnswersInPart; n > 0 {
			list[0].Findings = append(list[0].Findings, inspect.Finding{Code: fault.DocumentInvalid, Message: fmt.Sprintf("%s: the requests "+
				"behind leave out parts of %d of the answers, or have them in other words: no snapshot has these parts", part.Name, n)})
		}
		if n := part.Session.Erased; n > 0 {
			on, err := erasedOn(ctx, list)
			if err != nil {
				return nil, err
			}
			list[0].Findings = append(list[0].Findings, inspect.Finding{Code: fault.Conflict, Message: fmt.Sprintf(
				"%s: %d of %d calls of this log were erased%s and stay erased, unless the import is to record them again", part.Name, n,
				calls, on)})
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
