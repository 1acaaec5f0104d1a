package server

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// publishedFailure is the answer to a request that failed, in the words of edition 1.0: the requests
// about its contexts get it, and those that ask in it.
//
// Specification: 1.0 04 §11.
type publishedFailure struct {
	Error publishedError `json:"error"`
}

type publishedError struct {
	Code    string           `json:"code" doc:"INVALID_SELECTOR, INVALID_PLACEMENT, DUPLICATE_CONTAINER, NOT_AUTHORIZED, PARENT_ID_MISSING, CONFLICTING_UPDATE, INTERNAL_ERROR, or else the reason"`
	Message string           `json:"message" doc:"What is wrong"`
	Details publishedDetails `json:"details"`
}

type publishedDetails struct {
	Reason    string    `json:"reason" doc:"The code that says it exactly: one of docs/errors.md, or one of HTTP in docs/server.md"`
	Remedy    string    `json:"remedy,omitempty" doc:"What to do about it"`
	Field     string    `json:"field,omitempty" doc:"What is wrong: the selector"`
	Pos       int       `json:"pos,omitempty" doc:"Byte of the selector or the document, from 1"`
	Offset    *int      `json:"offset,omitempty" doc:"The same from 0; of DUPLICATE_CONTAINER the offset among siblings"`
	Token     string    `json:"token,omitempty" doc:"The part of the input that is wrong"`
	Node      string    `json:"node,omitempty" doc:"The id of the node concerned"`
	Parent    string    `json:"parent_id,omitempty" doc:"Of DUPLICATE_CONTAINER: the node that has a core"`
	Temporary string    `json:"node_temp_id,omitempty" doc:"Of PARENT_ID_MISSING: the id that was asked for"`
	Line      int       `json:"line,omitempty" doc:"Line of the document, from 1"`
	Expected  string    `json:"expected_snapshot,omitempty" doc:"Of CONFLICTING_UPDATE: what the request builds on"`
	Found     string    `json:"found_snapshot,omitempty" doc:"Of CONFLICTING_UPDATE: what is there"`
	Meanwhile []written `json:"meanwhile,omitempty" doc:"What others wrote that the request did not know, oldest first"`
}

// publishedCodes are the codes of edition 1.0, with their statuses, and what they are for.
var publishedCodes = []struct {
	code    string
	status  int
	reasons []string
}{
	{"DUPLICATE_CONTAINER", http.StatusConflict, []string{string(fault.DuplicateContainer)}},
	{"PARENT_ID_MISSING", http.StatusUnprocessableEntity, []string{string(fault.ParentMissing)}},
	{"INVALID_SELECTOR", http.StatusBadRequest, []string{string(fault.SelectorInvalid), string(fault.RangeKindMismatch),
		string(fault.RangeWildcard), string(fault.RangeLimit)}},
	{"INVALID_PLACEMENT", http.StatusBadRequest, []string{string(fault.PlacementInvalid), string(fault.Sealed)}},
	{"CONFLICTING_UPDATE", http.StatusConflict, []string{string(fault.Conflict), stale}},
	{"NOT_AUTHORIZED", http.StatusForbidden, []string{forbidden}},
	{"INTERNAL_ERROR", http.StatusInternalServerError, []string{string(fault.Store), internal}},
}

// asPublished returns the failure as edition 1.0 answers it: with its status, and marked to be written so.
func (f *failure) asPublished() *failure {
	told := *f
	told.published = f.Code
	for _, c := range publishedCodes {
		if slices.Contains(c.reasons, f.Code) || slices.Contains(c.reasons, string(fault.Code(f.Code).General())) {
			told.published, told.Status = c.code, c.status
			break
		}
	}
	return &told
}

// MarshalJSON implements json.Marshaler.
func (f *failure) MarshalJSON() ([]byte, error) {
	type plain failure
	if f.published == "" {
		return json.Marshal((*plain)(f))
	}
	d := publishedDetails{Reason: f.Code, Remedy: f.Remedy, Offset: f.Offset, Token: f.Token, Node: f.Node, Line: f.Line,
		Expected: f.expected, Found: f.found, Meanwhile: f.Meanwhile}
	switch f.published {
	case "INVALID_SELECTOR":
		d.Field = "selector"
	case "DUPLICATE_CONTAINER":
		d.Parent, d.Offset = f.Node, new(int)
	case "PARENT_ID_MISSING":
		d.Temporary = f.Node
	}
	if f.Offset != nil {
		d.Pos = *f.Offset + 1
	}
	return json.Marshal(publishedFailure{publishedError{f.published, f.Detail, d}})
}

// inEdition returns a failure in the form of the edition that the request asks in, or of that of its
// context. It is one look-up; a context that cannot be read has no edition.
func (s *Server) inEdition(ctx context.Context, f *failure) *failure {
	r := exchangeOf(ctx).request
	edition, name := r.URL.Query().Get("edition"), r.PathValue("name")
	if edition == "" && name != "" && f.Status != http.StatusTooManyRequests {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTime)
		defer cancel()
		if i, err := s.store.Find(ctx, name); err == nil {
			edition = string(i.Edition)
		}
	}
	if strings.TrimSpace(edition) != string(selector.V1) {
		return f
	}
	return f.asPublished()
}

// lookUpTime is how long a failure waits to learn in which words it is told.
const lookUpTime = time.Second
