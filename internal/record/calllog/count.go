package calllog

import (
	"maps"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/sums"
)

// eachRecord counts the values of a list that stands in one entry, each as a record.
func eachRecord(e record, list raw, b *sums.Book, count func(f fields)) {
	for i, m := range e.under(list) {
		if i > 0 {
			b.Record(m.line)
		}
		count(m.fields())
	}
}

// countOpencode counts an exported session of opencode.
func countOpencode(e record, b *sums.Book) {
	eachRecord(e, e.fields()["messages"], b, func(f fields) {
		var said []canon.Any
		for _, r := range f["parts"].elems() {
			p := r.fields()
			switch kind := p.text("type"); {
			case kind == "text" && !p["ignored"].isTrue(), kind == "reasoning":
				said = append(said, p["text"].value())
			case kind == "tool":
				state := p["state"].fields()
				said = append(said, canon.Fields("name", p["tool"].value(), "input", state["input"].value()))
				b.Call(p.text("callID"))
				if status := state.text("status"); status == "completed" || status == "error" {
					said = append(said, state["output"].value(), state["error"].value())
					b.Result(p.text("callID"))
				}
			case kind != "file" && kind != "compaction":
				b.Note(kind)
			}
		}
		b.Message(canon.ArrayOf(said...))
		info := f["info"].fields()
		if tokens := info["tokens"].fields(); tokens != nil && len(f["parts"].elems()) > 0 {
			b.Tokens(info.text("id"), opencodeUsage(tokens))
		}
		if cost := info["cost"]; !cost.empty() {
			b.Money(string(cost.value().Text))
		}
	})
}

// countContent counts a content of Gemini.
func countContent(e record, b *sums.Book) { b.Message(e.value()) }

// countItem counts an item of OpenAI's Responses, or an object that holds a list of them.
func countItem(e record, b *sums.Book) {
	if list := e.fields()["items"]; list.kind() == canon.KindArray {
		for i, item := range e.under(list) {
			if i > 0 {
				b.Record(item.line)
			}
			b.Message(item.value())
		}
		return
	}
	b.Message(e.value())
}

// countSpan counts a span of the OpenAI Agents SDK.
func countSpan(e record, b *sums.Book) {
	span := e.fields()["span_data"].fields()
	if span.text("type") != "generation" || span["input"].kind() != canon.KindArray {
		b.Note("span without messages")
		return
	}
	for _, m := range append(span["input"].elems(), span["output"].elems()...) {
		b.Message(m.value())
	}
	if counts := span["usage"].fields(); counts != nil && len(span["output"].elems()) > 0 {
		b.Tokens(e.fields().text("id"), usage(counts, "input_tokens prompt_tokens", "output_tokens completion_tokens",
			"input_tokens_details.cached_tokens", "", ""))
	}
}

// countLangChain counts a message of LangChain, or a value that holds a list of them.
func countLangChain(e record, b *sums.Book) {
	list := []raw{e.raw()}
	if role, _ := langChainMessage(e.raw()); role == "" {
		list = langChainList(e.raw())
	}
	for i, m := range list {
		if i > 0 {
			b.Record(e.line)
		}
		role, f := langChainMessage(m)
		if role == "" {
			continue
		}
		thought, _ := f["additional_kwargs"].fields().first("reasoning_content", "reasoning")
		b.Message(canon.Fields("content", f["content"].value(), "tool_calls", f["tool_calls"].value(), "thought", thought.value()),
			"base64", "data", "mime_type", "source_type", "error")
		if role == "tool" {
			b.Result(f.text("tool_call_id"))
		}
		if counts := f["usage_metadata"].fields(); counts != nil {
			b.Tokens("", usage(counts, "input_tokens", "output_tokens", "input_token_details.cache_read",
				"input_token_details.cache_creation", ""))
		}
	}
}

// countChatGPT counts a conversation of ChatGPT's export. Its results name no call.
func countChatGPT(e record, b *sums.Book) {
	nodes := e.fields()["mapping"].fields()
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		f := nodes[id].fields()["message"].fields()
		role, content := f["author"].fields().text("role"), f["content"].fields()
		if f == nil || role == "" {
			continue
		}
		said := content["text"].value()
		if kind := content.text("content_type"); kind == "text" || kind == "multimodal_text" {
			said = content["parts"].value()
		} else if said.Kind == canon.KindAbsent {
			b.Note(kind)
			continue
		}
		if texts := listOf(content["parts"]); role == "tool" && len(texts) > 1 {
			said = canon.Any{} // they are joined
		}
		b.Message(said, "content_type", "metadata")
		if to := f.text("recipient"); role == "assistant" && to != "" && to != "all" && said.Kind != canon.KindAbsent {
			b.Call(id)
		} else if role == "tool" {
			b.Unnamed(1)
		}
	}
}
