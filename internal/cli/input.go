package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/store"
)

// input is the contents of a file or of standard input.
type input struct {
	name     string // as the user gave it
	data     []byte
	findings []inspect.Finding // what of a log was left out or waits
}

// read reads a file; - is standard input. It stops waiting for input when ctx
// ends.
func (a *app) read(ctx context.Context, name string) (*input, error) {
	if name != "-" {
		data, err := os.ReadFile(name)
		return &input{name: name, data: data}, err
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(a.in)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return &input{name: "standard input", data: r.data}, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// base returns the default name of a context made from the input.
func (in *input) base() string {
	if in.name == "standard input" {
		return "stdin"
	}
	base := uncompressed(filepath.Base(in.name))
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// uncompressed returns the name of a file without the ending that tells its compression.
func uncompressed(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// shape finds out what the input is from its contents.
func (in *input) shape() (intake.Kind, error) {
	kind, err := intake.KindOf(in.data)
	if f := factsOf(err); err != nil && f.Offset == fault.NoOffset {
		return "", inFile(err, in.name, nil)
	}
	return kind, inFile(err, in.name, in.data)
}

// begin makes one context of a document or a history. The options for reading
// histories do not apply to a document.
func (in *input) begin(ctx context.Context, kind intake.Kind, s store.Store, name string,
	o pact.ImportHistoryOptions) (c *pact.Context, findings []inspect.Finding, err error) {
	if kind == intake.History {
		c, findings, err = pact.ImportHistory(ctx, s, name, bytes.NewReader(in.data), &o)
	} else {
		c, findings, err = pact.Import(ctx, s, name, in.data, &pact.ImportOptions{OpenOptions: o.OpenOptions,
			Edition: o.Edition})
	}
	if f := factsOf(err); err != nil && f.Line > 0 {
		return nil, nil, inFile(err, in.name, in.line(f.Line))
	}
	return c, findings, inFile(err, in.name, in.data)
}

// line returns the n-th line, counted from 1.
func (in *input) line(n int) []byte {
	rest := in.data
	for ; n > 1; n-- {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil
		}
		rest = rest[i+1:]
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return line
}

// warn prints findings about an input, the first few in full.
func (a *app) warn(findings []inspect.Finding) {
	const most = 8
	for i, f := range findings {
		if i == most {
			a.warnf("… and %d more findings; pact validate lists all", len(findings)-most)
			return
		}
		a.warnf("%s", findingText(f))
	}
}

func findingText(f inspect.Finding) string {
	if f.Node == "" {
		return f.Message
	}
	return "node " + f.Node + ": " + f.Message
}
