package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/dbtest"

	"github.com/contexttree/pact/store/sqlite"
)

// failure is an error on its way up to the row that it ends.
type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// bench holds the files and stores of one measurement, which are removed after it.
type bench struct {
	ctx  context.Context
	ends []func() error
}

func (b *bench) close() {
	for i := len(b.ends) - 1; i >= 0; i-- {
		must(b.ends[i]())
	}
}

// file is the name of a store that is not there yet.
func (b *bench) file() string {
	dir, err := os.MkdirTemp("", "pact-scale")
	must(err)
	b.ends = append(b.ends, func() error { return os.RemoveAll(dir) })
	return filepath.Join(dir, "pact.db")
}

// open opens the store in a file until the measurement ends.
func (b *bench) open(path string) *pact.DB {
	s, err := dbtest.Open(sqlite.Open(b.ctx, path))
	must(err)
	b.ends = append(b.ends, s.Close)
	return s
}

// fill makes a store in a file, has f fill it, and closes it.
func (b *bench) fill(f func(s *pact.DB)) (path string) {
	path = b.file()
	s, err := dbtest.Open(sqlite.Open(b.ctx, path))
	must(err)
	f(s)
	must(s.Close())
	return path
}

// create makes a context with a clock of its own.
func (b *bench) create(s *pact.DB) *pact.Context {
	var now int64
	c, err := pact.Create(b.ctx, s, "chat",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { now++; return now }}})
	must(err)
	return c
}

func (b *bench) edit(c *pact.Context, f func(*pact.Batch) error) { must(c.Edit(b.ctx, f, nil)) }

func (b *bench) commit(c *pact.Context, o pact.CommitOptions) *pact.Snapshot {
	s, err := c.Commit(b.ctx, &o)
	must(err)
	return s.Snapshot
}

// turns commits n turns of a question and an answer.
func (b *bench) turns(c *pact.Context, n int, pruning *pact.Pruning) {
	for range n {
		b.commit(c, pact.CommitOptions{Edit: turn, Pruning: pruning})
	}
}

func turn(b *pact.Batch) error {
	b.Add("^ah", pact.Spec{Role: "user", Content: "What is the weather like, and will it stay so until the evening?"})
	b.Add("^ah", pact.Spec{Role: "assistant", Content: "It is sunny, and it will stay so.", Offset: 1})
	return nil
}

// sink counts what is written to it.
type sink struct{ bytes int }

func (s *sink) Write(p []byte) (int, error) {
	s.bytes += len(p)
	return len(p), nil
}

// pact runs the command line.
func (b *bench) pact(input []byte, args ...string) {
	var errs bytes.Buffer
	if cli.Run(b.ctx, args, cli.Streams{In: bytes.NewReader(input), Out: new(sink), Err: &errs}) != 0 {
		panic(failure{errors.New(errs.String())})
	}
}
