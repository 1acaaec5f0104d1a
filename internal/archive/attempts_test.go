package archive_test

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/store"
)

// An export has the attempts of committed cycles and those of the cycle under way.
func TestAnExportCarriesAttempts(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	request, err := history.PackRequest(`{"frame":[1]}`)
	must(t, err)
	in, call := int64(12), pact.ProviderCall{Provider: "p", Model: "m", Request: request}
	for _, o := range []pact.Outcome{{Status: history.Failed, Err: io.ErrUnexpectedEOF}, {Status: history.Completed, TokenIn: &in}} {
		a, err := c.StartAttempt(background, call, io.Discard, nil)
		must(t, err)
		o.ID = a.ID
		_, err = c.EndAttempt(background, o)
		must(t, err)
	}
	_, err = c.Commit(background, nil)
	must(t, err)
	_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
	must(t, err)
	fork, err := c.Fork(background, pact.Cycle(1), "fork", nil)
	must(t, err)
	_, err = fork.StartAttempt(background, call, io.Discard, nil)
	must(t, err)
	var export bytes.Buffer
	for _, of := range []*pact.Context{fork, c} {
		export.Reset()
		must(t, of.Export(background, &export))
		again, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", bytes.NewReader(export.Bytes()), nil)
		must(t, err)
		want, err := of.Attempts(background, math.MinInt64, math.MaxInt64)
		must(t, err)
		got, err := again.Attempts(background, math.MinInt64, math.MaxInt64)
		must(t, err)
		for i := range want { // what is imported is no fork
			cycle, number, _, _ := history.ParseAttemptID(want[i].ID)
			want[i].ID = history.AttemptID(cycle, number, 0)
		}
		if len(got) != 3 || !reflect.DeepEqual(want, got) {
			t.Errorf("%+v came back as %+v", want, got)
		}
	}
	r, err := archive.RoundTrip(background, bytes.NewReader(export.Bytes()), archive.Options{})
	must(t, err)
	if !r.Same {
		t.Errorf("%+v", r.Difference)
	}
	for what, change := range map[string][2]string{
		"a number left out":     {`"number":2`, `"number":3`},
		"an unknown status":     {`"status":"error"`, `"status":"odd"`},
		"a hash that is none":   {`"params":"7`, `"params":"x`},
		"a request in no code":  {`"request":"`, `"request":"!`},
		"a request not packed":  {`"request":"`, `"request":"AAAA`},
		"fewer than no tokens":  {`"token_in":12`, `"token_in":-12`},
		"attempts that are one": {`"attempts":[`, `"attempts":"a","old":[`},
	} {
		text := strings.Replace(export.String(), change[0], change[1], 1)
		if text == export.String() {
			t.Fatalf("%s: the export has no %s", what, change[0])
		}
		_, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", strings.NewReader(text), nil)
		if fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}
