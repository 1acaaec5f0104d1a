package command

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/safefile"
)

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
	from, in, err := a.stream(name)
	if err != nil {
		return nil, err
	}
	var file *intake.File
	if from != nil {
		file, err = waitFor(ctx, func() (*intake.File, error) { return intake.Read(ctx, from, intake.MaxText) })
	} else {
		var from *os.File
		if from, err = safefile.Open(name); err != nil {
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
