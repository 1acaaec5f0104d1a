package record_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
)

// readsLess is a provider that reads a part of each request less from its cache than its rules say.
type readsLess struct {
	part   float64
	before int
}

func (p *readsLess) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	sent := len(body) / 4
	cached := max(0, p.before/128*128-int(p.part*float64(sent)))
	p.before = sent
	answer := fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":%d}}}`, sent, cached)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(answer))}, err
}

// A policy is computed of a run whose cache the rules foretell within 2 % of what was sent, and of no other.
func TestAPolicyIsForetoldWhereTheRulesHold(t *testing.T) {
	counter, err := tokens.Named("o200k_base")
	must(t, err)
	for _, c := range []struct {
		part     float64
		outcomes int
	}{{0, 2}, {0.01, 2}, {0.05, 1}} {
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		client, p := http.Client{Transport: rec.Transport(&readsLess{part: c.part})}, ""
		for n := range 8 {
			p += fmt.Sprintf(`,{"role":"user","content":"%d %s"},{"role":"assistant","content":"ok"}`, n, strings.Repeat("word ", 1500))
			body := []byte(`{"model":"gpt-5.4","messages":[{"role":"system","content":"Be kind."}` + p[:strings.LastIndex(p, `,{"role":"assistant"`)] + `]}`)
			wholeOf(t)(client.Post("http://provider/v1/chat/completions", "application/json", bytes.NewReader(body)))
		}
		rec.Close()
		got, err := simulate.Run(t.Context(), opened(t, s, "chat"), simulate.Options{Counter: counter, Policies: []simulate.Named{
			{Name: "p", Policy: *policyOf(t, `{"max_tokens":3000}`)}}})
		must(t, err)
		said := strings.Join(got.Sentences, " ")
		if len(got.Outcomes) != c.outcomes || (c.outcomes == 1) != strings.Contains(said, "cannot be computed") {
			t.Errorf("%g read less: %d outcomes, %s", c.part, len(got.Outcomes), said)
		}
	}
}
