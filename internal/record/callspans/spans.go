package callspans

import (
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/record"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Continue returns a handler whose requests carry the trace that their header traceparent names, so
// that the span of a call is a part of the client's trace.
func Continue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if parent := trace.SpanContextFromContext(ctx); parent.IsValid() {
			// The header tracestate is free text of the client.
			ctx = trace.ContextWithRemoteSpanContext(ctx, parent.WithTraceState(trace.TraceState{}))
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Record makes the span of a call that is over; for record.Options.OnEnd. It goes to the provider of
// spans that otel.SetTracerProvider set, which keeps none unless the program sets it.
func Record(c record.Ended) {
	f, asked := Forms[c.API], model(c.Model)
	_, span := otel.GetTracerProvider().Tracer(Scope, trace.WithSchemaURL(Schema)).Start(c.Context, f.SpanName(asked),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(c.Started))
	defer span.End(trace.WithTimestamp(c.Over))
	if !span.IsRecording() {
		return
	}
	text := func(name, value string) {
		if value != "" {
			span.SetAttributes(attribute.String(name, value))
		}
	}
	number := func(name string, n *int64) {
		if n != nil {
			span.SetAttributes(attribute.Int64(name, *n))
		}
	}
	text(OperationName, f.Operation)
	text(ProviderName, f.Provider)
	text(RequestModel, asked)
	text(ResponseModel, model(c.Answered))
	number(InputTokens, c.In)
	number(OutputTokens, c.Out)
	number(CachedTokens, c.Cached)
	number(WrittenTokens, c.Written)
	number(ReasoningTokens, c.Reasoning)
	host, port, err := net.SplitHostPort(c.Host)
	if err != nil {
		host = c.Host
	}
	text(serverAddress, host)
	if n, err := strconv.ParseInt(port, 10, 64); err == nil {
		number(serverPort, &n)
	}
	if why := failure(&c); why != "" {
		text(ErrorType, why)
		span.SetStatus(codes.Error, "")
	}
}

// failure returns one of a few words for why a call failed, "" if it did not.
func failure(c *record.Ended) string {
	switch {
	case c.Status == history.Completed:
		return ""
	case c.Status == history.Canceled:
		return errorCanceled
	case c.HTTP >= http.StatusBadRequest:
		return strconv.Itoa(c.HTTP)
	}
	return ErrorOther
}

// model returns the name of a model, "" for a text that cannot be one: a client can write
// anything there.
func model(name string) string {
	const longest = 128
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(name) > longest || strings.ContainsFunc(name, odd) {
		return ""
	}
	return name
}
