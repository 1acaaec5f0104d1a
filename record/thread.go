package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// forms maps the names that users give to the APIs that a thread can be written
// for.
var forms = map[string]api.Name{
	"openai": api.Chat, "responses": api.Responses, "anthropic": api.Messages, "gemini": api.Gemini,
}

// Thread writes the thread of a snapshot of a recorded context as the fields of
// a request: tools, system prompt and messages, in one JSON object. form is
// openai (chat completions), responses, anthropic or gemini, and need not be
// the API that was recorded. left counts the blocks that this API cannot
// express, such as thinking that another provider signed.
//
// For the API that was recorded, [Request] returns the bytes that were sent.
// E_DOCUMENT_INVALID for an unknown form, E_CONFLICT for a context that no
// recorder made. Cost: that of the thread.
func Thread(ctx context.Context, s *pact.Snapshot, form string) (_ json.RawMessage, left int, err error) {
	defer tree.Recover(&err)
	to, ok := forms[form]
	if !ok {
		return nil, 0, fault.At(fault.DocumentInvalid, fault.NoOffset, form, "no thread has this form",
			"it is openai, responses, anthropic or gemini")
	}
	if !Recorded(s) {
		return nil, 0, fault.New(fault.Conflict, "the context was not made by a recorder", "")
	}
	var parts []api.Part
	var from []api.Name
	s.Tree().BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		n := e.Node()
		var content canon.Value
		if content, err = contentOf(ctx, n); err != nil {
			return false
		}
		p := api.Part{Section: api.Conversation, Kind: n.Kind, Role: n.Role, Content: content.Any(),
			Failed: n.Has(attrFailed)}
		if region == tree.Sys && n.Kind == "tool" {
			p.Section = api.Tools
		} else if region == tree.Sys {
			p.Section = api.System
		}
		p.Call, _ = n.Header(attrCall).Text()
		p.Name, _ = n.Header(attrName).Text()
		by, _ := n.Header("provenance").Text()
		parts, from = append(parts, p), append(from, api.Name(by))
		return true
	})
	if err != nil {
		return nil, 0, err
	}
	fields, left := api.Render(to, parts, func(i int) api.Name { return from[i] })
	return json.RawMessage(fields.Value()), left, nil
}

// Recorded reports whether a recorder made the context of a snapshot.
func Recorded(s *pact.Snapshot) bool { return s.Tree().Root().Node().Has(attrContext) }
