package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/transcript"
)

// importedAttr is the attribute of the root that has the other fields of an imported
// chat completion.
const importedAttr = "openai:conversation"

// Thread writes the thread of a snapshot as the fields of a request: tools, system prompt
// and messages, in one JSON object. form is openai (chat completions), responses, anthropic
// or gemini, and need not be the API that was recorded. left counts what this API cannot
// express: blocks, such as thinking that another provider signed, and fields of imported
// messages that only their own API has.
//
// A context that no recorder made is read as the message list that [transcript.OpenAI]
// gives of it, with the tools that came with an imported conversation.
//
// For the API that was recorded, [Request] returns the bytes that were sent.
// E_DOCUMENT_INVALID for an unknown form. Cost: that of the thread.
func Thread(ctx context.Context, s *pact.Snapshot, form string) (_ json.RawMessage, left int, err error) {
	defer tree.Recover(&err)
	to := provider.APINamed(form)
	if to == "" {
		return nil, 0, fault.At(fault.DocumentInvalid, fault.NoOffset, form, "no thread has this form",
			"it is openai, responses, anthropic or gemini")
	}
	if !Recorded(s) {
		parts, err := importedParts(ctx, s)
		if err != nil {
			return nil, 0, err
		}
		fields, left := provider.Render(to, parts, func(int) provider.API { return provider.Chat })
		return json.RawMessage(fields.Value()), left, nil
	}
	parts, from, err := recordedParts(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	fields, left := provider.Render(to, parts, func(i int) provider.API { return from[i] })
	return json.RawMessage(fields.Value()), left, nil
}

// recordedParts returns the parts that the blocks of a recorded context are, and the API
// of each.
func recordedParts(ctx context.Context, s *pact.Snapshot) (parts []provider.Part, from []provider.API, err error) {
	s.Tree().BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
		n := e.Node()
		var content canon.Value
		if content, err = contentOf(ctx, n); err != nil {
			return false
		}
		p := provider.Part{Section: provider.Conversation, Kind: n.Kind, Role: n.Role, Content: content.Any(),
			Failed: n.Has(attrFailed)}
		if region == tree.Sys && n.Kind == "tool" {
			p.Section = provider.Tools
		} else if region == tree.Sys {
			p.Section = provider.System
		}
		p.Call, _ = n.Header(attrCall).Text()
		p.Name, _ = n.Header(attrName).Text()
		by, _ := n.Header("provenance").Text()
		parts, from = append(parts, p), append(from, provider.API(by))
		return true
	})
	return parts, from, err
}

// importedParts returns the parts of a context that no recorder made, as those of a chat
// completion.
func importedParts(ctx context.Context, s *pact.Snapshot) ([]provider.Part, error) {
	text, err := transcript.OpenAI(ctx, s)
	if err != nil {
		return nil, err
	}
	messages, err := canon.ParseAny(text)
	if err != nil {
		return nil, err
	}
	members := []canon.Member{{Name: "messages", Value: messages}}
	imported := canon.Value(s.Tree().Root().Node().Header(importedAttr))
	if tools, ok := imported.Any().Get("tools"); imported.Kind() == canon.KindObject && ok {
		members = append(members, canon.Member{Name: "tools", Value: tools})
	}
	r, _ := provider.ReadRequest(provider.Chat, canon.Object(members...)) // the body is an object
	for i, p := range r.Parts {
		if p.Section == provider.System && p.Kind != "text" { // a field of a message, which is no instruction
			r.Parts[i].Section = provider.Conversation
		}
	}
	return r.Parts, nil
}

// Recorded reports whether a recorder made the context of a snapshot.
func Recorded(s *pact.Snapshot) bool { return s.Tree().Root().Node().Has(attrContext) }
