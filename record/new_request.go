package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
)

// NewRequest writes the thread of a snapshot into the body of a request to an API: the fields of base and, in place of
// its tools, system prompt and messages, those that the snapshot has. A message that [AddRequest] read, and whose
// blocks are all there, is written with every field that it had; all else as [Thread] does.
//
// In a body for Anthropic it marks three ends of what the provider shall cache: that of the system prompt, that of the
// messages before the first block with a ttl, and that of the messages. Base may have one marker more.
//
// It then asks [Check]. With mend it carries out the remedies that need no decision. A problem that stays is
// E_PLACEMENT_INVALID with its place and remedy; E_DOCUMENT_INVALID for an unknown form, for a base that is no object
// and for blocks that the API cannot express. Cost: that of the thread.
func NewRequest(ctx context.Context, s *pact.Snapshot, form string, base json.RawMessage, mend bool) (_ json.RawMessage, err error) {
	api, fields, err := bodyIn(form, base)
	if err != nil {
		return nil, err
	}
	said, err := partsOf(ctx, s)
	if err != nil {
		return nil, err
	}
	stays := 0 // the parts before the first that goes
	for stays < len(said.goes) && !said.goes[stays] {
		stays++
	}
	thread, left, messages := said.renderUntil(api, stays)
	if left > 0 {
		return nil, fault.New(fault.DocumentInvalid, "the API cannot express all blocks of the thread",
			"take out those of another provider, such as its signed thinking, or send the thread to the API that they came from")
	}
	for _, m := range thread.Members {
		fields = fields.With(m.Name, m.Value)
	}
	body := []byte(provider.Mark(api, fields, messages).Value())
	if mend {
		if body, _, err = Mend(&CheckRequest{Form: form, Body: body}); err != nil {
			return nil, err
		}
	}
	_, problems, err := Check(&CheckRequest{Form: form, Body: body})
	if err == nil && len(problems) > 0 {
		p := problems[0]
		err = fault.At(fault.PlacementInvalid, fault.NoOffset, p.Place, p.Problem, p.Remedy)
	}
	return body, err
}
