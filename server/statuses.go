package server

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// meanings says when an operation answers with a status that is no success.
var meanings = map[int]string{
	http.StatusNotModified:                  "The client has these bytes already",
	http.StatusBadRequest:                   "A parameter, the selector or the body is not valid",
	http.StatusUnauthorized:                 "The request has no valid token",
	http.StatusForbidden:                    "The token does not open this, or a page of another origin asks",
	http.StatusNotFound:                     "There is no such context, snapshot, node or attempt",
	http.StatusConflict:                     "Others were faster, or the name is taken",
	http.StatusPreconditionFailed:           "If-Match names another revision",
	http.StatusRequestEntityTooLarge:        "The request is too long or asks too much",
	http.StatusUnsupportedMediaType:         "The body is not declared as what the operation reads",
	http.StatusRequestedRangeNotSatisfiable: "The range is beyond the end",
	http.StatusMisdirectedRequest:           "The request names another server",
	http.StatusUnprocessableEntity:          "A rule forbids the change, or the idempotency key belongs to another request",
	http.StatusTooManyRequests:              "Too many requests at once",
	http.StatusInternalServerError:          "A fault of the server",
	http.StatusServiceUnavailable:           "The store fails or is busy, the answer takes too long, or the server is stopping",
}

// statusesOf returns the statuses with which an operation answers besides that of its success.
func statusesOf(o *operation) []int {
	list := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusMisdirectedRequest,
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
		http.StatusUnauthorized, http.StatusRequestEntityTooLarge}
	changes := o.method != http.MethodGet && !o.open
	if strings.Contains(o.path, "{name}") || o.named {
		list = append(list, http.StatusNotFound, http.StatusConflict)
	}
	if changes {
		list = append(list, http.StatusConflict, http.StatusUnprocessableEntity)
	}
	if o.body != nil {
		list = append(list, http.StatusUnsupportedMediaType)
	}
	if o.matches {
		list = append(list, http.StatusPreconditionFailed)
	}
	if o.ranges {
		list = append(list, http.StatusNotModified, http.StatusRequestedRangeNotSatisfiable)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// declareStatuses puts the statuses of an operation into the document.
func declareStatuses(api *huma.OpenAPI, o *operation, op *huma.Operation) {
	refusal := api.Components.Schemas.Schema(reflect.TypeFor[failure](), true, "")
	// A client that was generated reads one type for a status, whatever the edition, and takes this one.
	either := &huma.Schema{OneOf: []*huma.Schema{refusal,
		api.Components.Schemas.Schema(reflect.TypeFor[publishedFailure](), true, "")}}
	op.Responses = make(map[string]*huma.Response)
	for _, status := range statusesOf(o) {
		name := strings.ReplaceAll(http.StatusText(status), " ", "")
		if api.Components.Responses == nil {
			api.Components.Responses = make(map[string]*huma.Response)
		}
		r := &huma.Response{Description: meanings[status]}
		if status >= http.StatusBadRequest {
			r.Content = map[string]*huma.MediaType{problemType: {Schema: refusal}, publishedType: {Schema: either}}
		}
		api.Components.Responses[name] = r
		op.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + name}
	}
	if o.writes != "" {
		op.DefaultStatus = http.StatusOK
		op.Responses["200"] = &huma.Response{Description: "OK", Content: mediaTypes(o.writes)}
		if o.ranges {
			op.Responses["206"] = &huma.Response{Description: "The part that the header Range asks for",
				Content: mediaTypes(o.writes)}
		}
	}
}
