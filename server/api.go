package server

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/strata"
	"github.com/contexttree/pact/store"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// newAPI returns the framework, which reads parameters, writes answers and makes
// docs/openapi.json from the types of both.
func newAPI(mux *http.ServeMux) huma.API {
	config := huma.DefaultConfig("PACT", "1")
	config.Info.Description = "Contexts of language models: every call, every byte, and where two calls part."
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[store.Attempt](), reflect.TypeFor[attempt]())
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[strata.Band](), reflect.TypeFor[[]any]())
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The token of the address that the server printed"},
	}
	config.Security = []map[string][]string{{"token": {}}}
	config.CreateHooks = nil // they would add a member $schema to every answer
	config.DocsPath, config.OpenAPIPath, config.SchemasPath = "", "", ""
	config.RejectUnknownQueryParameters = true
	config.Transformers = []huma.Transformer{ownErrors}
	return humago.New(mux, config)
}

// schemaName names the schema of a type. Types of other packages bear the name of their
// package, because several packages have a Report.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	if own := path.Base(t.PkgPath()); t.Name() != "" && own != "server" && own != "." {
		name = strings.ToUpper(own[:1]) + own[1:] + name
	}
	return name
}

// operation describes one operation.
type operation struct {
	method, path, id, summary string
	status                    int           // of a success, 0 for 200
	body                      any           // a value of the type of the JSON body, nil for none
	writes                    string        // media types of an answer that it writes itself, with commas, or ""
	reads                     string        // media type of a body that is not JSON, "" for none
	streams                   bool          // the answer may take longer than answerTime
	dry                       bool          // changes nothing, although it is no GET
	open                      bool          // needs no token
	places                    chan struct{} // one for each request at once, nil for those of all requests
}

// add registers an operation that answers with an object of type O.
func add[I, O any](s *Server, o operation, answer func(ctx context.Context, in *I) (*O, error)) {
	op := huma.Operation{Method: o.method, Path: o.path, OperationID: o.id, Summary: o.summary,
		DefaultStatus: o.status, Tags: []string{tagOf(o.path)}}
	schemas := s.api.OpenAPI().Components.Schemas
	refusal := schemas.Schema(reflect.TypeFor[failure](), true, "")
	failed := map[string]*huma.MediaType{"application/json": {Schema: refusal}}
	op.Responses = map[string]*huma.Response{
		"default": {Description: "A refusal, which says what is wrong and what to do about it", Content: failed},
	}
	if o.places == nil {
		o.places = s.requests
	}
	if o.writes != "" {
		op.DefaultStatus = http.StatusOK
		op.Responses["200"] = &huma.Response{Description: "OK", Content: mediaTypes(o.writes)}
	}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		if err := o.mayBeAsked(exchangeOf(ctx)); err != nil {
			return nil, withHeaders(failureOf(err))
		}
		if !o.streams {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, answerTime)
			defer cancel()
		}
		if !enter(o.places) {
			return nil, withHeaders(refuse(http.StatusTooManyRequests, tooMany, "the server answers too many requests already",
				"send the request again in a moment"))
		}
		defer func() { <-o.places }()
		ctx = budget.With(ctx, s.limits.visits, s.limits.reads)
		out, err := answer(ctx, in)
		if err != nil {
			return nil, withHeaders(failureOf(err))
		}
		return out, nil
	})
	if o.reads != "" {
		s.declared(o).RequestBody = &huma.RequestBody{Required: true, Content: mediaTypes(o.reads)}
	}
	if o.body != nil { // declared afterwards, because the framework must not read it
		s.declared(o).RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeOf(o.body), true, "")}}}
	}
}

// mediaTypes describes a body that the framework neither reads nor writes, of one of the types that
// names lists. A thread is JSON of any form; all others are a stream of bytes for a client.
func mediaTypes(names string) map[string]*huma.MediaType {
	types := make(map[string]*huma.MediaType)
	for name := range strings.SplitSeq(names, ",") {
		schema := &huma.Schema{}
		if name != "application/json" {
			schema = &huma.Schema{Type: huma.TypeString, Format: "binary"}
		}
		types[name] = &huma.MediaType{Schema: schema}
	}
	return types
}

// mayBeAsked refuses a request that its token does not open. An operation that takes the
// name of a context elsewhere than in its path asks for leave itself.
func (o *operation) mayBeAsked(e *exchange) error {
	if o.open {
		return nil
	}
	if o.method != http.MethodGet && !o.dry {
		if err := e.right.change(); err != nil {
			return err
		}
	}
	if !strings.Contains(o.path, "{name}") {
		return nil
	}
	return e.right.use(e.request.PathValue("name"))
}

// declared returns the description of a registered operation.
func (s *Server) declared(o operation) *huma.Operation {
	item := s.api.OpenAPI().Paths[o.path]
	return map[string]*huma.Operation{"POST": item.Post, "PATCH": item.Patch}[o.method]
}

// withHeaders returns a failure so that the framework sends its headers.
func withHeaders(f *failure) error {
	h := http.Header{}
	for name, value := range f.headers() {
		h.Set(name, value)
	}
	return huma.ErrorWithHeaders(f, h)
}

// enter takes one of the places of a semaphore, and reports whether one was free.
func enter(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
		return false
	}
}

// tagOf returns the group that an operation belongs to in the document.
func tagOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	return parts[0]
}
