package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Input is the contents of a file or of standard input.
type Input struct {
	Name string // as the user gave it
	*intake.File
	Findings []inspect.Finding // about parts of a log that were left out or wait
}

// mostPiped is how many bytes Read holds for what comes from a pipe, which may never end. It has the text twice.
const mostPiped = 256 << 20

// Read reads a file of [intake.MaxText] bytes at most; - is standard input. It stops waiting for input when ctx
// ends. E_LIMIT for more, E_STORE for what is neither a regular file nor a pipe of the shell.
func (a *App) Read(ctx context.Context, name string) (*Input, error) {
	from, in, err := a.stream(name)
	if err != nil {
		return nil, err
	}
	if from == nil {
		in.Data, err = safefile.Read(name, intake.MaxText)
		return in, err
	}
	piped, _ := budget.WithMemory(ctx, mostPiped, "save it in a file, and name that")
	in.Data, err = WaitFor(ctx, func() ([]byte, error) {
		data, _, err := budget.ReadAll(piped, from)
		return data, err
	})
	return in, err
}

// stream returns standard input for -, and the pipe for <(…) of a shell, which is a descriptor that the shell opened.
// It returns no reader for any other name: that of a file.
func (a *App) stream(name string) (io.Reader, *Input, error) {
	if name == "-" {
		return a.In, &Input{Name: "standard input", File: &intake.File{}}, nil
	}
	in := &Input{Name: name, File: &intake.File{}}
	if !safefile.ShellPipe(name) {
		return nil, in, nil
	}
	pipe, err := os.Open(name)
	if err == nil {
		a.files = append(a.files, pipe)
	}
	return pipe, in, err
}

// Prices reads a list of prices from a file.
func (a *App) Prices(ctx context.Context, file string) (*record.Prices, error) {
	in, err := a.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	prices, err := record.ReadPrices(in.Data)
	return prices, InFile(err, in.Name, in.Data)
}

// WaitFor waits for a function that may never return, such as one that reads standard input, or until ctx ends.
func WaitFor[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := read()
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// Base returns the default name of a context made from the input.
func (in *Input) Base() string {
	if in.Name == "standard input" {
		return "stdin"
	}
	base := intake.Uncompressed(filepath.Base(in.Name))
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// CheckHistory reads a history, makes nothing of it and returns how many snapshots it has. It gives the
// memory that it held back to the budget of ctx.
func (in *Input) CheckHistory(ctx context.Context, o archive.Options) (snapshots int, findings []inspect.Finding, err error) {
	ctx, memory := budget.WithMemory(ctx, math.MaxInt64, "")
	defer memory.Close()
	read, err := archive.ReadHistory(ctx, in.Name, in.Reader(), o)
	if err != nil {
		return 0, nil, in.Located(err)
	}
	if read.Imported {
		snapshots++
	}
	for c, err := range read.Changes {
		if err != nil {
			return 0, nil, in.Located(err)
		}
		if c.Sealed != nil {
			snapshots++
		}
	}
	return snapshots, read.Findings(), nil
}

// Located adds to an error where in the input it is.
func (in *Input) Located(err error) error {
	if f := FactsOf(err); err != nil && f.Line > 0 {
		return InFile(err, in.Name, in.Line(f.Line))
	}
	return InFile(err, in.Name, in.Data)
}

// Line returns the n-th line, counted from 1, nil if there is none.
func (in *Input) Line(n int) []byte {
	for lines := bufio.NewReader(in.Reader()); ; n-- {
		line, err := lines.ReadBytes('\n')
		if n == 1 {
			return bytes.TrimSuffix(line, []byte("\n"))
		}
		if err != nil {
			return nil
		}
	}
}

// Warn prints findings about an input, the first few in full.
func (a *App) Warn(findings []inspect.Finding) {
	const most = 8
	for i, f := range findings {
		if i == most {
			a.Warnf("… and %d more findings; pact verify --file lists all", len(findings)-most)
			return
		}
		a.Warnf("%s", FindingText(f))
	}
}

func FindingText(f inspect.Finding) string {
	if f.Node == "" {
		return f.Message
	}
	return "node " + f.Node + ": " + f.Message
}

// NoteLeftOut names the calls and results that the thread of a snapshot loses as a request, because a provider
// refuses one without the other.
func (a *App) NoteLeftOut(ctx context.Context, s *pact.Snapshot) error {
	list, err := record.LeftOut(ctx, s)
	for _, o := range list {
		a.Warnf("left out %s: %s, which a provider refuses", view.Visible(o.ID), o.What)
	}
	return err
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
		return &Input{Name: strings.TrimRight(name, "/"), File: &intake.File{Data: data}, Findings: left}, InFile(err, name, nil)
	}
	from, in, err := a.stream(name)
	if err != nil {
		return nil, err
	}
	var file *intake.File
	if from != nil {
		file, err = WaitFor(ctx, func() (*intake.File, error) { return intake.Read(ctx, from, intake.MaxText) })
	} else {
		var from *os.File
		if from, err = safefile.Open(name); err != nil {
			return nil, err
		}
		if file, err = intake.Read(ctx, from, intake.MaxText); err != nil || !file.ReadsLazily() {
			from.Close()
		}
	}
	if err != nil {
		return nil, InFile(err, in.Name, nil)
	}
	in.File, a.files = file, append(a.files, file)
	return in, nil
}
