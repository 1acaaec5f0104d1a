// Command otlp is pact with an exporter of spans: pact serve sends a span for each request, pact
// proxy and pact run one for each call of a provider, to a collector over OTLP (HTTP with
// protobuf). The usual variables name the collector and the
// service: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME. It is a module of its own, so that
// the plain program does not grow.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/contexttree/pact/internal/cli"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// patience is how long the program waits at its end for the collector to take the last spans.
const patience = 5 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()}))
}

// run runs the command line with an exporter, and returns its exit code.
func run(ctx context.Context, args []string, streams cli.Streams) int {
	end, err := export(ctx)
	if err != nil {
		fmt.Fprintln(streams.Err, "pact: spans cannot be exported:", err)
		return 1
	}
	code := cli.Run(ctx, args, streams)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := end(last); err != nil {
		fmt.Fprintln(streams.Err, "pact: the last spans were not exported:", err)
	}
	return code
}

// export sends the spans of this process to the collector from now on. end sends the last ones.
func export(ctx context.Context) (end func(context.Context) error, err error) {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, err
	}
	// The environment comes last and has the last word; the command line of the process, which
	// may name contexts, is left out.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "pact")),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	otel.SetTracerProvider(provider)
	return provider.Shutdown, nil
}
