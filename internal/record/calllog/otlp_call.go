package calllog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// call makes the call that a span tells of. It is false without a message. lacks says which parts the request lacks.
func (s *span) call(found *findings) (c Call, lacks []string, ok bool) {
	model := cmp.Or(s.text("gen_ai.request.model", "llm.request.model_name", "llm.model_name", "gen_ai.response.model"),
		unknownModel)
	api := apiFor(s.text("gen_ai.provider.name", "gen_ai.system", "llm.system", "llm.provider"), model)
	said := s.messages(api, found)
	talk := spoken{texts: found.texts, api: api, model: model, tools: canon.ArrayOf(s.tools()...), turns: said.sent}
	talk.turns = append(talk.turns, said.answer)
	answer := &talk.turns[len(talk.turns)-1]
	answer.role, answer.began, answer.at, answer.line, answer.id = "assistant", s.start, s.end, s.line, s.id
	answer.answer = provider.Answer{ID: s.text("gen_ai.response.id"), Finish: said.finish, Usage: s.usage(),
		Model: cmp.Or(s.text("gen_ai.response.model", "llm.response.model_name"), model)}
	if len(answer.parts) == 0 {
		answer.answer.Failure = s.failure
	}
	if len(said.sent) == 0 && (len(answer.parts) == 0 || said.system) {
		return c, nil, false
	}
	s.unasked = len(said.sent) == 0
	for i := range said.sent {
		said.sent[i].copied = said.sent[i].role == "assistant"
	}
	made := talk.session()
	c = made.Calls[len(made.Calls)-1]
	if _, names := c.Request.Get("model"); names { // that was asked for: another one may have answered
		c.Request = c.Request.With("model", canon.Text(model))
	}
	c.Path = provider.PathOf(talk.api, model)
	c.Request = canon.Object(append(c.Request.Members, s.parameters(talk.api, c.Request)...)...)
	c.attr("trace_id", canon.Text(s.trace))
	c.attr("name", canon.Text(s.name))
	for _, name := range []string{"llm.cost.total", "gen_ai.usage.cost", "gen_ai.cost.total_cost", "operation.cost"} {
		if c.attribute(costAttr).Kind == canon.KindAbsent {
			c.price(s.attributes[name])
		}
	}
	if len(answer.parts) == 0 && s.failure == "" {
		c.answered, c.Status = text{}, 0 // nobody wrote it down
	}
	if s.failure != "" {
		c.Status = 0
	}
	lacks = lacking(said.system, len(talk.tools.Elems) > 0)
	return c, append(lacks[:len(lacks)-1], lacksForm), true
}

// usage reads the tokens of a call. The conventions have the input include what the cache gave and took; programs that
// count it apart are known by a cache that is more than the input.
func (s *span) usage() provider.Usage {
	u := provider.Usage{In: s.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
		Out: s.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
		Cached: s.count("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
			"gen_ai.usage.details.cache_read_tokens", "gen_ai.usage.input_tokens.cached",
			"llm.token_count.prompt_details.cache_read"),
		Written: s.count("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
			"gen_ai.usage.cache_write.input_tokens",
			"gen_ai.usage.details.cache_write_tokens", "llm.token_count.prompt_details.cache_write"),
		Reasoning: s.count("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens",
			"gen_ai.usage.details.reasoning_tokens", "llm.token_count.completion_details.reasoning")}
	if cache := sum(u.Cached, u.Written); u.In != nil && cache != nil && *cache > *u.In {
		return withCached(u)
	}
	return u
}

// parameters returns the parameters that a span says the request had, as members of the request.
func (s *span) parameters(api provider.API, request canon.Any) (members []canon.Member) {
	told := map[string]canon.Any{} // by the names that the API has
	own := func(name string) string { return name }
	if api == provider.Gemini {
		own = strings.NewReplacer("max_tokens", "maxOutputTokens", "top_p", "topP", "top_k", "topK",
			"stop_sequences", "stopSequences").Replace
	}
	for _, m := range s.json("llm.invocation_parameters").Members { // sorted: of two names for one the API's counts
		if _, is := told[own(m.Name)]; !is || own(m.Name) == m.Name {
			told[own(m.Name)] = m.Value
		}
	}
	for _, name := range []string{"max_tokens", "temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty",
		"stop_sequences", "seed", "reasoning_effort"} {
		if v := s.attributes["gen_ai.request."+name]; v.Kind != canon.KindAbsent {
			told[own(name)] = v
		}
	}
	var list []canon.Member
	for _, name := range slices.Sorted(maps.Keys(told)) {
		v := told[name]
		if _, has := request.Get(name); !has && v.Kind != canon.KindNull && v.Kind != canon.KindAbsent {
			list = append(list, canon.Member{Name: name, Value: v})
		}
	}
	if len(list) == 0 {
		return nil
	}
	if api == provider.Gemini {
		return []canon.Member{{Name: "generationConfig", Value: objectOf(list)}}
	}
	return objectOf(list).Members
}

// tools returns the definitions of tools that a span has.
func (s *span) tools() []canon.Any {
	if list := s.json("gen_ai.tool.definitions", "gen_ai.request.tools"); list.Kind == canon.KindArray {
		return each(list.Elems)
	}
	var tools []canon.Any
	for _, v := range s.below("llm.tools").Elems {
		tool, _ := v.Get("tool")
		schema, is := tool.Get("json_schema")
		if !is {
			schema = v
		}
		tools = append(tools, written(schema))
	}
	for _, v := range s.below("llm.request.functions").Elems {
		members := slices.Clone(v.Members)
		for i := range members {
			if members[i].Name == "parameters" || members[i].Name == "input_schema" {
				members[i].Value = written(members[i].Value)
			}
		}
		tools = append(tools, canon.Object(members...))
	}
	return tools
}

// each returns the values that texts of a list write.
func each(list []canon.Any) []canon.Any {
	all := make([]canon.Any, len(list))
	for i, v := range list {
		all[i] = written(v)
	}
	return all
}
