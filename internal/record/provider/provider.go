package provider

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// API names an API of a provider.
type API string

// The APIs that this package reads.
const (
	Chat      API = "openai.chat"
	Responses API = "openai.responses"
	Messages  API = "anthropic.messages"
	Gemini    API = "gemini.generate"
)

// table lists the APIs. A new one is an entry here.
var table = []*entry{anthropic, chat, responses, gemini}

// entry says all about one API.
type entry struct {
	api    API
	form   string                    // the word of users for a thread that is written for the API
	serves func(path string) bool    // whether a POST request to the path is one of this API
	path   func(model string) string // to which a client sends a request
	// parts lists the fields of a body that hold parts, in the order in which the provider puts
	// them in front of the model. Anthropic documents this order (tools, system, messages); the
	// others are assumed to use the same.
	parts     []field
	stored    []string                              // fields of a body that refer to what the provider stores
	edits     []string                              // fields that allow the provider to change what it was sent
	said      func(c *partReader, answer canon.Any) // cuts out the parts of an answer
	writer    writer
	newAnswer func() answerReader
	body      func(a *Answer) canon.Any // writes a whole answer, as newAnswer reads it
	ending    ending
	cache     *CacheRules
	clears    *Clearing // nil if it clears nothing
	// asks writes the member of a body that asks why the provider did not read all of its cache, given the
	// id of the answer before, "" without one; "" where the body has it or the model takes no question. nil
	// if the API has no such member.
	asks func(r *Request, previous string) string
}

// unknown stands for the APIs that are not in the table: their requests have no parts.
var unknown = &entry{path: fixedPath("/"), said: func(*partReader, canon.Any) {}, writer: chatWriter{},
	newAnswer: func() answerReader { return &geminiAnswer{} }, body: geminiBody, cache: &CacheRules{Name: "other", NoCache: true}}

func entryOf(name API) *entry {
	if at := slices.IndexFunc(table, func(e *entry) bool { return e.api == name }); at >= 0 {
		return table[at]
	}
	return unknown
}

// APIOf says which API a request is for, by its method and the path of its URL,
// with or without a version or another prefix. It returns "" for every other
// request, such as probes, token counts, files and batches. A request that [Compacts] is one of Responses.
func APIOf(method, path string) API {
	path = strings.TrimSuffix(path, "/")
	for _, e := range table {
		if method == "POST" && e.serves(path) {
			return e.api
		}
	}
	return ""
}

// APINamed returns the API that users know by the name of a form, such as openai; "" if there is none.
func APINamed(form string) API {
	if at := slices.IndexFunc(table, func(e *entry) bool { return e.form == form }); at >= 0 {
		return table[at].api
	}
	return ""
}

// FormOf returns the word of users for a request to an API.
func FormOf(name API) string { return entryOf(name).form }

// PathOf returns the path to which a client of the API sends a request for a model.
func PathOf(name API, model string) string { return entryOf(name).path(model) }

func fixedPath(path string) func(string) string { return func(string) string { return path } }

// FieldsOf returns the names of the fields of a body that refer to what the provider stores, and of those
// that allow it to change what it was sent.
func FieldsOf(name API) (stored, edits []string) { return entryOf(name).stored, entryOf(name).edits }

// ListOf returns the name of the field of a body that holds the conversation, "" for an unknown API.
func ListOf(name API) string {
	parts := entryOf(name).parts
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1].name
}

// AsksAboutCache reports whether a request to the API can ask the provider about its cache.
func AsksAboutCache(name API) bool { return entryOf(name).asks != nil }

// QuestionAboutCache returns the JSON member that asks why the provider did not read all of its cache, ""
// for none. previous is the id of the answer to the call before, "" for none.
func (r *Request) QuestionAboutCache(previous string) string { return entryOf(r.API).asks(r, previous) }

// ModelInPath returns the model that the path of a request names, as Gemini's and
// Bedrock's do (/model/MODEL/invoke), "" if it names none.
func ModelInPath(path string) string {
	if _, rest, found := strings.Cut(path, "/model/"); found {
		if model, operation, found := strings.Cut(rest, "/"); found && strings.HasPrefix(operation, "invoke") {
			return model
		}
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if model, _, found := strings.Cut(last, ":"); found {
		return model
	}
	return ""
}

// allCacheRules returns the rules in the order of listings.
func allCacheRules() (list []*CacheRules) {
	for _, e := range table {
		list = append(list, e.cache)
	}
	return append(list, unknown.cache)
}

// CacheRulesNames returns the names of all rules.
func CacheRulesNames() (names []string) {
	for _, rules := range allCacheRules() {
		names = append(names, rules.Name)
	}
	return names
}

// CacheRulesNamed returns the rules with a name, nil if there are none.
func CacheRulesNamed(name string) *CacheRules {
	all := allCacheRules()
	if at := slices.IndexFunc(all, func(rules *CacheRules) bool { return rules.Name == name }); at >= 0 {
		return all[at]
	}
	return nil
}

// CacheRulesOf returns the rules of a recorded API.
func CacheRulesOf(name API) *CacheRules { return entryOf(name).cache }
