package server

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
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
	Form     string `query:"form" required:"true" enum:"document,history,transcript" doc:"What the body is"`
	Edition  string `query:"edition" doc:"Edition to read it in; that of the file by default"`
	Strict   bool   `query:"strict" doc:"Refuse a history that would have to be mended"`
	Renumber bool   `query:"renumber" doc:"Count the cycles of a history with gaps anew"`
}

// transfers adds import and export.
func (s *Server) transfers() {
	add(s, operation{method: "POST", path: "/v1/import", id: "import", status: http.StatusCreated,
		reads: "application/octet-stream", streams: true,
		summary: "Make contexts of a snapshot document, a history or a transcript"},
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

// importAs makes the contexts of a file, and returns their names.
func (s *Server) importAs(ctx context.Context, in *upload, body io.Reader) ([]string, []inspect.Finding, error) {
	right := &exchangeOf(ctx).right
	open, edition := s.open(), selector.Edition(in.Edition)
	if in.Form != "transcript" {
		if err := right.use(in.Name); err != nil {
			return nil, nil, err
		}
	}
	if in.Form == "history" {
		_, findings, err := pact.ImportHistory(ctx, s.store, in.Name, body, &pact.ImportHistoryOptions{OpenOptions: open,
			HistoryOptions: pact.HistoryOptions{Edition: edition, Strict: in.Strict, Renumber: in.Renumber}})
		if long := (*http.MaxBytesError)(nil); errors.As(err, &long) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = unread(err)
		}
		return []string{in.Name}, findings, err
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, nil, unread(err)
	}
	if in.Form == "document" {
		_, findings, err := pact.Import(ctx, s.store, in.Name, data, &pact.ImportOptions{OpenOptions: open, Edition: edition})
		return []string{in.Name}, findings, err
	}
	list, err := transcript.Read(data)
	if err != nil {
		return nil, nil, err
	}
	names := make([]string, len(list))
	for i, c := range list {
		if names[i] = in.Name; len(list) > 1 {
			names[i] += "/" + c.Name
		}
		if err := right.use(names[i]); err != nil {
			return nil, nil, err
		}
		if _, err := s.store.Find(ctx, names[i]); err == nil {
			return nil, nil, store.NameTaken(names[i])
		} else if fault.CodeOf(err) != fault.ContextNotFound {
			return nil, nil, err
		}
	}
	for i, c := range list {
		if _, err := transcript.Import(ctx, s.store, names[i], c, &transcript.ImportOptions{
			CreateOptions: pact.CreateOptions{OpenOptions: open, Edition: edition}}); err != nil {
			return nil, nil, err
		}
	}
	return names, nil, nil
}
