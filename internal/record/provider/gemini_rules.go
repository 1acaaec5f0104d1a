package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

const (
	geminiReference  = "https://ai.google.dev/api/caching#Content"
	geminiCalls      = "https://ai.google.dev/gemini-api/docs/function-calling"
	geminiSignatures = "https://ai.google.dev/gemini-api/docs/thought-signatures"
)

// The models that refuse calls of the current turn without their signature.
var geminiSigned = []string{"gemini-3", "gemini-4"}

var geminiRules = []Rule{
	{Name: "required", Source: geminiReference, check: func(c *checker) { c.inList("contents") }},
	{Name: "roles", Source: geminiReference, check: func(c *checker) {
		c.roles("contents", false, "user", "model", "")
	}},
	{Name: "parts", Source: geminiReference, check: geminiParts},
	{Name: "pairs", Source: geminiCalls, check: geminiPairs},
	{Name: "call-order", Source: geminiCalls, check: geminiOrder},
	{Name: "signatures", Source: geminiSignatures, Models: geminiSigned, check: geminiSignature},
	{Name: "tool-names", Source: geminiReference, check: func(c *checker) {
		for i, tool := range c.root.Get("tools").Elems {
			list := memberIn(tool, "functionDeclarations", "function_declarations")
			var names []string
			for _, one := range list.Elems {
				names = append(names, one.Get("name").Text())
			}
			c.toolNames(at("tools", i)+".functionDeclarations", names, "_:.-", 128)
		}
	}},
}

// memberIn returns a member under one of its names.
func memberIn(v splice.Value, names ...string) splice.Value {
	for _, name := range names {
		if m := v.Get(name); m.Is() {
			return m
		}
	}
	return splice.Value{}
}

func geminiCall(part splice.Value) splice.Value {
	return memberIn(part, "functionCall", "function_call")
}

func geminiResponse(part splice.Value) splice.Value {
	return memberIn(part, "functionResponse", "function_response")
}

// geminiParts requires parts in each content, and data in each part.
func geminiParts(c *checker) {
	list := c.root.Get("contents")
	about := []string{"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata",
		"mediaResolution", "media_resolution", "partMetadata", "part_metadata"}
	for i, content := range list.Elems {
		parts := content.Get("parts")
		bare := 0
		for k, part := range parts.Elems {
			if part.Kind == canon.KindObject && !slices.ContainsFunc(part.Members, func(m splice.Member) bool {
				return !slices.Contains(about, m.Name)
			}) {
				bare++
				c.report(at(at("contents", i)+".parts", k), "the part has no data", "leave it out",
					func(e *splice.Edits) { e.Remove(parts, k) })
			}
		}
		if len(parts.Elems) == 0 || bare == len(parts.Elems) {
			c.report(at("contents", i), "the content has no part", "leave it out", mendUnlessLast(list, i))
		}
	}
}

// geminiPairs requires that a content with calls is followed by one with as many responses, of
// the same ids where the calls have some, and that there are no other responses.
func geminiPairs(c *checker) {
	list := c.root.Get("contents")
	var open openCalls // the calls of the content before
	for i := 0; i <= len(list.Elems); i++ {
		var content splice.Value
		if i < len(list.Elems) {
			content = list.Elems[i]
		}
		parts := content.Get("parts")
		var calls []splice.Value
		for k, part := range parts.Elems {
			if call := geminiCall(part); call.Is() {
				calls = append(calls, call)
			}
			response := geminiResponse(part)
			if !response.Is() {
				continue
			}
			if !open.answered(response) {
				c.report(at(at("contents", i)+".parts", k), "the response answers no call of the content before",
					"leave it out", func(e *splice.Edits) { e.Remove(parts, k) })
			}
		}
		var texts [][]byte
		for _, call := range open.left() {
			c.report(at("contents", i-1), "no response follows the call "+quoted(call.Get("name").Text()),
				"add a response to the next content", func(*splice.Edits) { texts = append(texts, noResponse(call)) })
		}
		switch {
		case len(texts) == 0:
		case len(parts.Elems) > 0 && content.Get("role").Text() != "model":
			c.edits.Insert(parts, 0, join(texts))
		default:
			c.edits.Insert(list, i, slices.Concat([]byte(`{"role":"user","parts":[`), join(texts), []byte("]}")))
		}
		open = openOf(calls)
	}
}

// openCalls are calls that wait for responses. A response is one to the first call with its id or, if one of the two has
// no id, with its name.
type openCalls struct {
	calls []splice.Value
	done  []bool
	by    map[[2]string][]int // their numbers, by id, by name, and by name those without an id
}

func openOf(calls []splice.Value) openCalls {
	o := openCalls{calls, make([]bool, len(calls)), map[[2]string][]int{}}
	for i, call := range calls {
		id, name := call.Get("id").Text(), call.Get("name").Text()
		keys := [][2]string{{"name", name}, {"id", id}}
		if id == "" {
			keys[1] = [2]string{"alone", name}
		}
		for _, key := range keys {
			o.by[key] = append(o.by[key], i)
		}
	}
	return o
}

// answered takes the first call that a response answers; false if there is none.
func (o *openCalls) answered(response splice.Value) bool {
	id, name := response.Get("id").Text(), response.Get("name").Text()
	keys := [][2]string{{"name", name}}
	if id != "" {
		keys = [][2]string{{"id", id}, {"alone", name}}
	}
	first := -1
	for _, key := range keys {
		list := o.by[key]
		for len(list) > 0 && o.done[list[0]] {
			list = list[1:]
		}
		if len(list) == 0 {
			continue
		}
		if o.by[key] = list; first < 0 || list[0] < first {
			first = list[0]
		}
	}
	if first >= 0 {
		o.done[first] = true
	}
	return first >= 0
}

// left returns the calls without a response.
func (o *openCalls) left() (calls []splice.Value) {
	for i, call := range o.calls {
		if !o.done[i] {
			calls = append(calls, call)
		}
	}
	return calls
}

func noResponse(call splice.Value) []byte {
	id := ""
	if of := call.Get("id"); of.Text() != "" {
		id = `"id":` + string(of.Raw) + ","
	}
	return []byte(`{"functionResponse":{` + id + `"name":` + quoted(call.Get("name").Text()) + `,"response":{"error":` +
		quoted(noResult) + `}}}`)
}

func join(texts [][]byte) []byte {
	var all []byte
	for i, text := range texts {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, text...)
	}
	return all
}

// geminiOrder requires that a content with calls follows one of the user.
func geminiOrder(c *checker) {
	list := c.root.Get("contents")
	stays, joined := 0, 0 // the first and the last joined of the contents of the model that follow one another
	for i, content := range list.Elems {
		if i == 0 || list.Elems[i-1].Get("role").Text() != "model" {
			stays, joined = i, i
		}
		if content.Get("role").Text() != "model" || !slices.ContainsFunc(content.Get("parts").Elems,
			func(part splice.Value) bool { return geminiCall(part).Is() }) {
			continue
		}
		if i == 0 {
			c.report(at("contents", i), "the first content makes calls", "begin with a content of the user",
				func(e *splice.Edits) {
					e.Insert(list, 0, []byte(`{"role":"user","parts":[{"text":"(what was said before was left out)"}]}`))
				})
		} else if stays < i {
			c.report(at("contents", i), "two contents of the model follow one another, and this one makes calls",
				"join the two", func(e *splice.Edits) { joinContents(e, list, stays, joined+1, i) })
			joined = i
		}
	}
}

// joinContents puts the parts of some contents, up to the last, into an earlier one.
func joinContents(e *splice.Edits, list splice.Value, into, from, last int) {
	all := list.Elems[into].Get("parts")
	for k := from; k <= last; k++ {
		for _, part := range list.Elems[k].Get("parts").Elems {
			e.Insert(all, len(all.Elems), part.Raw)
		}
		e.Remove(list, k)
	}
}

// unchecked is the signature that Google documents for calls that no model of its own made.
const unchecked = "skip_thought_signature_validator"

// geminiSignature requires a signature on the first call of each step of the current turn, which
// begins with the last content of the user that has more than responses.
func geminiSignature(c *checker) {
	if strings.Contains(c.model, "image") { // these models do not check
		return
	}
	contents := c.root.Get("contents").Elems
	begin := len(contents) - 1
	for ; begin >= 0; begin-- {
		if contents[begin].Get("role").Text() != "model" && slices.ContainsFunc(contents[begin].Get("parts").Elems,
			func(part splice.Value) bool { return !geminiResponse(part).Is() }) {
			break
		}
	}
	for i := begin + 1; i < len(contents); i++ {
		parts := contents[i].Get("parts").Elems
		k := slices.IndexFunc(parts, func(part splice.Value) bool { return geminiCall(part).Is() })
		if k < 0 || memberIn(parts[k], "thoughtSignature", "thought_signature").Text() != "" {
			continue
		}
		part := parts[k]
		mend := func(e *splice.Edits) {
			e.RemoveMember(part, "thoughtSignature")
			e.RemoveMember(part, "thought_signature")
			e.Insert(part, len(part.Members), []byte(`"thoughtSignature":`+strconv.Quote(unchecked)))
		}
		c.report(at(at("contents", i)+".parts", k), "the first call of a step lacks its thoughtSignature",
			"send the signature as it came; for a call that no Gemini model made, "+unchecked, mend)
	}
}
