package record_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// answering serves one answer to every chat request.
func answering(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1/chat/completions"
}

// Bodies that no client of good sense sends pass, and come back as they were.
func TestOddBodiesComeBack(t *testing.T) {
	testrun.OneGoroutine(t)
	many := func(n int, item func(int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = item(i)
		}
		return strings.Join(list, ",")
	}
	say := func(i int) string { return fmt.Sprintf(`{"role":"user","content":"%d"}`, i) }
	define := func(i int) string { return fmt.Sprintf(`{"function":{"name":"f%d"}}`, i) }
	user := func(text string) string { return `{"model":"m","messages":[{"role":"user","content":` + text + `}]}` }
	call := `{"id":"same","type":"function","function":{"name":"f","arguments":"{}"}}`
	result := `{"role":"tool","tool_call_id":"same","content":"r"}`
	for name, body := range map[string]string{
		"32 MB":             user(`"` + strings.Repeat("0123456789abcdef", 2<<20) + `"`),
		"100,000 messages":  `{"messages":[` + many(100_000, say) + `]}`,
		"1,000 tools":       `{"tools":[` + many(1000, define) + `],"messages":[` + say(1) + `]}`,
		"duplicate members": `{"model":"a","model":"b","messages":[{"role":"user","content":"x","content":"y"}]}`,
		"lone surrogates":   user(`"\ud800 and \udc00\ud800"`),
		"numbers past 2^53": `{"seed":9007199254740993,"top_p":1.000,"n":1e2,"messages":[{"role":"user","content":"x"}]}`,
		"indented":          "{\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"x\"}\n  ]\n}\n",
		"no messages":       `{"model":"m"}`,
		"odd messages":      `{"messages":[null,1,"x",{},{"role":1},{"role":"user","content":[null,[],{"type":"text"}]}]}`,
		"duplicate call ids": `{"messages":[{"role":"assistant","tool_calls":[` + call + `,` + call + `]},` + result + `,` +
			result + `]}`,
		"a result before its call": `{"messages":[` + result + `,{"role":"assistant","tool_calls":[` + call + `]}]}`,
		"deep":                     user(strings.Repeat("[", 400) + strings.Repeat("]", 400)),
		"names like holes":         `{"@":"@","messages":[{"role":"@","content":"@","x":"@[]"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, url := pact.NewDB(store.NewMemory()), answering(t)
			rec := recorder(t, s, record.Options{Context: "chat"})
			client := &http.Client{Transport: rec.Transport(nil)}
			wholeOf(t)(client.Post(url, "application/json", strings.NewReader(body)))
			rec.Close()
			if got := rec.Stats(); got.Calls != 1 || got.Lost > 0 {
				t.Fatalf("%+v", got)
			}
			again, err := record.Request(t.Context(), opened(t, s, "chat"), 1, 0)
			must(t, err)
			if !bytes.Equal(again.Bytes, []byte(body)) {
				t.Errorf("%.300s came back as %.300s", body, again.Bytes)
			}
		})
	}
}
