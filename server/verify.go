package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/record"
)

// checked is a line of a verification: how far it is, or at the end what it found.
type checked struct {
	Done   int                   `json:"done" doc:"Snapshots that were checked"`
	Total  int                   `json:"total" doc:"Snapshots to check"`
	Result *inspect.Verification `json:"result,omitempty" doc:"Of the last line alone"`
}

// verification adds the operation that reads a context again and checks all of it.
func (s *Server) verification() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/verify", id: "verify", writes: "application/jsonl",
		streams: true,
		summary: "Check that nothing of a context was changed since; a line for each hundredth, then the result"},
		func(ctx context.Context, in *named) (*empty, error) {
			// A damaged context is looked for in the list, where one that is not opened is missing.
			if err := rightOf(ctx).use(in.Name); err != nil {
				return nil, err
			}
			return nil, stream(ctx, "application/jsonl", func(w io.Writer) error {
				e := json.NewEncoder(w)
				last := checked{}
				var failed error
				v, err := pact.Verify(ctx, s.store, in.Name, func(done, total int) {
					if last.Total = total; failed == nil && (done-last.Done)*100 >= total {
						last.Done = done
						failed = sendLine(ctx, w, e, last)
					}
				})
				if err == nil {
					err = record.VerifyRequests(ctx, s.store, v)
				}
				if err != nil {
					return err
				}
				if failed == nil {
					failed = e.Encode(checked{last.Total, last.Total, v})
				}
				return failed
			})
		})
}

// sendLine writes a line that the client sees at once.
func sendLine(ctx context.Context, w io.Writer, e *json.Encoder, line any) error {
	if err := e.Encode(line); err != nil {
		return err
	}
	if b, ok := w.(*bufio.Writer); ok {
		if err := b.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(exchangeOf(ctx).ResponseWriter).Flush()
}
