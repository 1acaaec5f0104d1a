package command

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view/story"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/transcript"
)

// Imported is one context made from a file.
type Imported struct {
	Context      *pact.Context
	Existed      bool            // the store already had it, made of the same contents
	Grows        *pact.Extension // by the cycles that only the file has, nil if the context is new
	Added        int64           // how many cycles it has more now
	Part         Part
	Calls, Known int // of a log: how many calls were recorded now, and how many before
}

// Part is the source of contexts: a conversation or the whole input, which give
// one, or a session of a log, which gives one for each of its lines.
type Part struct {
	Name         string
	Conversation *transcript.Conversation
	Session      *intake.Session   // nil for a part of another kind of file
	Stored       *record.Importer  // of a dry run: knows the calls that the store has, nil elsewhere
	There        bool              // of a dry run: the store has a context of that name, made of the same contents
	Adds         int64             // of a dry run: how many cycles that context would get
	Lost         *story.LossReader // adds up what the policy takes; nil without one
}

func (p Part) Calls() int {
	if p.Session != nil {
		return len(p.Session.Calls)
	}
	if p.Conversation == nil {
		return 1
	}
	return p.Conversation.Calls()
}

// ReadFile is Read for a file that may be a log: plain, gzip or Zstandard, with or
// without a byte order mark; or for a directory of bodies, whose requests without an answer
// it takes or leaves. The budget of ctx bounds it.
func (a *App) ReadFile(ctx context.Context, name string, unanswered bool) (*Input, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		data, left, err := intake.Bodies(name, unanswered,
			"; --unanswered takes them now, and their answers never")
		if file := (*intake.FileError)(nil); errors.As(err, &file) {
			err = InFile(file.Err, file.Name, file.Data)
		}
		return &Input{Name: strings.TrimRight(name, "/"), Data: data, Findings: left}, InFile(err, name, nil)
	}
	in := &Input{Name: name}
	var file *intake.File
	var err error
	if name == "-" {
		in.Name = "standard input"
		file, err = waitFor(ctx, func() (*intake.File, error) { return intake.Read(ctx, a.In, intake.MaxText) })
	} else {
		var from *os.File
		if from, err = os.Open(name); err != nil {
			return nil, err
		}
		if file, err = intake.Read(ctx, from, intake.MaxText); err != nil || !file.Stays() {
			from.Close()
		}
	}
	if err != nil {
		return nil, InFile(err, in.Name, nil)
	}
	in.Data, in.requests, a.files = file.Text, file.Log, append(a.files, file)
	if file.Backup() != nil {
		in.backup = file.Backup
	}
	return in, nil
}

// Log reads the input as a log, or one session of it.
func (in *Input) Log(session string) (*calllog.Log, error) {
	log, err := in.requests, error(nil)
	if log == nil {
		if log, err = calllog.Read(in.Data); err != nil {
			return nil, InFile(err, in.Name, in.Data)
		}
	}
	if session == "" {
		return log, nil
	}
	var names []string
	for _, s := range log.Sessions {
		if s.Name == session {
			log.Sessions = []calllog.Session{s}
			return log, nil
		}
		names = append(names, s.Name)
	}
	return nil, chooseOne(fault.SnapshotNotFound, "the log has no session "+strconv.Quote(session), names)
}

// chooseOne returns the error for a file of several conversations none of which is named.
func chooseOne(code fault.Code, message string, names []string) error {
	const most = 5
	if len(names) > most {
		names = append(names[:most:most], "…")
	}
	return fault.New(code, message, "choose one with --conversation: "+strings.Join(names, ", "))
}

// LogParts returns a part for each session of the log.
func (in *Input) LogParts(ctx context.Context, log *calllog.Log, name string) ([]Part, error) {
	sessions, err := intake.Sessions(ctx, log, name)
	if err != nil {
		return nil, InFile(err, in.Name, in.Data)
	}
	parts := make([]Part, len(sessions))
	for i := range sessions {
		parts[i] = Part{Name: sessions[i].Name, Session: &sessions[i]}
	}
	return parts, nil
}

// RecordLog makes the contexts of a session, or adds to those that an earlier
// import of the same log made.
func (a *App) RecordLog(ctx context.Context, s *pact.DB, p Part, o pact.OpenOptions,
	progress func(done int)) ([]Imported, error) {
	names, known, left, err := p.Session.Record(ctx, s, o.Actor, p.Stored, progress)
	if err != nil {
		return nil, err
	}
	if left {
		a.Warnf("what was said last has no answer in the log yet; it was left out, and comes with its answer")
	}
	var list []Imported
	for i, name := range names {
		c, err := pact.Open(ctx, s, name, &o)
		if err != nil {
			return nil, err
		}
		made := Imported{Context: c, Part: p}
		if i == 0 {
			made.Calls, made.Known = len(p.Session.Calls)-known, known
		}
		made.Existed = known == len(p.Session.Calls) && known > 0
		list = append(list, made)
	}
	return list, nil
}

// logSource makes the first context of a log in memory, to be asked.
func (a *App) logSource(ctx context.Context, s *Source, f *SourceFlags) (*pact.Context, []inspect.Finding, error) {
	log, err := s.File.Log(f.conversation)
	if err != nil {
		return nil, nil, err
	}
	if len(log.Sessions) > 1 {
		var names []string
		for _, session := range log.Sessions {
			names = append(names, session.Name)
		}
		return nil, nil, chooseOne(fault.DocumentInvalid, "the log holds several sessions", names)
	}
	parts, err := s.File.LogParts(ctx, log, s.File.Base())
	if err != nil {
		return nil, nil, err
	}
	list, err := a.RecordLog(ctx, s.Store, parts[0], s.options(), func(int) {})
	if err != nil {
		return nil, nil, InFile(err, s.File.Name, s.File.Data)
	}
	return list[0].Context, slices.Concat(s.File.Findings, log.Findings), nil
}
