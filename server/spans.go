package server

import (
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Names of attributes of spans, as the conventions for HTTP call them.
const (
	spanMethod = "http.request.method"
	spanRoute  = "http.route"
	spanStatus = "http.response.status_code"
	spanBytes  = "http.response.body.size"
	spanCode   = "error.type"
)

// traced begins the span of a request, which continues the trace that the header traceparent
// names. Without a provider of spans nothing is kept and nothing costs.
func (s *Server) traced(r *http.Request) (*http.Request, trace.Span) {
	provider := s.options.Spans
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	if parent := trace.SpanContextFromContext(ctx); parent.IsValid() {
		// The header tracestate is free text of the client.
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent.WithTraceState(trace.TraceState{}))
	}
	ctx, span := provider.Tracer("github.com/contexttree/pact/server").
		Start(ctx, noOperation, trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), span
}

// endSpan ends the span of a request with what the answer was. It has the names of operations
// and codes, and nothing else that a client sent.
func endSpan(span trace.Span, r *http.Request, e *exchange, broken bool) {
	if span.IsRecording() {
		span.SetName(operationOf(r))
		span.SetAttributes(attribute.String(spanMethod, methodOf(r)), attribute.String(spanRoute, operationOf(r)),
			attribute.Int(spanStatus, e.status), attribute.Int64(spanBytes, e.bytes))
		if broken || e.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
			span.SetAttributes(attribute.String(spanCode, strconv.Itoa(e.status)))
		}
	}
	span.End()
}
