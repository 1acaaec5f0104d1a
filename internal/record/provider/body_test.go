package provider_test

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// An answer that is written for a log reads back as what it was written from.
func TestAWrittenAnswerReadsBack(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for api, content := range map[provider.API]string{
		provider.Chat:      `{"content":"a","role":"assistant"}`,
		provider.Responses: `[{"content":[{"text":"a","type":"output_text"}],"role":"assistant","type":"message"}]`,
		provider.Messages:  `[{"text":"a","type":"text"}]`,
		provider.Gemini:    `{"parts":[{"text":"a"}],"role":"model"}`,
	} {
		said := canon.Value(content).Any()
		for _, want := range []provider.Answer{
			{Content: said},
			{ID: "1", Model: "m", Finish: "completed", Content: said,
				Usage: provider.Usage{In: n(9), Out: n(5), Cached: n(2), Reasoning: n(3)}},
			{Failure: "too long"},
		} {
			want.API, want.Status = api, http.StatusOK
			if api == provider.Messages {
				want.Usage.Reasoning = nil // Anthropic does not say it
			}
			a := provider.NewAssembler(api, http.StatusOK, http.Header{})
			body := want.Body()
			_, _ = a.Write(body.AppendTo(nil))
			got := a.Close(nil)
			if want.Finish == "" {
				want.Finish = got.Finish // the word for an unknown end
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s\nis read as %+v\nwant %+v", api, body.Value(), got, want)
			}
		}
	}
}
