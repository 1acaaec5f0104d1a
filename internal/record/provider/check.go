package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// Rule is something that a provider requires of a request.
type Rule struct {
	Name   string
	Source string   // the page that says so
	Models []string // beginnings of the names of the models that it holds for; none for all
	check  func(c *checker)
}

// rulesRead is the day on which the sources of the rules were last read.
const rulesRead = "2026-11-25"

// Finding is a place where a request breaks a rule of its provider.
type Finding struct {
	Place   string // such as messages[3].content[1]; "" for the whole request
	Rule    string
	Problem string
	Remedy  string
	Mends   bool   // Mend carries the remedy out
	Source  string // the page with the rule
	Read    string // the day on which the page was last read
}

// CheckRequest is a request to check.
type CheckRequest struct {
	API   API
	Model string // "" for the one that the body names
	Body  []byte
	After []byte // the body of the request before in the same conversation, nil for none
}

// checker looks through one request for one rule after the other.
type checker struct {
	*CheckRequest
	model string
	root  splice.Value
	rule  *Rule
	found []Finding
	edits splice.Edits // what mends the findings of the rule
}

// report adds a finding. mend collects the edits that mend it; nil if a caller has to decide.
func (c *checker) report(place, problem, remedy string, mend func(e *splice.Edits)) {
	c.found = append(c.found, Finding{place, c.rule.Name, problem, remedy, mend != nil, c.rule.Source, rulesRead})
	if mend != nil {
		mend(&c.edits)
	}
}

func newChecker(q *CheckRequest) (*checker, error) {
	root, ok := splice.Parse(q.Body)
	if !ok || root.Kind != canon.KindObject {
		return nil, fault.New(fault.DocumentInvalid, "the request is no JSON object, or has two members of one name",
			"give the body of a request as it is sent")
	}
	c := &checker{CheckRequest: q, root: root, model: q.Model}
	if c.model == "" {
		c.model = root.Get("model").Text()
	}
	return c, nil
}

// run applies one rule, if it holds for the model.
func (c *checker) run(r *Rule) {
	if c.rule = r; len(r.Models) == 0 || matchesModel(c.model, r.Models) {
		r.check(c)
	}
}

// rulesOf holds what the provider of each API requires of requests.
var rulesOf = map[API][]Rule{Messages: append(anthropicRules, textRule), Chat: append(chatRules, textRule),
	Responses: append(responsesRules, textRule), Gemini: append(geminiRules, textRule)}

// Check finds where a request breaks a rule that its provider documents. It may miss what no
// page documents. E_DOCUMENT_INVALID if the body is no JSON object or has two members of one
// name. Cost: linear in the body.
func Check(q *CheckRequest) ([]Finding, error) {
	c, err := newChecker(q)
	if err != nil {
		return nil, err
	}
	rules := rulesOf[q.API]
	for i := range rules {
		c.run(&rules[i])
	}
	return c.found, nil
}

// mostPasses bounds the passes of Mend over the rules: one remedy may make another necessary.
const mostPasses = 16

// Mend changes the body where a remedy needs no decision, and leaves every other byte as it
// is. It returns the findings that it mended, in the order in which it did. Errors are those
// of Check. Cost: that of a few checks.
func Mend(q *CheckRequest) (body []byte, mended []Finding, err error) {
	now := *q
	rules := rulesOf[q.API]
	for range mostPasses {
		before := len(mended)
		for i := range rules {
			c, err := newChecker(&now)
			if err != nil {
				return nil, nil, err
			}
			c.run(&rules[i])
			if c.edits.Empty() {
				continue
			}
			for _, f := range c.found {
				if f.Mends {
					mended = append(mended, f)
				}
			}
			now.Body = c.edits.Apply(now.Body)
		}
		if len(mended) == before {
			break
		}
	}
	return now.Body, mended, nil
}

// at names an element of a list.
func at(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// quoted returns a text as JSON.
func quoted(text string) string { return string(canon.Text(text).Value()) }

// named reports whether a name has 1 to most letters, digits or characters of more.
func named(name, more string, most int) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		word := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !word && strings.IndexByte(more, c) < 0 {
			return false
		}
	}
	return name != "" && len(name) <= most
}

// inList reports a missing or empty list of the conversation.
func (c *checker) inList(name string) {
	if list := c.root.Get(name); list.Kind != canon.KindArray || len(list.Elems) == 0 {
		c.report(name, "the request has no list of "+name+", or an empty one", "send at least one", nil)
	}
}

// roles reports messages of a list with a role that is none of these; one without a role is reported if all need one.
func (c *checker) roles(list string, all bool, known ...string) {
	for i, m := range c.root.Get(list).Elems {
		if role := m.Get("role"); (all || role.Is()) && !slices.Contains(known, role.Text()) {
			c.report(at(list, i), "the role "+quoted(role.Text())+" is none of this API", "send it as "+known[0]+" or "+known[1], nil)
		}
	}
}

// names returns a member of each element of a list, "" for none.
func (c *checker) names(list string, path ...string) (names []string) {
	for _, one := range c.root.Get(list).Elems {
		names = append(names, one.Get(path...).Text())
	}
	return names
}

// members reports members that a request must have.
func (c *checker) members(names ...string) {
	for _, name := range names {
		if v := c.root.Get(name); (!v.Is() || v.Kind == canon.KindNull) && (name != "model" || c.Model == "") {
			c.report(name, "the request lacks "+name, "add it", nil)
		}
	}
}

// toolNames reports names of tools that the provider refuses, and names that come twice.
func (c *checker) toolNames(place string, names []string, more string, most int) {
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			continue // a tool of the provider
		}
		if !named(name, more, most) {
			c.report(at(place, i), "the name of the tool "+quoted(name)+" is too long or has other characters",
				"rename the tool to at most "+strconv.Itoa(most)+" letters, digits and characters of "+more, nil)
		}
		if seen[name] {
			c.report(at(place, i), "two tools have the name "+quoted(name), "rename one", nil)
		}
		seen[name] = true
	}
}

// metadata reports metadata beyond OpenAI's limits.
func (c *checker) metadata() {
	list := c.root.Get("metadata")
	if len(list.Members) > 16 {
		c.report("metadata", "metadata has more than 16 members", "send fewer", nil)
	}
	for _, m := range list.Members {
		if len([]rune(m.Name)) > 64 || len([]rune(m.Value.Text())) > 512 {
			c.report("metadata."+m.Name, "a name of more than 64 or a value of more than 512 characters", "shorten it", nil)
		}
	}
}

// APIOfBody guesses the API that a body is a request to; "" if it has no conversation. Chat
// completions and Anthropic's messages share names: what only one of the two has decides.
func APIOfBody(body []byte) API {
	root, _ := splice.Parse(body)
	messages := root.Get("messages")
	switch {
	case root.Get("contents").Is():
		return Gemini
	case root.Get("input").Is():
		return Responses
	case !messages.Is():
		return ""
	}
	only := root.Get("system").Is() || root.Get("thinking").Is() || root.Get("anthropic_version").Is()
	for _, m := range messages.Elems {
		for _, block := range m.Get("content").Elems {
			switch block.Get("type").Text() {
			case "tool_use", "tool_result", "thinking", "redacted_thinking":
				only = true
			}
		}
	}
	for _, tool := range root.Get("tools").Elems {
		only = only || tool.Get("input_schema").Is()
	}
	if only || matchesModel(root.Get("model").Text(), []string{"claude"}) {
		return Messages
	}
	return Chat
}
