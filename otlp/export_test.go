package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// ids are those that OTLP JSON writes in hexadecimal, where the rules of protobuf have base64.
var ids = regexp.MustCompile(`"(traceId|spanId)":"([0-9a-f]*)"`)

// TestExportedSpansAreOTLP reads what pact export --as otlp writes of each sample with the schema of the protocol.
func TestExportedSpansAreOTLP(t *testing.T) {
	for _, sample := range []string{"claude-code.jsonl", "codex-rollout.jsonl", "chat-pairs.jsonl", "gemini-cli-session.jsonl", "exchanges.har"} {
		file, err := filepath.Abs(filepath.Join("../internal/record/calllog/testdata", sample))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		args := []string{"export", "--file", file, "--as", "otlp"}
		if code := cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: os.Stderr}); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		spans := 0
		for line := range strings.Lines(out.String()) {
			line = ids.ReplaceAllStringFunc(line, func(pair string) string {
				m := ids.FindStringSubmatch(pair)
				bytes, err := hex.DecodeString(m[2])
				if err != nil {
					t.Error(err)
				}
				return `"` + m[1] + `":"` + base64.StdEncoding.EncodeToString(bytes) + `"`
			})
			var data trace.TracesData
			if err := protojson.Unmarshal([]byte(line), &data); err != nil { // it refuses members that it does not know
				t.Fatalf("%s: %v", sample, err)
			}
			for _, resource := range data.ResourceSpans {
				for _, scope := range resource.ScopeSpans {
					for _, s := range scope.Spans {
						if spans++; len(s.TraceId) != 16 || len(s.SpanId) != 8 || s.Kind != trace.Span_SPAN_KIND_CLIENT || s.Name == "" {
							t.Errorf("%s: the span is %v", sample, s)
						}
					}
				}
			}
		}
		if spans == 0 {
			t.Errorf("%s has no spans", sample)
		}
	}
}
