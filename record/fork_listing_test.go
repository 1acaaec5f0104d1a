package record_test

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A long import leaves the details of old blocks in the tree: a fork from an early answer, which a request names, reads
// those again that it needs.
func TestAnAnswerOfALongImportIsNamed(t *testing.T) {
	form := apiForms[2]
	s := pact.NewDB(store.NewMemory())
	importer, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
	must(t, err)
	body := func(list, more string) []byte { return []byte(`{"input":[` + list + `],"model":"m"` + more + `}`) }
	answer := func(i int) []byte {
		return []byte(fmt.Sprintf(`{"id":"r%d",`, i) + form.answer(fmt.Sprint("answer ", i))[1:])
	}
	all := ""
	for i := range 100 {
		more := form.user(fmt.Sprint("question ", i))
		if i > 0 {
			more = form.model(fmt.Sprint("answer ", i-1)) + "," + more
		}
		call := record.PastCall{ID: fmt.Sprint(i), API: form.api, Body: body(more, ""), Answer: answer(i)}
		all += "," + more
		if sent := all[1:]; i > 0 {
			call.Whole = func() ([]byte, error) { return body(sent, ""), nil }
		}
		_, err := importer.Add(t.Context(), call)
		must(t, err)
	}
	for i, named := range []int{3, 60} {
		sent := body(form.user("another"), fmt.Sprintf(`,"previous_response_id":"r%d"`, named))
		_, err := importer.Add(t.Context(), record.PastCall{ID: fmt.Sprint("again ", i), API: form.api, Body: sent, Answer: answer(1000 + i)})
		must(t, err)
		name := fmt.Sprint("run-", i+2)
		if list := importer.Contexts(); list[len(list)-1] != name {
			t.Fatalf("the contexts are %q, want %q behind", list, name)
		}
		got, err := record.Request(t.Context(), opened(t, s, name), int64(named+2), 0)
		must(t, err)
		if string(got.Bytes) != string(sent) {
			t.Errorf("%s sent %s, want %s", name, got.Bytes, sent)
		}
	}
}
