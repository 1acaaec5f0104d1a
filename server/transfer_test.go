package server_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
	"github.com/klauspost/compress/zstd"
)

func TestAnExportImportsToTheSameContext(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	for _, form := range []string{"snapshots", "compact"} {
		history := r.must(nil, "GET", "/v1/contexts/weather/export?form="+form, "").body
		var made struct{ Contexts []contextInfo }
		r.must(&made, "POST", "/v1/import?form=history&name="+form, string(history))
		first, last := c.Cycles()
		if got := made.Contexts[0]; got.Name != form || got.First != first || got.Last != last {
			t.Errorf("%s: %+v", form, got)
		}
		if copied := r.must(nil, "GET", "/v1/contexts/"+form+"/export?form="+form, "").body; string(copied) != string(history) {
			t.Errorf("%s: the copy exports other bytes", form)
		}
		var again struct{ Contexts []contextInfo }
		if r.must(&again, "POST", "/v1/import?form=history&name="+form, string(history)); !reflect.DeepEqual(again, made) {
			t.Errorf("%s: the same history again makes %+v of %+v", form, again, made)
		}
		r.call("POST", "/v1/import?name="+form, `[{"role":"user","content":"other"},{"role":"assistant","content":"a"}]`).
			refused(t, http.StatusConflict, "E_CONFLICT")
	}
	document := r.must(nil, "GET", "/v1/contexts/weather/snapshot", "").body
	r.must(nil, "POST", "/v1/import?form=document&name=one", string(document))
	data, err := os.ReadFile("../examples/conversations/support.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r.must(nil, "POST", "/v1/import?form=log&name=support", string(data))
	r.call("POST", "/v1/import?form=log&name=none", "no conversation").
		refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("POST", "/v1/import?form=history&name=none", "{").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("GET", "/v1/contexts/none", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

// What pact import reads can be uploaded without saying what it is.
func TestImportFindsOutWhatAFileIs(t *testing.T) {
	r := start(t, server.Options{})
	for file, cycles := range map[string]int{
		"../examples/conversations/weather.json":                       6,
		"../examples/conversations/repair.jsonl":                       5,
		"../internal/record/calllog/testdata/chat-requests.jsonl":      0,
		"../internal/record/calllog/testdata/exchanges.har":            0,
		"../internal/record/calllog/testdata/claude-code.jsonl":        0,
		"../internal/record/calllog/testdata/codex-rollout.jsonl":      0,
		"../internal/record/calllog/testdata/opencode-export.json":     0,
		"../internal/record/calllog/testdata/anthropic-requests.jsonl": 0,
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		type found struct{ Contexts []struct{ Cycles int } }
		var plain, again found
		name := url.QueryEscape(filepath.Base(file))
		r.must(&plain, "POST", "/v1/import?name="+name, string(data))
		if len(plain.Contexts) == 0 || plain.Contexts[0].Cycles == 0 || cycles > 0 && plain.Contexts[0].Cycles != cycles {
			t.Errorf("%s gives %+v", file, plain)
		}
		for how, packed := range compressed(t, data) {
			var unpacked found
			r.must(&unpacked, "POST", "/v1/import?name="+how+"-"+name, packed)
			if !reflect.DeepEqual(plain, unpacked) {
				t.Errorf("%s gives %+v, and with %s %+v", file, plain, how, unpacked)
			}
		}
		r.must(&again, "POST", "/v1/import?name="+name, string(data)) // adds nothing
		if !reflect.DeepEqual(plain, again) {
			t.Errorf("%s again gives %+v", file, again)
		}
	}
	for _, text := range []string{"", "no conversation", `{"a":1}`, "\x1f\x8b\x08cut", "\x28\xb5\x2f\xfdcut", "%PDF-1.4"} {
		f := r.call("POST", "/v1/import?name=none", text).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if strings.Contains(f.Detail, "no conversation") {
			t.Error(f.Detail)
		}
	}
	r.call("GET", "/v1/contexts/none", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

// A transcript that grew is sent again: its context gets what is new. Another one, and one that
// lacks what was edited meanwhile, leave the context alone.
func TestATranscriptThatGrewAddsWhatIsNew(t *testing.T) {
	r := start(t, server.Options{})
	send := func(name string, messages ...string) reply {
		return r.call("POST", "/v1/import?form=log&name="+name, "["+strings.Join(messages, ",")+"]")
	}
	said := []string{`{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`,
		`{"role":"user","content":"r"}`, `{"role":"assistant","content":"b"}`}
	for n := range said {
		if got := send("grown", said[:n+1]...); got.StatusCode != http.StatusCreated {
			t.Fatalf("%d messages: %d %s", n+1, got.StatusCode, got.body)
		}
	}
	export := func(name string) string {
		return string(r.must(nil, "GET", "/v1/contexts/"+name+"/export", "").body)
	}
	send("whole", said...)
	whole := export("whole")
	if got := export("grown"); got != whole {
		t.Errorf("the context that grew exports\n%s\nwant\n%s", got, whole)
	}
	send("grown", said[:2]...)
	send("grown", `{"role":"user","content":"other"}`, said[1]).refused(t, http.StatusConflict, "E_CONFLICT")
	if got := export("grown"); got != whole {
		t.Errorf("what adds nothing made\n%s", got)
	}
	send("edited", said[:2]...)
	r.must(nil, "POST", "/v1/contexts/edited/edits", `{"cycle":1,"edits":[`+hello+`]}`)
	f := send("edited", said...).refused(t, http.StatusConflict, "E_CONFLICT")
	if !strings.Contains(f.Detail, "not committed") {
		t.Error(f.Detail)
	}
}

// TestACompressedHistoryIsReadAsItArrives imports a history that says what it is, one that is found
// out, and some that are cut off.
func TestACompressedHistoryIsReadAsItArrives(t *testing.T) {
	r := start(t, server.Options{})
	weather(t, r)
	for _, form := range []string{"compact", "snapshots"} {
		history := r.must(nil, "GET", "/v1/contexts/weather/export?form="+form, "").body
		for by, packed := range compressed(t, history) {
			for i, how := range []string{"&form=history", ""} {
				name := fmt.Sprint(form, i, by)
				r.must(nil, "POST", "/v1/import?name="+name+how, packed)
				again := r.must(nil, "GET", "/v1/contexts/"+name+"/export?form="+form, "").body
				if !bytes.Equal(again, history) {
					t.Errorf("%s%s with %s exports other bytes", form, how, by)
				}
				r.call("POST", "/v1/import?name=cut"+how, packed[:len(packed)/2]).
					refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
			}
		}
	}
	r.call("GET", "/v1/contexts/cut", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

// TestABombIsRefused imports more than the server takes, which is small while it is compressed.
func TestABombIsRefused(t *testing.T) {
	testrun.OneGoroutine(t)
	r := start(t, server.Options{})
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range server.MaxImport>>20 + 1 {
		if _, err := z.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"", "&form=history"} {
		r.call("POST", "/v1/import?name=bomb"+form, bomb.String()).refused(t, http.StatusRequestEntityTooLarge, "E_LIMIT")
	}
	r.call("GET", "/v1/contexts/bomb", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

// compressed returns bytes as each of the compressions that an import reads.
func compressed(t *testing.T, data []byte) map[string]string {
	t.Helper()
	packed := make(map[string]string)
	var by bytes.Buffer
	fast, err := zstd.NewWriter(&by, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for how, z := range map[string]io.WriteCloser{"gzip": gzip.NewWriter(&by), "zstd": fast} {
		by.Reset()
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		packed[how] = by.String()
	}
	return packed
}
