package record

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/transcript"
)

// WholeRequest writes the thread of a snapshot as a whole request: what [Thread] writes and the
// model; of a call that was recorded in the same form also all other fields that it sent,
// and of an imported chat completion those that came with it. c is the context of the
// snapshot; it may be nil if no recorder made it.
//
// E_DOCUMENT_INVALID for an unknown form, E_ATTEMPT_NOT_FOUND if a recorder made the context
// but no request of the cycle was recorded, E_CONFLICT if what was recorded is no JSON
// object. Cost: that of the thread.
func WholeRequest(ctx context.Context, c *pact.Context, s *pact.Snapshot, form string) (_ json.RawMessage, left int,
	err error) {
	recorded := Recorded(s)
	if !recorded && form == "openai" {
		if said, err := recordedParts(ctx, s); err != nil {
			return nil, 0, err
		} else if !said.added() {
			return importedRequest(ctx, s)
		}
	}
	thread, left, err := Thread(ctx, s, form)
	if err != nil {
		return nil, 0, err
	}
	fields := map[string]json.RawMessage{}
	model := ""
	if recorded {
		if fields, model, err = sentFields(ctx, c, s.Cycle(), form); err != nil {
			return nil, 0, err
		}
	} else {
		imported, err := importedFields(s)
		if err != nil {
			return nil, 0, err
		}
		model, _ = imported["model"].(string)
	}
	if form != "gemini" && model != "" { // the path of Gemini names the model
		if fields["model"], err = json.Marshal(model); err != nil {
			return nil, 0, err
		}
	}
	more := map[string]json.RawMessage{}
	if err := json.Unmarshal(thread, &more); err != nil {
		return nil, 0, err
	}
	maps.Copy(fields, more)
	text, err := plainJSON(fields)
	return text, left, err
}

// sentFields returns the parameters that a recorded call sent, if they mean the same in
// the form, and its model.
func sentFields(ctx context.Context, c *pact.Context, cycle int64, form string) (map[string]json.RawMessage, string,
	error) {
	sent, err := Request(ctx, c, cycle, 0)
	if err != nil {
		return nil, "", err
	}
	fields := map[string]json.RawMessage{}
	if provider.APIOf(http.MethodPost, sent.Path) == provider.APINamed(form) {
		if err := json.Unmarshal(sent.Bytes, &fields); err != nil {
			return nil, "", fault.Wrap(fault.Conflict, err, "the recorded request is not a JSON object",
				"ask for its bytes as they were sent")
		}
	}
	for _, name := range []string{"tools", "system", "instructions", "input", "messages", "contents",
		"systemInstruction", "system_instruction"} {
		delete(fields, name)
	}
	return fields, sent.Attempt.Model, nil
}

// importedRequest returns the messages of an imported conversation together with the other
// fields of the request that it was.
func importedRequest(ctx context.Context, s *pact.Snapshot) (json.RawMessage, int, error) {
	messages, err := transcript.OpenAI(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	fields, err := importedFields(s)
	if err != nil {
		return nil, 0, err
	}
	fields["messages"] = json.RawMessage(messages)
	text, err := plainJSON(fields)
	return text, 0, err
}

// importedFields returns the fields that came with the messages of an imported conversation.
func importedFields(s *pact.Snapshot) (map[string]any, error) {
	root, err := s.Node(tree.Of(s).Root().Node().ID)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if rest, ok := root.Attrs[importedAttr].(map[string]any); ok {
		maps.Copy(fields, rest)
	}
	return fields, nil
}

// plainJSON encodes a value and leaves <, > and & as they are.
func plainJSON(v any) (json.RawMessage, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return json.RawMessage(strings.TrimSuffix(text.String(), "\n")), err
}
