package cli

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
)

// fieldsOf returns the thread of a snapshot as fields of a request and, with
// --request, the other fields too.
func (a *app) fieldsOf(ctx context.Context, s *source, snapshot *pact.Snapshot, f *threadFlags) (json.RawMessage, int,
	error) {
	if !*f.request {
		return record.Thread(ctx, snapshot, *f.as)
	}
	if !record.Recorded(snapshot) {
		return record.Whole(ctx, nil, snapshot, *f.as)
	}
	c, err := s.history(ctx)
	if err != nil {
		return nil, 0, err
	}
	return record.Whole(ctx, c, snapshot, *f.as)
}
