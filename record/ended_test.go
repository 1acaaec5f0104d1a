package record_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// TestTheEndOfACallIsTold sends a call that is answered, one that is refused and one that is no
// request to an API. The first two are told, with the names of models as they are stored.
func TestTheEndOfACallIsTold(t *testing.T) {
	provider := httptest.NewServer(providertest.New(providertest.Turn{Text: "four"}, providertest.Turn{Status: 429}))
	defer provider.Close()
	var told []record.Ended
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{Strict: true, Redact: []*regexp.Regexp{regexp.MustCompile("hush")},
		OnEnd: func(e record.Ended) { told = append(told, e) }})
	client := &http.Client{Transport: rec.Transport(nil)}
	for _, body := range []string{`{"model":"hush-1","messages":[{"role":"user","content":"2+2?"}]}`,
		`{"model":"hush-1","messages":[{"role":"user","content":"2+2?"}]}`, `[]`} {
		q, err := http.NewRequestWithContext(t.Context(), "POST", provider.URL+"/v1/chat/completions",
			strings.NewReader(body))
		must(t, err)
		q.Header.Set("Authorization", "Bearer sk-0123456789")
		answer, err := client.Do(q)
		must(t, err)
		for buffer := make([]byte, 100); err == nil; {
			_, err = answer.Body.Read(buffer)
		}
		answer.Body.Close()
	}
	rec.Close()
	var got []string
	for _, e := range told {
		if e.Host != strings.TrimPrefix(provider.URL, "http://") || e.Over.Before(e.Started) || e.Context.Err() != nil {
			t.Errorf("told of %+v", e)
		}
		got = append(got, fmt.Sprint(e.API, " ", e.Model, " ", e.Answered, " ", e.HTTP, " ", e.Status, " ",
			e.In != nil && *e.In > 0, e.Out != nil && *e.Out > 0))
	}
	want := "openai.chat [redacted]-1 [redacted]-1 200 completed true true, " +
		"openai.chat [redacted]-1  429 error false false"
	if strings.Join(got, ", ") != want {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, ", "), want)
	}
}
