package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/calllog"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/klauspost/compress/zstd"
)

// isLog is a log of calls that another program left.
const isLog shape = "log"

// readFile is read for a file that may be a log: plain, gzip or Zstandard, with or
// without a byte order mark; or for a directory of bodies.
func (a *app) readFile(ctx context.Context, name string) (*input, error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		data, err := bodiesOf(name)
		return &input{name: strings.TrimRight(name, "/"), data: data}, inFile(err, name, nil)
	}
	in, err := a.read(ctx, name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(in.data, []byte("\x28\xb5\x2f\xfd")) {
		if in.data, err = unzstd(in.data); err != nil {
			return nil, inFile(err, in.name, nil)
		}
	}
	if in.data, err = calllog.Text(in.data); err != nil {
		return nil, inFile(err, in.name, nil)
	}
	return in, nil
}

// unzstd decompresses a file that begins like Zstandard.
func unzstd(data []byte) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	text, err := io.ReadAll(io.LimitReader(z, calllog.MaxLog+1))
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the Zstandard file is damaged or cut short", "")
	case len(text) > calllog.MaxLog:
		return nil, fault.New(fault.Limit, "the log has more than "+strconv.Itoa(calllog.MaxLog)+" bytes", "divide it")
	}
	return text, nil
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
func (in *input) logParts(log *calllog.Log, name string) []part {
	parts := make([]part, len(log.Sessions))
	for i := range log.Sessions {
		s := &log.Sessions[i]
		parts[i] = part{name: name, session: s, format: log.Format}
		if s.Name != "" {
			parts[i].name += "/" + s.Name
		}
		if b := s.Begun; b != nil {
			of := name
			if b.Session != "" {
				of += "/" + b.Session
			}
			parts[i].begun = map[string]any{"context": of, "call": b.Call}
		}
	}
	return parts
}

// importer returns an importer of the calls of a session.
func (p *part) importer(ctx context.Context, s store.Store, actor string) (*record.Importer, error) {
	source := map[string]any{"format": p.format, "exact": string(p.session.Exact)}
	if len(p.session.Missing) > 0 {
		source["missing"] = p.session.Missing
	}
	first := ""
	if len(p.session.Calls) > 0 {
		first = p.session.Calls[0].ID
	}
	return record.NewImporter(ctx, s, record.ImportOptions{Context: p.name, Actor: actor, Source: source, First: first,
		Begun: p.begun})
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
			_, err = a.existing(ctx, s, in, *p, false)
		} else {
			p.stored, err = p.importer(ctx, s, "")
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
	importer, err := p.importer(ctx, s, o.Actor)
	if err != nil {
		return nil, err
	}
	known := 0
	for i := range p.session.Calls {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Store, err, "the import was interrupted",
				"the same import again goes on where it stopped")
		}
		call := &p.session.Calls[i]
		added, err := importer.Add(ctx, pastCall(call))
		if err != nil {
			return nil, inCall(err, p, i)
		}
		if !added || p.stored != nil && p.stored.Has(call.ID) {
			known++
		}
		progress(i + 1)
	}
	if rest := p.session.Rest; rest.Kind == canon.KindObject {
		if err := importer.Rest(ctx, string(p.session.API), rest.AppendTo(nil)); err != nil {
			return nil, err
		}
	}
	var list []imported
	for i, name := range importer.Contexts() {
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

// pastCall returns a call of a log as package record takes it.
func pastCall(c *calllog.Call) record.Past {
	p := record.Past{ID: c.ID, API: string(c.API), Host: c.Host, Path: c.Path, Header: c.Header, Body: c.Body,
		Status: c.Status, Answer: c.Answer, Started: c.Started, FirstByte: c.FirstByte, Ended: c.Ended,
		Rewrites: c.Rewrites}
	if p.Body == nil {
		p.Body = c.Request.AppendTo(nil)
	}
	for name, v := range c.Attrs {
		if p.Attrs == nil {
			p.Attrs = map[string]any{}
		}
		p.Attrs[name] = v.Value()
	}
	return p
}

// inCall names the call of the log in an error.
func inCall(err error, p part, i int) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	in.Message = p.format + ", call " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(p.session.Calls)) + ": " + e.Message
	in.Line = max(in.Line, p.session.Calls[i].Line)
	return &in
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
	list, err := a.recordLog(ctx, s.store, s.file.logParts(log, s.file.base())[0], s.options(), func(int) {})
	if err != nil {
		return nil, nil, inFile(err, s.file.name, s.file.data)
	}
	return list[0].context, log.Findings, nil
}
