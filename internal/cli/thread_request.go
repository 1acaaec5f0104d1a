package cli

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// fieldsOf returns the thread of a snapshot as fields of a request and, with
// --request, the other fields too.
func (a *app) fieldsOf(ctx context.Context, s *source, snapshot *pact.Snapshot, f *threadFlags) (json.RawMessage, int,
	error) {
	if !record.Recorded(snapshot) && *f.as == "openai" {
		fields, err := importedRequest(ctx, snapshot)
		return fields, 0, err
	}
	thread, left, err := record.Thread(ctx, snapshot, *f.as)
	if err != nil || !*f.request {
		return thread, left, err
	}
	if !record.Recorded(snapshot) {
		fields := map[string]json.RawMessage{}
		if model, ok := importedFields(snapshot)["model"].(string); ok && *f.as != "gemini" { // its path names the model
			if fields["model"], err = json.Marshal(model); err != nil {
				return nil, 0, err
			}
		}
		return merged(fields, thread, left)
	}
	c, err := s.history(ctx)
	if err != nil {
		return nil, 0, err
	}
	sent, err := record.Request(ctx, c, snapshot.Cycle())
	if err != nil {
		return nil, 0, err
	}
	fields := map[string]json.RawMessage{}
	if formOf(sent.Path) == *f.as { // its parameters mean the same there
		if err := json.Unmarshal(sent.Bytes, &fields); err != nil {
			return nil, 0, fault.Wrap(fault.Conflict, err, "the recorded request is not a JSON object",
				"--verbatim prints its bytes")
		}
	}
	for _, name := range []string{"tools", "system", "instructions", "input", "messages", "contents",
		"systemInstruction", "system_instruction"} {
		delete(fields, name)
	}
	if *f.as != "gemini" { // Gemini's path names the model
		if fields["model"], err = json.Marshal(sent.Attempt.Model); err != nil {
			return nil, 0, err
		}
	}
	return merged(fields, thread, left)
}

// merged adds the members of an object to fields, in the order of their names.
func merged(fields map[string]json.RawMessage, thread json.RawMessage, left int) (json.RawMessage, int, error) {
	more := map[string]json.RawMessage{}
	if err := json.Unmarshal(thread, &more); err != nil {
		return nil, 0, err
	}
	maps.Copy(fields, more)
	text, err := plainJSON(fields)
	return text, left, err
}

// importedRequest returns the messages of an imported conversation together with
// the other fields of the request that it was.
func importedRequest(ctx context.Context, snapshot *pact.Snapshot) (json.RawMessage, error) {
	messages, err := transcript.OpenAI(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	fields := importedFields(snapshot)
	fields["messages"] = json.RawMessage(messages)
	return plainJSON(fields)
}

// importedFields returns the fields that came with the messages of an imported
// conversation.
func importedFields(snapshot *pact.Snapshot) map[string]any {
	fields := map[string]any{}
	if root, err := snapshot.Node(snapshot.Tree().Root().Node().ID); err == nil { // the root is always there
		if rest, ok := root.Attrs["openai:conversation"].(map[string]any); ok {
			maps.Copy(fields, rest)
		}
	}
	return fields
}

// plainJSON encodes a value and leaves <, > and & as they are.
func plainJSON(v any) (json.RawMessage, error) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return json.RawMessage(strings.TrimSuffix(text.String(), "\n")), err
}

// formOf returns the form of the API that a path belongs to, "" for another.
func formOf(path string) string {
	for part, form := range map[string]string{"/chat/completions": "openai", "/responses": "responses",
		"/messages": "anthropic", ":generateContent": "gemini", ":streamGenerateContent": "gemini"} {
		if strings.HasSuffix(path, part) {
			return form
		}
	}
	return ""
}
