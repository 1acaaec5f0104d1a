package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/calllog"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
)

// readFile is read for a file that may be a log: plain, gzip or Zstandard, with or
// without a byte order mark; or for a directory of bodies, whose requests without an answer
// it takes or leaves.
func (a *app) readFile(ctx context.Context, name string, unanswered bool) (*input, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		data, left, err := bodiesOf(name, unanswered)
		return &input{name: strings.TrimRight(name, "/"), data: data, findings: left}, inFile(err, name, nil)
	}
	in, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	if in.data, err = intake.Text(in.data, calllog.MaxLog); err != nil {
		return nil, inFile(err, in.name, nil)
	}
	return in, nil
}

// log reads the input as a log, or one session of it.
func (in *input) log(session string) (*calllog.Log, error) {
	log, err := calllog.Read(in.data)
	if err != nil {
		return nil, inFile(err, in.name, in.data)
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
	const most = 5
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return nil, fault.New(fault.SnapshotNotFound, "the log has no session "+strconv.Quote(session),
		"choose one with --conversation: "+strings.Join(names, ", "))
}

// logParts returns a part for each session of the log.
func (in *input) logParts(log *calllog.Log, name string) ([]part, error) {
	sessions, err := intake.Sessions(log, name)
	if err != nil {
		return nil, inFile(err, in.name, in.data)
	}
	parts := make([]part, len(sessions))
	for i := range sessions {
		parts[i] = part{name: sessions[i].Name, session: &sessions[i]}
	}
	return parts, nil
}

// storeFor opens the store for an import, and makes it if it is missing. What may still be refused
// is made in memory before: a file that is refused leaves no store behind.
func (a *app) storeFor(ctx context.Context, in *plan) (store.Complete, error) {
	_, err := os.Stat(a.db)
	begins := !postgres.IsAddress(a.db) && errors.Is(err, fs.ErrNotExist)
	if begins && (in.kind == intake.Snapshot || in.kind == intake.History) {
		quiet := &app{env: a.env, err: discard{}}
		if _, err := quiet.make(ctx, store.NewMemory(), in, in.parts[0], nil); err != nil {
			return nil, err
		}
	}
	return a.openStore(ctx)
}

// rehearse looks into the store, if there is one, for what a dry run must know: which
// names are taken, and which calls are recorded already. It refuses what the import
// would refuse.
func (a *app) rehearse(ctx context.Context, in *plan) error {
	if !postgres.IsAddress(a.db) {
		if _, err := os.Stat(a.db); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	s, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range in.parts {
		p := &in.parts[i]
		if p.session == nil {
			var found imported
			found, err = a.existing(ctx, s, in, *p)
			p.there = found.existed
			if found.grows != nil {
				p.adds = found.grows.Cycles
			}
		} else {
			p.stored, err = p.session.Importer(ctx, s, "")
		}
		if err != nil {
			return inFile(err, in.name, in.data)
		}
	}
	return nil
}

// refuseLimits returns the error for limits on an import that replays nothing. The calls
// of a log say themselves what was sent, and the snapshots of a history are what they
// are: a pruned one would say that something else was sent. flags are the limits as
// they were typed.
func (in *plan) refuseLimits(flags string) error {
	name := "NAME"
	if len(in.parts) > 0 {
		name = quote(in.parts[0].name)
	}
	return fault.New(fault.DocumentInvalid, "limits are for transcripts, whose calls are replayed under them; the "+
		string(in.kind)+" says itself what was sent", "import it without them, then ask what they would take: pact prune "+
		name+flags+" --dry-run")
}

// recordLog makes the contexts of a session, or adds to those that an earlier
// import of the same log made.
func (a *app) recordLog(ctx context.Context, s store.Store, p part, o pact.OpenOptions,
	progress func(done int)) ([]imported, error) {
	names, known, left, err := p.session.Record(ctx, s, o.Actor, p.stored, progress)
	if err != nil {
		return nil, err
	}
	if left {
		a.warnf("what was said last has no answer in the log yet; it was left out, and comes with its answer")
	}
	var list []imported
	for i, name := range names {
		c, err := pact.Open(ctx, s, name, &o)
		if err != nil {
			return nil, err
		}
		made := imported{context: c, part: p}
		if i == 0 {
			made.calls, made.known = len(p.session.Calls)-known, known
		}
		made.existed = known == len(p.session.Calls) && known > 0
		list = append(list, made)
	}
	return list, nil
}

// logSource makes the first context of a log in memory, to be asked.
func (a *app) logSource(ctx context.Context, s *source, f *sourceFlags) (*pact.Context, []inspect.Finding, error) {
	log, err := s.file.log(f.conversation)
	if err != nil {
		return nil, nil, err
	}
	if len(log.Sessions) > 1 {
		var names []string
		for _, session := range log.Sessions[:min(5, len(log.Sessions))] {
			names = append(names, session.Name)
		}
		return nil, nil, fault.New(fault.DocumentInvalid, "the log holds several sessions",
			"choose one with --conversation: "+strings.Join(names, ", "))
	}
	parts, err := s.file.logParts(log, s.file.base())
	if err != nil {
		return nil, nil, err
	}
	list, err := a.recordLog(ctx, s.store, parts[0], s.options(), func(int) {})
	if err != nil {
		return nil, nil, inFile(err, s.file.name, s.file.data)
	}
	return list[0].context, slices.Concat(s.file.findings, log.Findings), nil
}
