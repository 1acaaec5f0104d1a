package record

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// Attributes of the blocks that AddRequest makes of a message, and so does the import of a transcript.
const (
	attrFrame = "wire:frame" // on the first block: how many there are, and what the message has beside them
	attrPart  = "wire:part"  // on each other one: its number in the message, and the id of the first
)

// AddRequest adds to the working state what a request to an API says, as one edit: tools and the system prompt to ^sys,
// messages to ^ah, a block for each part. form is one of [Thread]; the body has the fields of the API, of which those
// for messages alone may be there. Nothing of a message is lost: [NewRequest] writes it again with every field, also
// those that no table knows, as long as all its blocks are there and in their order. Cache markers are not kept,
// because NewRequest places its own, and the other fields of the body are no part of the conversation.
//
// It returns the ids of the blocks. E_DOCUMENT_INVALID for an unknown form, and for a body that is no JSON object or
// has two members of one name; the errors of [pact.Context.Edit]. Cost: the size of the body and the number of blocks
// in ^ah.
func AddRequest(ctx context.Context, c *pact.Context, form string, body json.RawMessage, n *pact.Note) (ids []string, err error) {
	api, value, err := bodyIn(form, body)
	if err != nil {
		return nil, err
	}
	r, ok := provider.ReadRequest(api, provider.WithoutMarkers(api, value))
	if !ok {
		return nil, notRequest(api)
	}
	list, _ := r.Frame.Get(provider.ListOf(api))
	if err := everyMessage(r, list); err != nil {
		return nil, err
	}
	calls, offset, err := headOf(c.Working())
	if err != nil {
		return nil, err
	}
	err = c.Edit(ctx, func(b *pact.Batch) error {
		ids = ids[:0]
		a := adding{b: b, api: api, calls: calls, system: 1, offset: offset}
		for i := 0; i < len(r.Parts); {
			end := i + 1
			for end < len(r.Parts) && inMessage(&r.Parts[end]) && r.Parts[end].Message == r.Parts[i].Message {
				end++
			}
			ids = append(ids, a.message(r.Parts[i:end], list)...)
			i = end
		}
		return nil
	}, n)
	return ids, err
}

// AddAnswer adds what a provider answered to ^ah, in the form in which the next request repeats it. answer is the body
// of an answer that was not streamed, or an answer that a client put together in that form; one without any content
// adds nothing. Errors and cost are those of [AddRequest].
func AddAnswer(ctx context.Context, c *pact.Context, form string, answer json.RawMessage, n *pact.Note) ([]string, error) {
	api, value, err := bodyIn(form, answer)
	if err != nil {
		return nil, err
	}
	a := provider.NewAssembler(api, http.StatusOK, http.Header{"Content-Type": {"application/json"}})
	if _, err := a.Write([]byte(value.Value())); err != nil {
		return nil, err
	}
	said := a.Close(nil)
	if said.Failure != "" {
		return nil, fault.New(fault.DocumentInvalid, "this is no answer with a content: "+said.Failure, "add what the provider answered")
	}
	if said.Content.Kind == canon.KindAbsent || len(provider.AnswerParts(api, said.Content)) == 0 { // the model ended its turn without a word
		return nil, nil
	}
	body := canon.Fields(provider.ListOf(api), provider.Repeated(api, said.Content))
	return AddRequest(ctx, c, form, json.RawMessage(body.Value()), n)
}

// bodyIn reads a body in a form.
func bodyIn(form string, body json.RawMessage) (provider.API, canon.Any, error) {
	api := provider.APINamed(form)
	if api == "" {
		return "", canon.Any{}, unknownForm(form)
	}
	value, err := canon.ParseAny(body)
	if err == nil && value.Kind != canon.KindObject {
		err = notRequest(api)
	}
	return api, value, err
}

// adding adds the parts of messages.
type adding struct {
	b      *pact.Batch
	api    provider.API
	calls  map[string]string // the node of each call by its id
	system int64             // offset of the next block of the system prompt
	offset int64             // of the next block of the conversation
}

// message adds the parts of a message, or one part that stands outside of messages.
func (a *adding) message(parts []provider.Part, frames canon.Any) (ids []string) {
	for i := range parts {
		p := &parts[i]
		s, region := specOf(p, a.api), activeHead
		if p.Section != provider.Conversation {
			region = systemRegion
			if s.Offset = a.system; p.Section == provider.Tools {
				s.Offset += firstTool
			}
			a.system++
		}
		switch {
		case !inMessage(p):
		case i == 0:
			s.Attrs[attrFrame] = canon.Fields("parts", canon.Number(int64(len(parts))), "frame", frameOf(frames, p.Message))
		default:
			s.Attrs[attrPart] = partOf(i, ids[0]).Any()
		}
		if region == activeHead { // outside the core, where a policy can take it
			s.Offset = a.offset
			a.offset++
		}
		var id string
		if call := a.calls[p.Call]; p.Kind == "result" && call != "" {
			id = a.b.AddResult(call, s)
		} else {
			id = a.b.Add(region, s)
		}
		if p.Kind == "call" && p.Call != "" {
			a.calls[p.Call] = id
		}
		ids = append(ids, id)
	}
	return ids
}

// everyMessage refuses a message without a part, which no block could stand for.
func everyMessage(r *provider.Request, list canon.Any) error {
	has := make([]bool, len(list.Elems))
	for i := range r.Parts {
		if p := &r.Parts[i]; inMessage(p) && p.Message < len(has) {
			has[p.Message] = true
		}
	}
	if i := slices.Index(has, false); i >= 0 {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, provider.ListOf(r.API)+"["+strconv.Itoa(i)+"]", "the message has no content",
			"leave it out, or give it a text")
	}
	return nil
}

// inMessage reports whether a part stands in a message, and not in a field for the system prompt or the tools.
func inMessage(p *provider.Part) bool { return p.Section != provider.Tools && p.Message >= 0 }

// frameOf returns the frame of a message in a list, which may be one message alone.
func frameOf(frames canon.Any, message int) canon.Any {
	if frames.Kind == canon.KindArray && message >= 0 && message < len(frames.Elems) {
		return frames.Elems[message]
	}
	return frames
}

// headOf returns the nodes of the calls in the active head by the ids of the calls, and the offset behind its last
// block. A result follows in the cycle of its call, so no sealed turn has an open call.
func headOf(s *pact.Snapshot) (calls map[string]string, offset int64, err error) {
	calls, offset = map[string]string{}, 1
	for e, err := range tree.Of(s).Region(tree.Head).Children().All() {
		if err != nil {
			return nil, 0, err
		}
		n := e.Node()
		if call, ok := n.Header(attrCall).Text(); ok && n.Kind == "call" {
			calls[call] = n.ID
		}
		offset = max(offset, n.Offset+1)
	}
	return calls, offset, nil
}
