package server

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

type imported struct {
	Contexts []contextInfo     `json:"contexts" nullable:"false"`
	Findings []inspect.Finding `json:"findings,omitempty" doc:"What had to be mended"`
}

// newOnes is the answer about contexts that were made.
type newOnes struct {
	Location string `header:"Location" doc:"Where the first of them is found"`
	Body     imported
}

// upload is a file to make contexts of.
type upload struct {
	Name     string `query:"name" required:"true" doc:"Name of the context; of several conversations the part before the /"`
	Form     string `query:"form" enum:"document,history,log" doc:"What the body is; found out from it by default"`
	Edition  string `query:"edition" doc:"Edition to read it in; that of the file by default"`
	Strict   bool   `query:"strict" doc:"Refuse a history that would have to be mended"`
	Renumber bool   `query:"renumber" doc:"Count the cycles of a history with gaps anew"`

	Policy string `query:"policy" doc:"Ready policy under which the calls of a transcript are replayed, default with limits"`
	Tokens int    `query:"max_tokens" minimum:"0" doc:"Of each call of a transcript; 0 for no limit, as for the others"`
	Bytes  int    `query:"max_bytes" minimum:"0" doc:"Of the thread of each call of a transcript"`
	Nodes  int    `query:"max_nodes" minimum:"0" doc:"Of each call of a transcript"`
	Turns  int    `query:"max_turns" minimum:"0" doc:"Of each call of a transcript"`
}

// limits returns the policy under which messages are replayed, nil for none.
func (in *upload) limits() (*lifecycle.Policy, error) {
	if in.Policy == "" && in.Tokens+in.Bytes+in.Nodes+in.Turns == 0 {
		return nil, nil
	}
	p, err := lifecycle.Ready(cmp.Or(in.Policy, lifecycle.ReadyDefault))
	p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns = in.Tokens, in.Bytes, in.Nodes, in.Turns
	return &p, err
}

// transfers adds import and export.
func (s *Server) transfers() {
	add(s, operation{method: "POST", path: "/v1/import", id: "import", status: http.StatusCreated,
		reads: "application/octet-stream", streams: true, places: s.imports, waits: true,
		summary: "Make contexts of a snapshot document, a history or the log of another program"},
		func(ctx context.Context, in *upload) (*newOnes, error) {
			names, findings, err := s.importAs(ctx, in, exchangeOf(ctx).file)
			if err != nil {
				return nil, err
			}
			made := newOnes{Body: imported{Findings: findings}}
			for _, name := range names {
				i, err := s.store.Find(ctx, name)
				if err != nil {
					return nil, err
				}
				made.Body.Contexts = append(made.Body.Contexts, infoOf(i))
				made.Location = pathOf(names[0])
			}
			return &made, nil
		})
	type form struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Form string `query:"form" enum:"compact,snapshots,document,page" default:"compact" doc:"compact has each version of a node once, and the attempts; document is that of one snapshot; page is one HTML page that a browser opens from a disk"`
		At   string `query:"at" default:"latest" doc:"Of document, the address of the state: @t0, @t-1, @c12, latest or working"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/export", id: "export", writes: "application/jsonl,application/json,text/html",
		streams: true, summary: "Export the whole history, which import reads, or a snapshot of it"},
		func(ctx context.Context, in *form) (*empty, error) {
			switch {
			case in.Form == "document":
				_, snapshot, err := s.snapshotAt(ctx, in.Name, in.At)
				if err != nil {
					return nil, err
				}
				return nil, stream(ctx, "application/json", func(w io.Writer) error { return snapshot.Export(ctx, w) })
			case in.At != "latest":
				return nil, fault.New(fault.DocumentInvalid, "at needs form=document", "leave at out")
			}
			c, err := s.context(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			if in.Form == "page" {
				return nil, s.exportPage(ctx, c)
			}
			return nil, stream(ctx, "application/jsonl", func(w io.Writer) error {
				if in.Form == "compact" {
					return c.Export(ctx, w)
				}
				first := c.Info().First
				return c.ExportSnapshots(ctx, w, pact.Cycle(first), "latest")
			})
		})
}

// kindOfForm is the kind of file that a form declares.
var kindOfForm = map[string]intake.Kind{"document": intake.Snapshot, "log": intake.Log}

// importAs makes the contexts of a file, and returns their names.
func (s *Server) importAs(ctx context.Context, in *upload, body io.Reader) ([]string, []inspect.Finding, error) {
	text, err := intake.Open(body, MaxImport)
	if err != nil {
		return nil, nil, unread(err)
	}
	limits, err := in.limits()
	if err != nil {
		return nil, nil, err
	}
	f := intake.Arriving(text)
	if in.Form != "history" && (in.Form != "" || !intake.IsCompact(text)) {
		data, err := intake.Text(ctx, text, MaxImport)
		if err != nil {
			return nil, nil, unread(err)
		}
		f = &intake.File{Data: data}
	}
	o := intake.Options{Kind: kindOfForm[in.Form], Name: in.Name, ImportOptions: pact.ImportOptions{OpenOptions: s.open(),
		Edition: selector.Edition(in.Edition), Strict: in.Strict, Renumber: in.Renumber}}
	plan, err := intake.PlanFile(ctx, f, o)
	if err != nil {
		return nil, nil, err
	}
	if limits != nil && !plan.Replays() {
		return nil, nil, fault.New(fault.DocumentInvalid, "the file is no transcript, whose calls could be replayed "+
			"under limits", "leave out the limits")
	}
	if limits != nil {
		if plan.Policy = *limits; limits.Counts() {
			if plan.Counter, err = s.counter(limits.Tokenizer); err != nil {
				return nil, nil, err
			}
			plan.Policy.Tokenizer = plan.Counter.Name()
		}
	}
	for i := range plan.Parts {
		if part := &plan.Parts[i]; part.Records() {
			if err := rightOf(ctx).useBeginning(part.Name); err != nil {
				return nil, nil, err
			}
		}
	}
	return s.carryOut(ctx, plan)
}

// carryOut makes the contexts of a plan and returns their names.
func (s *Server) carryOut(ctx context.Context, plan *intake.Plan) ([]string, []inspect.Finding, error) {
	list, err := plan.Import(ctx, s.store, func(int, int) {})
	if differs := (*intake.Differs)(nil); errors.As(err, &differs) && failureOf(err).Node == "" {
		err = names.Taken(differs.Name)
	} else if err != nil && plan.Kind == intake.History && ctx.Err() == nil {
		err = unread(err) // it is read as it arrives
	}
	var names []string
	for _, made := range list {
		names, plan.Findings = append(names, made.Context.Info().Name), append(plan.Findings, made.Findings...)
	}
	return names, plan.Findings, err
}
