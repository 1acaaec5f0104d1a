package server

import (
	"context"
	"crypto/rand"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/record"
)

// erasing says what to remove for good.
type erasing struct {
	IDs       []string `json:"ids,omitempty" doc:"Nodes, which go with everything that is or ever was below them"`
	Texts     []string `json:"texts,omitempty" doc:"Every node and every log entry that contains one of these texts goes"`
	Revisions []int64  `json:"revisions,omitempty" doc:"Log entries that lose actor, message, request token and report"`
	Reason    string   `json:"reason,omitempty" doc:"For the log; it must not contain what is erased"`
	Actor     string   `json:"actor,omitempty" doc:"Who asks for it, for the log"`
	DryRun    bool     `json:"dry_run,omitempty" doc:"Only say what would go"`
}

// erasures adds the operation that removes for good what must not be kept.
func (s *Server) erasures() {
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/erase", id: "erase", body: erasing{}, streams: true,
		summary: "Remove nodes for good from a context and all that share history with it, with the originals of " +
			"shaped results; the receipt is given once"},
		func(ctx context.Context, in *named) (*answered[*record.Erased], error) {
			wanted, err := readJSON[erasing](ctx)
			if err != nil {
				return nil, err
			}
			if len(wanted.IDs)+len(wanted.Texts)+len(wanted.Revisions) == 0 {
				return nil, fault.New(fault.DocumentInvalid, "the erasure names nothing to erase",
					"give ids, texts or revisions; select finds ids")
			}
			c, err := s.context(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			if err := rightOf(ctx).erase(); err != nil {
				return nil, err
			}
			return answer(record.Erase(ctx, s.store, c, pact.Erasure{IDs: wanted.IDs, Texts: wanted.Texts,
				Revisions: wanted.Revisions, Reason: wanted.Reason, Actor: wanted.Actor, Random: rand.Reader, DryRun: wanted.DryRun}))
		})
}
