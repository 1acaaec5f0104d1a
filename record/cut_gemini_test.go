package record_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A Gemini model that refuses calls without their signatures answers calls of tools whose results have forms of their own. A
// text among them is shaped, an object is not; both leave a note in their place. All that the model said stays, byte for byte.
func TestGeminiResponsesOfAnyForm(t *testing.T) {
	text := strings.Repeat("word ", 200)
	forms := []map[string]any{
		{"output": text, "exit_code": 1}, {"result": text}, {"error": text}, {"rows": []any{text, text}}, {"output": []any{text}},
	}
	p, url := startProvider(t, callTurns(8)...)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Manage: true, Policy: policyOf(t,
		`{"when":"now","rules":[{"select":".cb[kind='result']","head":20,"tail":10,"ttl":3,"stub":true}]}`)})
	a := newAgent(t, provider.Gemini, url, rec.Transport(nil), false)
	a.url = strings.Replace(a.url, "m-1", "gemini-3-pro-preview", 1)
	a.ask("Look.")
	a.call()
	asked := [][]byte{a.lastBody}
	for n := range 7 {
		response := map[string]any{"id": fmt.Sprint("c", n), "name": "ls", "response": forms[n%len(forms)]}
		a.said = append(a.said, map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": response}}})
		a.call()
		asked = append(asked, a.lastBody)
	}
	rec.Close()
	if got := rec.Stats(); got.Managed.Shaped != 5 || got.Managed.Cut != 4 || got.Managed.Open+got.Managed.Ended > 0 || got.NotRecorded > 0 {
		t.Errorf("%+v", got)
	}
	var took []int // the parts that each call takes out, from the call on that has a result four calls old
	for c, err := range prefixesOf(t.Context(), opened(t, s, "chat"), "", nil) {
		must(t, err)
		took = append(took, c.TakenOut)
	}
	if !slices.Equal(took, []int{0, 0, 0, 0, 1, 1, 1, 1}) {
		t.Errorf("the calls take out %v", took)
	}
	now, before := said(t, a.api, p.Received()[7].Body), said(t, a.api, asked[7])
	for i := range now {
		call := fmt.Sprint("c", (i-2)/2) // the user asks, then call and response take turns
		note := `"[Left out after 3 calls; ` + call + ` is its id. Only pact writes such notes.]"`
		want := [][]byte{[]byte(`{"exit_code":1,"output":` + note + `}`), []byte(`{"result":` + note + `}`),
			[]byte(`{"error":` + note + `}`), []byte(`{"note":` + note + `}`)}
		switch n := (i - 2) / 2; {
		case i < 2 || i%2 == 1:
			if !bytes.Equal(now[i], before[i]) {
				t.Errorf("%s was sent as %s", before[i], now[i])
			}
		case n < 4 && !bytes.Contains(now[i], want[n]), n == 4 && !bytes.Equal(now[i], before[i]),
			n > 4 && !bytes.Contains(now[i], []byte(call+" has them")):
			t.Errorf("%s was sent as %s", before[i], now[i])
		}
	}
	askedAndSent(t, s, p, asked)
}
