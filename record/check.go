package record

import (
	"net/http"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
)

// CheckRequest is a request of which [Check] says whether its provider takes it.
type CheckRequest struct {
	Form  string // openai (chat completions), responses, anthropic or gemini; "" lets Path and Body decide
	Path  string // of the URL; "" if it is not known
	Model string // "" for the one that the body names, or the path
	Body  []byte
	After []byte // the body of the request before it in the same conversation, nil for none
}

// Problem is a place where a request breaks a rule that its provider documents.
type Problem struct {
	Place   string `json:"place"` // such as messages[3].content[1]; "" for the whole request
	Rule    string `json:"rule"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy"`
	Mends   bool   `json:"mends"`  // [Mend] carries the remedy out
	Source  string `json:"source"` // the page with the rule
	Read    string `json:"read"`   // the day on which the page was last read, as 2026-11-25
}

// Check finds where a request breaks a rule that its provider documents: pairs of calls and
// results, order, roles, signatures and prefixes of thinking, cache markers, empty texts,
// limits. The tables of the four APIs leave out what no page documents. An empty list is no
// promise that the provider takes the request.
//
// E_DOCUMENT_INVALID for an unknown form, and for a body that is no JSON object or has two
// members of one name. Cost: linear in the body.
func Check(q *CheckRequest) (form string, problems []Problem, err error) {
	asked, form, err := q.checkRequest()
	if err != nil {
		return "", nil, err
	}
	found, err := provider.Check(asked)
	return form, problemsOf(found), err
}

// Mend returns the body without the problems whose remedy needs no decision, and those
// problems. It changes only the bytes that a remedy concerns: numbers, names and the order
// of members stay as they are written. Errors and cost are those of Check.
func Mend(q *CheckRequest) (body []byte, mended []Problem, err error) {
	asked, _, err := q.checkRequest()
	if err != nil {
		return nil, nil, err
	}
	body, found, err := provider.Mend(asked)
	return body, problemsOf(found), err
}

func problemsOf(found []provider.Finding) []Problem {
	problems := make([]Problem, len(found))
	for i := range found {
		problems[i] = Problem(found[i])
	}
	return problems
}

// checkRequest completes a question.
func (q *CheckRequest) checkRequest() (_ *provider.CheckRequest, form string, err error) {
	name := provider.APINamed(q.Form)
	switch {
	case q.Form != "" && name == "":
		return nil, "", fault.At(fault.DocumentInvalid, fault.NoOffset, q.Form, "no request has this form",
			"it is openai, responses, anthropic or gemini")
	case name == "":
		name = provider.APIOf(http.MethodPost, q.Path)
	}
	if name == "" {
		if name = provider.APIOfBody(q.Body); name == "" {
			return nil, "", fault.New(fault.DocumentInvalid, "unknown API", "name its form")
		}
	}
	model := q.Model
	if model == "" && q.Path != "" {
		model = provider.ModelInPath(q.Path)
	}
	return &provider.CheckRequest{API: name, Model: model, Body: q.Body, After: q.After}, provider.FormOf(name), nil
}
