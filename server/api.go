package server

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/view"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// newAPI returns the framework, which reads parameters, writes answers and makes
// docs/openapi.json from the types of both.
func (s *Server) newAPI() huma.API {
	config := huma.DefaultConfig("PACT", "1")
	config.Info.Description = "Contexts of language models: every call, every byte, and where two calls part."
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[history.Attempt](), reflect.TypeFor[attempt]())
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[view.Band](), reflect.TypeFor[[]any]())
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The token of the address that the server printed"},
	}
	config.Security = []map[string][]string{{"token": {}}}
	config.CreateHooks = nil // they would add a member $schema to every answer
	config.DocsPath, config.OpenAPIPath, config.SchemasPath = "", "", ""
	config.RejectUnknownQueryParameters = true
	config.Transformers = []huma.Transformer{s.ownErrors}
	return humago.New(s.mux, config)
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
	named                     bool          // takes the name of a context elsewhere than in its path
	matches                   bool          // takes If-Match
	ranges                    bool          // takes Range and If-None-Match
	places                    chan struct{} // one for each request at once, nil for those of all requests
	waits                     bool          // a request waits for a place before it is refused
}

// add registers an operation that answers with an object of type O.
func add[I, O any](s *Server, o operation, answer func(ctx context.Context, in *I) (*O, error)) {
	op := huma.Operation{Method: o.method, Path: o.path, OperationID: o.id, Summary: o.summary,
		DefaultStatus: o.status, Tags: []string{tagOf(o.path)}}
	schemas := s.api.OpenAPI().Components.Schemas
	declareStatuses(s.api.OpenAPI(), &o, &op)
	if o.open {
		op.Security = []map[string][]string{{}}
	}
	if o.places == nil {
		o.places = s.requests
	}
	huma.Register(s.api, op, func(ctx context.Context, in *I) (_ *O, err error) {
		defer func() {
			if err != nil {
				err = withHeaders(s.inEdition(ctx, failureOf(err)))
			}
		}()
		if err := o.mayBeAsked(exchangeOf(ctx)); err != nil {
			return nil, err
		}
		var out *O
		err = s.withinLimits(ctx, &o, func(ctx context.Context) (err error) {
			out, err = answer(ctx, in)
			return err
		})
		return out, err
	})
	if o.reads != "" {
		s.declared(o).RequestBody = &huma.RequestBody{Required: true, Content: mediaTypes(o.reads)}
	}
	if o.body != nil { // declared afterwards, because the framework must not read it
		s.declared(o).RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeOf(o.body), true, "")}}}
	}
}

// withinLimits answers a request within the limits of all: the memory that they hold, the time that they take and how many
// there are at once. The body is received before, so that a slow client takes no place.
func (s *Server) withinLimits(ctx context.Context, o *operation, answer func(context.Context) error) error {
	ctx, held := budget.WithMemory(s.memory.Context(ctx), s.options.Memory,
		"send less at once, or have the server hold more")
	defer held.Close()
	if o.body != nil || o.reads != "" {
		if err := exchangeOf(ctx).receive(ctx, o); err != nil {
			return err
		}
	}
	if !o.streams {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerTime)
		defer cancel()
	}
	if !o.open {
		if err := o.takePlace(ctx); err != nil {
			return err
		}
		defer func() { <-o.places }()
	}
	return answer(budget.With(ctx, s.limits.visits, s.limits.reads))
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

// mayBeAsked refuses a request that changes contexts unless its token may. The DB knows
// which contexts the token opens ([permitted]).
func (o *operation) mayBeAsked(e *exchange) error {
	if o.open || o.dry || o.method == http.MethodGet {
		return nil
	}
	return e.right.change()
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

// takePlace takes one of the places for requests of the operation.
func (o *operation) takePlace(ctx context.Context) error {
	select {
	case o.places <- struct{}{}:
		return nil
	default:
	}
	if !o.waits {
		return refuse(http.StatusTooManyRequests, tooMany, "the server answers too many requests already",
			"send the request again in a moment")
	}
	wait := time.NewTimer(exchangeOf(ctx).limits.wait)
	defer wait.Stop()
	select {
	case o.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return fault.New(fault.Busy, "the server does as many such requests at once as it may",
			"send the request again in a moment")
	}
}

// tagOf returns the group that an operation belongs to in the document.
func tagOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	return parts[0]
}
