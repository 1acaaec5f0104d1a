package record

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/transcript"
)

// importedAttr is the attribute of the root that has the other fields of an imported
// chat completion.
const importedAttr = "openai:conversation"

// ModelOf returns the model that an imported conversation names, "" for none: no attempt of it says which model
// answered. Cost: O(1).
func ModelOf(s *pact.Snapshot) string {
	model, _ := tree.Of(s).Root().Node().Header(importedAttr).Any().Get("model")
	return model.Text
}

// Thread writes the thread of a snapshot as the fields of a request: tools, system prompt
// and messages, in one JSON object. form is openai (chat completions), responses, anthropic
// or gemini, and need not be the API that was recorded. left counts what this API cannot
// express: blocks, such as thinking that another provider signed, and fields of imported
// messages that only their own API has.
//
// A context that no recorder made is read as the message list that [transcript.OpenAI]
// gives of it, with the tools that came with an imported conversation; [LeftOut] says what that leaves out.
//
// For the API that was recorded, [Request] returns the bytes that were sent.
// E_DOCUMENT_INVALID for an unknown form. Cost: that of the thread.
func Thread(ctx context.Context, s *pact.Snapshot, form string) (_ json.RawMessage, left int, err error) {
	to := provider.APINamed(form)
	if to == "" {
		return nil, 0, unknownForm(form)
	}
	said, err := partsOf(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	fields, left := said.render(to)
	return json.RawMessage(fields.Value()), left, nil
}

// LeftOut returns the calls and results that [Thread] and [WholeRequest] leave out of a thread, because a provider
// refuses one without the other ([transcript.LeftOut]). What a recorder wrote, or [AddRequest], was a request once:
// all of it is written, and [Check] says what its provider refuses.
func LeftOut(ctx context.Context, s *pact.Snapshot) ([]lifecycle.Orphan, error) {
	if Recorded(s) {
		return nil, nil
	}
	left, err := transcript.LeftOut(ctx, s)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	said, err := recordedParts(ctx, s)
	if err != nil || said.added() {
		return nil, err
	}
	return left, nil
}

func unknownForm(form string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, form, "no thread has this form",
		"it is openai, responses, anthropic or gemini")
}

// parts are the parts that the blocks of a thread are.
type parts struct {
	list  []provider.Part
	from  []provider.API // of each
	whole []*message     // of each: the message that begins there, if AddRequest read it and all its blocks are there
	goes  []bool         // of each: whether its block has a ttl
}

// message is a message as AddRequest read it.
type message struct {
	Parts int       // how many it has
	Frame canon.Any // what it has beside them
}

// partsOf returns the parts of a thread.
func partsOf(ctx context.Context, s *pact.Snapshot) (*parts, error) {
	said, err := recordedParts(ctx, s)
	if err != nil || Recorded(s) || said.added() {
		return said, err
	}
	return importedParts(ctx, s)
}

// added reports whether AddRequest made some of the blocks.
func (p *parts) added() bool {
	return slices.ContainsFunc(p.from, func(by provider.API) bool { return provider.FormOf(by) != "" })
}

// recordedParts returns the parts that the blocks of a recorder are, or of AddRequest. Other blocks between them
// are read as parts of a chat completion.
func recordedParts(ctx context.Context, s *pact.Snapshot) (*parts, error) {
	said, ctx := &parts{}, tree.Asking(ctx, tree.AskerOf(s))
	var open *message // the message whose blocks come
	var first string  // its first block
	at := 0           // which part that is
	for b, err := range tree.Of(s).Blocks(0) {
		if err != nil {
			return nil, err
		}
		n, region := b.Node(), b.Region
		content, err := contentOf(ctx, n)
		if err != nil {
			return nil, err
		}
		p := partIn(n, region)
		p.Content = content.Any()
		by, _ := n.Header("provenance").Text()
		if provider.FormOf(provider.API(by)) == "" && p.Section == provider.System {
			p.Kind = "text" // somebody added it, of whatever kind
		}
		if provider.FormOf(provider.API(by)) == "" && p.Section == provider.Conversation &&
			!slices.Contains([]string{"call", "result", "image", "thinking"}, n.Kind) { // somebody added a text, as [transcript.OpenAI] has it
			p.Kind, p.Role = "text", n.RoleIn(region)
			if p.Content.Kind != canon.KindString {
				p.Content = canon.Text(string(content))
			}
		}
		k := len(said.list)
		if m := framed(n); m != nil {
			open, first, at = m, n.ID, k
		} else if open != nil && n.Header(attrPart) != partOf(k-at, first) {
			open = nil
		}
		said.list, said.from = append(said.list, p), append(said.from, provider.API(by))
		said.whole, said.goes = append(said.whole, nil), append(said.goes, n.Expiry != tree.Never)
		if open != nil && k-at+1 == open.Parts {
			said.whole[at], open = open, nil
		}
	}
	return said, nil
}

// partIn returns the part that a block of a region is, without its content.
func partIn(n *tree.Node, region tree.Class) provider.Part {
	p := provider.Part{Section: provider.Conversation, Kind: n.Kind, Role: n.Role, Failed: n.Has(attrFailed)}
	if region == tree.Sys && n.Kind == "tool" {
		p.Section = provider.Tools
	} else if region == tree.Sys {
		p.Section = provider.System
	}
	p.Call, _ = n.Header(attrCall).Text()
	p.Name, _ = n.Header(attrName).Text()
	return p
}

// framed returns the message of which a block is the first, nil if it is none.
func framed(n *tree.Node) *message {
	v := n.Header(attrFrame)
	if v == "" || v.Kind() != canon.KindObject {
		return nil
	}
	count, _ := v.Any().Get("parts")
	frame, _ := v.Any().Get("frame")
	parts, err := strconv.Atoi(count.Text)
	if err != nil || parts < 1 {
		return nil
	}
	return &message{parts, frame}
}

// partOf is the attribute of a block that is not the first of its message.
func partOf(number int, first string) canon.Value {
	return canon.ArrayOf(canon.Number(int64(number)), canon.Text(first)).Value()
}

// render writes the fields of a request to an API: whole messages of that API as they were read, all else by the
// table of the API.
func (p *parts) render(to provider.API) (fields canon.Any, left int) {
	fields, left, _ = p.renderUntil(to, len(p.list))
	return fields, left
}

// renderUntil does so, and returns how many messages the parts before one make.
func (p *parts) renderUntil(to provider.API, until int) (fields canon.Any, left, messages int) {
	first := 0 // the first part of the conversation
	for first < len(p.list) && p.list[first].Section != provider.Conversation && (p.whole[first] == nil || p.from[first] != to) {
		first++
	}
	by := func(from int) func(i int) provider.API { return func(i int) provider.API { return p.from[from+i] } }
	fields, left = provider.Render(to, p.list[:first], by(0))
	name := provider.ListOf(to)
	list, _ := fields.Get(name)
	said := list.Elems
	messages = len(said)
	run := first // the first part that is not written yet
	write := func(end int) {
		some, lost := provider.Render(to, p.list[run:end], by(run))
		more, _ := some.Get(name)
		said, left, run = append(said, more.Elems...), left+lost, end
	}
	for i := first; i < len(p.list); {
		m := p.whole[i]
		if m == nil || p.from[i] != to {
			i++
			continue
		}
		write(i)
		contents := make([]canon.Any, m.Parts)
		for k := range contents {
			contents[k] = p.list[i+k].Content
		}
		joined, err := provider.Fill(m.Frame, contents)
		if err != nil { // a content was changed into another type: the table writes it
			i += m.Parts
			continue
		}
		said, i, run = append(said, joined), i+m.Parts, i+m.Parts
		if i <= until {
			messages = len(said)
		}
	}
	write(len(p.list))
	return fields.With(name, canon.ArrayOf(said...)), left, messages
}

// importedParts returns the parts of a context that no recorder made, as those of a chat
// completion.
func importedParts(ctx context.Context, s *pact.Snapshot) (*parts, error) {
	text, err := transcript.OpenAI(ctx, s)
	if err != nil {
		return nil, err
	}
	messages, err := canon.ParseAny(text)
	if err != nil {
		return nil, err
	}
	members := []canon.Member{{Name: "messages", Value: messages}}
	imported := tree.Of(s).Root().Node().Header(importedAttr)
	if tools, ok := imported.Any().Get("tools"); imported.Kind() == canon.KindObject && ok {
		members = append(members, canon.Member{Name: "tools", Value: tools})
	}
	r, _ := provider.ReadRequest(provider.Chat, canon.Object(members...)) // the body is an object
	if err := markFailed(tree.Of(s), r.Parts); err != nil {
		return nil, err
	}
	n := len(r.Parts)
	return &parts{r.Parts, slices.Repeat([]provider.API{provider.Chat}, n), make([]*message, n), make([]bool, n)}, nil
}

// markFailed marks the results of failed calls, for which a message of a chat completion has no mark.
func markFailed(t *tree.Tree, list []provider.Part) error {
	marks := map[string][]bool{} // of the results of each call
	for b, err := range t.Blocks(0) {
		if err != nil {
			return err
		}
		if n := b.Node(); n.Kind == toolcall.Result || n.RoleIn(b.Region) == "tool" {
			id, err := toolcall.ID(t, n, toolcall.Result)
			if err != nil {
				return err
			}
			marks[id] = append(marks[id], n.Has(attrFailed))
		}
	}
	for i := range list {
		if p := &list[i]; p.Kind == toolcall.Result && len(marks[p.Call]) > 0 {
			p.Failed, marks[p.Call] = p.Failed || marks[p.Call][0], marks[p.Call][1:]
		}
	}
	return nil
}

// Recorded reports whether a recorder made the context of a snapshot.
func Recorded(s *pact.Snapshot) bool { return tree.Of(s).Root().Node().Has(attrContext) }
