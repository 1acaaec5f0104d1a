package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspector"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/internal/runfile"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// PageOptions say what the page of a run has.
type PageOptions struct {
	// Redact and RedactSecrets are what [record.Options] has under these names: what is replaced in every text of the run.
	Redact        []*regexp.Regexp
	RedactSecrets bool
	// Counter is that of [Options].
	Counter func(name string) (pact.Counter, error)
	// Memory is that of [Options], for each answer of the page.
	Memory int64
	// Progress is called while the answers are collected, and may be nil.
	Progress func(done, total int)
}

// WritePage writes a run as one page that a browser opens from a disk, without a server or a network: the
// inspector, the answers that it shows, and the history itself, which an import reads. With rules of redaction the
// history is redacted first, and the page has nothing else. Errors: those of reading, of the options and of w. Cost: what
// the inspector asks for when somebody looks at every call and every block.
func WritePage(ctx context.Context, w io.Writer, c *pact.Context, o PageOptions) error {
	var history bytes.Buffer
	if err := c.Export(ctx, &history); err != nil {
		return err
	}
	f := &runfile.File{Name: c.Info().Name}
	text := history.Bytes()
	if what := (redact.Rules{Expressions: o.Redact, Secrets: o.RedactSecrets}); !what.Empty() {
		redacted, places, err := runfile.Redact(text, what)
		if err != nil {
			return err
		}
		if f.Name, err = runfile.RedactText(f.Name, what); err != nil {
			return err
		}
		text, f.Redacted = redacted, view.Plural(places, "place")
	}
	return writePage(ctx, w, f, text, Options{Counter: o.Counter, Memory: o.Memory}, o.Progress)
}

// exportPage answers with a run as a page. It takes one of the places for imports: a page costs as much.
func (s *Server) exportPage(ctx context.Context, c *pact.Context) error {
	if err := (&operation{places: s.imports, waits: true}).takePlace(ctx); err != nil {
		return err
	}
	defer func() { <-s.imports }()
	history := limitedBuffer{ctx: ctx}
	if err := c.Export(ctx, &history); err != nil {
		return err
	}
	f := &runfile.File{Name: c.Info().Name}
	exchangeOf(ctx).Header().Set("Content-Disposition", `attachment; filename="run.html"`)
	return stream(ctx, "text/html; charset=utf-8", func(w io.Writer) error {
		o := Options{Counter: s.options.Counter, Memory: s.options.Memory}
		return writePage(ctx, w, f, history.Bytes(), o, nil)
	})
}

// writePage writes the page of a run that has a history. A server of its own has the run and answers, so that all
// answers are of one state, whatever others write meanwhile.
func writePage(ctx context.Context, w io.Writer, f *runfile.File, history []byte, o Options, progress func(done, total int)) error {
	kept, err := readPageStore(ctx, f.Name, history)
	if err != nil {
		return err
	}
	db := pact.NewDB(engine.Given{Contexts: kept})
	defer db.Close()
	run, err := pact.Open(ctx, db, f.Name, nil)
	if err != nil {
		return err
	}
	f.SetArchive(history)
	o.NoToken = true
	p := &pageMaker{ctx: ctx, server: New(db, o), run: run, file: f, path: "/v1/contexts/" + url.PathEscape(f.Name),
		requests: record.NewRequests(run), rows: map[rowKey]int{}, lives: map[string]bool{}, callOf: map[string]string{}}
	if err := p.collect(progress); err != nil {
		return err
	}
	data, err := f.Encode()
	if err != nil {
		return err
	}
	return inspector.WritePage(w, runfile.Mark, runfile.Begin+url.PathEscape(f.Name)+`" data-redacted="`+f.Redacted+`">`+
		data+runfile.End)
}

// callsAtOnce is how many calls the server lists in one answer.
var callsAtOnce int64 = 4000

// calls keeps what the server says of all calls, as one answer.
func (p *pageMaker) calls(unit, span string) error {
	var all callList
	for after, more := int64(0), true; more; after, more = all.Next, all.Next > 0 {
		text, err := p.ask(fmt.Sprintf("%s/calls?limit=%d&after=%d&unit=%s&%s", p.path, callsAtOnce, after, unit, span))
		if err != nil {
			return err
		}
		items := all.Items
		all = callList{}
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
		all.Items = append(items, all.Items...)
	}
	text, err := json.Marshal(all)
	p.file.SetText("calls "+unit, text)
	return err
}

// limitedBuffer is a buffer within a budget of memory. Of a history are made a store and a page, each about as large as
// some copies of it.
type limitedBuffer struct {
	bytes.Buffer
	ctx context.Context
}

// Write implements io.Writer.
func (h *limitedBuffer) Write(p []byte) (int, error) {
	const copies = 8
	if _, err := budget.Reserve(h.ctx, int64(copies*len(p))); err != nil {
		return 0, err
	}
	return h.Buffer.Write(p)
}
