package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/calllog"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

type imported struct {
	Contexts []contextInfo     `json:"contexts" nullable:"false"`
	Findings []inspect.Finding `json:"findings,omitempty" doc:"What had to be mended"`
}

// upload is a file to make contexts of.
type upload struct {
	Name     string `query:"name" required:"true" doc:"Name of the context; of several conversations the part before the /"`
	Form     string `query:"form" enum:"document,history,transcript,log" doc:"What the body is; found out from it by default"`
	Edition  string `query:"edition" doc:"Edition to read it in; that of the file by default"`
	Strict   bool   `query:"strict" doc:"Refuse a history that would have to be mended"`
	Renumber bool   `query:"renumber" doc:"Count the cycles of a history with gaps anew"`
}

// transfers adds import and export.
func (s *Server) transfers() {
	add(s, operation{method: "POST", path: "/v1/import", id: "import", status: http.StatusCreated,
		reads: "application/octet-stream", streams: true,
		summary: "Make contexts of a snapshot document, a history, a transcript or the log of another program"},
		func(ctx context.Context, in *upload) (*answered[imported], error) {
			e := exchangeOf(ctx)
			names, findings, err := s.importAs(ctx, in, e.body(MaxImport, importTime))
			if err != nil {
				return nil, err
			}
			made := imported{Findings: findings}
			for _, name := range names {
				i, err := s.store.Find(ctx, name)
				if err != nil {
					return nil, err
				}
				made.Contexts = append(made.Contexts, infoOf(i))
			}
			return answer(made, nil)
		})
	type form struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Form string `query:"form" enum:"snapshots,compact" default:"compact" doc:"compact has each version of a node once"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/export", id: "export", writes: "application/jsonl",
		streams: true, summary: "Export the whole history, one JSON object a line"},
		func(ctx context.Context, in *form) (*empty, error) {
			c, err := s.context(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			return nil, stream(ctx, "application/jsonl", func(w io.Writer) error {
				if in.Form == "compact" {
					return c.Backup(ctx, w)
				}
				first, _ := c.Cycles()
				return c.ExportHistory(ctx, w, pact.Cycle(first), pact.Latest)
			})
		})
}

// kindOfForm is the kind of file that a form declares.
var kindOfForm = map[string]intake.Kind{
	"document": intake.Snapshot, "transcript": intake.Transcript, "log": intake.Log,
}

// importAs makes the contexts of a file, and returns their names.
func (s *Server) importAs(ctx context.Context, in *upload, body io.Reader) ([]string, []inspect.Finding, error) {
	text, err := intake.Open(body, MaxImport)
	if err != nil {
		return nil, nil, unread(err)
	}
	if in.Form == "history" || in.Form == "" && intake.IsBackup(text) {
		return s.importHistory(ctx, in, text)
	}
	data, err := io.ReadAll(text)
	if err != nil {
		return nil, nil, unread(err)
	}
	if data, err = intake.Text(data, MaxImport); err != nil {
		return nil, nil, err
	}
	kind := kindOfForm[in.Form]
	if kind == "" {
		if kind, err = intake.KindOf(data); err != nil {
			return nil, nil, err
		}
	}
	switch kind {
	case intake.History:
		return s.importHistory(ctx, in, bytes.NewReader(data))
	case intake.Log:
		return s.importLog(ctx, in, data)
	case intake.Transcript:
		return s.importTranscript(ctx, in, data)
	}
	if err := exchangeOf(ctx).right.use(in.Name); err != nil {
		return nil, nil, err
	}
	_, findings, err := pact.Import(ctx, s.store, in.Name, data, &pact.ImportOptions{OpenOptions: s.open(),
		Edition: selector.Edition(in.Edition)})
	return []string{in.Name}, findings, err
}

func (s *Server) importHistory(ctx context.Context, in *upload, body io.Reader) ([]string, []inspect.Finding,
	error) {
	if err := exchangeOf(ctx).right.use(in.Name); err != nil {
		return nil, nil, err
	}
	o := pact.HistoryOptions{Edition: selector.Edition(in.Edition), Strict: in.Strict, Renumber: in.Renumber}
	_, findings, err := pact.ImportHistory(ctx, s.store, in.Name, body,
		&pact.ImportHistoryOptions{OpenOptions: s.open(), HistoryOptions: o})
	if err != nil && ctx.Err() == nil {
		err = unread(err)
	}
	return []string{in.Name}, findings, err
}

// importLog makes the contexts of the calls of another program, or adds to those that an earlier
// import of the same log made.
func (s *Server) importLog(ctx context.Context, in *upload, data []byte) ([]string, []inspect.Finding, error) {
	log, err := calllog.Read(data)
	if err != nil {
		return nil, nil, err
	}
	right := &exchangeOf(ctx).right
	sessions, err := intake.Sessions(log, in.Name)
	if err != nil {
		return nil, nil, err
	}
	for i := range sessions {
		// A session that goes back and on another way gives several contexts, NAME-2 and so on.
		for _, name := range []string{sessions[i].Name, sessions[i].Name + "-2"} {
			if err := right.use(name); err != nil {
				return nil, nil, err
			}
		}
	}
	var names []string
	for i := range sessions {
		made, _, left, err := sessions[i].Record(ctx, s.store, s.options.Actor, nil, func(int) {})
		if err != nil {
			return nil, nil, err
		}
		if left {
			log.Findings = append(log.Findings, inspect.Finding{Code: fault.DocumentInvalid, Message: sessions[i].Name +
				": what was said last has no answer in the log yet; it was left out, and comes with its answer"})
		}
		names = append(names, made...)
	}
	return names, log.Findings, nil
}

// importTranscript makes the contexts of a transcript, or adds what is new to those that an
// earlier import of its beginning made. It compares all of them before it writes the first.
func (s *Server) importTranscript(ctx context.Context, in *upload, data []byte) ([]string, []inspect.Finding,
	error) {
	list, err := transcript.Read(data)
	if err != nil {
		return nil, nil, err
	}
	right := &exchangeOf(ctx).right
	names, grown := make([]string, len(list)), make([]*pact.Extension, len(list))
	options := &transcript.ImportOptions{
		CreateOptions: pact.CreateOptions{OpenOptions: s.open(), Edition: selector.Edition(in.Edition)}}
	var findings []inspect.Finding
	for i, c := range list {
		if names[i] = in.Name; len(list) > 1 {
			names[i] += "/" + c.Name
		}
		if err := right.use(names[i]); err != nil {
			return nil, nil, err
		}
		if grown[i], err = s.extension(ctx, names[i], c, options); err != nil {
			return nil, nil, err
		}
		findings = append(findings, c.Findings()...)
	}
	for i, c := range list {
		if grown[i] != nil {
			err = grown[i].Apply(ctx)
		} else {
			_, err = transcript.Import(ctx, s.store, names[i], c, options)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return names, findings, nil
}

// extension returns what a conversation has beyond the context of a name, nil if there is no
// such context.
func (s *Server) extension(ctx context.Context, name string, c *transcript.Conversation,
	o *transcript.ImportOptions) (*pact.Extension, error) {
	own := s.open()
	there, err := pact.Open(ctx, s.store, name, &own)
	if fault.CodeOf(err) == fault.ContextNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	whole, err := transcript.Import(ctx, store.NewMemory(), name, c, o)
	if err != nil {
		return nil, err
	}
	grown, err := there.Extension(ctx, whole)
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == fault.Conflict && f.Node == "" {
		return nil, store.NameTaken(name)
	}
	return grown, err
}
