package server_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
)

func TestWhatIsMadeSaysWhereItIs(t *testing.T) {
	r := start(t, server.Options{})
	said := `[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]`
	for _, made := range [][3]string{
		{"/v1/contexts", `{"name":"a/1"}`, "/v1/contexts/a%2F1"},
		{"/v1/import?name=i", said, "/v1/contexts/i"},
		{"/v1/contexts/i/fork", `{"name":"f"}`, "/v1/contexts/f"},
	} {
		got := r.must(nil, "POST", made[0], made[1])
		if at := got.Header.Get("Location"); got.StatusCode != http.StatusCreated || at != made[2] {
			t.Errorf("%s answers %s at %q, want %s", made[0], got.Status, at, made[2])
		}
		r.must(nil, "GET", got.Header.Get("Location"), "")
	}
}

// TestEveryChangeTellsTheRevisionForTheNext makes changes one after the other, each with the tag of
// the one before.
func TestEveryChangeTellsTheRevisionForTheNext(t *testing.T) {
	r := start(t, server.Options{})
	tag := r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`).Header.Get("ETag")
	for i, change := range []string{"edits", "commits", "edits", "commits"} {
		var said struct{ Revision int }
		body := fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, i/2, hello)
		got := r.must(&said, "POST", "/v1/contexts/a/"+change, body, "If-Match", tag)
		if tag = got.Header.Get("ETag"); said.Revision != i+2 || tag != fmt.Sprintf(`"r%d"`, i+2) {
			t.Errorf("%s says revision %d and %s, want %d", change, said.Revision, tag, i+2)
		}
	}
	if tag = r.must(nil, "POST", "/v1/contexts/a/undo", `{}`).Header.Get("ETag"); tag == "" {
		t.Error("an undo has no tag")
	}
	r.must(nil, "POST", "/v1/contexts/a/edits", `{"cycle":1,"edits":[`+hello+`]}`, "If-Match", tag)
}

func TestJSONOverAKilobyteIsCompressed(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	long := strings.Replace(hello, "Hello", strings.Repeat("Hello ", 500), 1)
	r.must(nil, "POST", "/v1/contexts/a/commits", `{"cycle":0,"edits":[`+long+`]}`)
	for path, want := range map[string]string{
		"/v1/contexts/a/thread": "gzip", "/v1/contexts/a/export?form=document": "gzip", "/openapi.json": "gzip",
		"/v1/contexts/a/blocks": "", "/v1/contexts/a/export": "", "/v1/contexts/a/thread?as=text": "",
	} {
		plain := r.must(nil, "GET", path, "", "Accept-Encoding", "identity")
		for _, takes := range []string{"gzip", "br;q=1, GZIP;q=0.5", "*"} {
			got := r.must(nil, "GET", path, "", "Accept-Encoding", takes)
			body := got.body
			if coding := got.Header.Get("Content-Encoding"); coding != want {
				t.Fatalf("%s is encoded with %q for %s, want %q", path, coding, takes, want)
			}
			if want != "" {
				z, err := gzip.NewReader(strings.NewReader(string(body)))
				if err == nil {
					body, err = io.ReadAll(z)
				}
				if err != nil || len(got.body)*2 > len(body) || got.Header.Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s: %d bytes for %d, %v", path, len(got.body), len(body), err)
				}
			}
			if string(body) != string(plain.body) {
				t.Errorf("%s: another body for %s", path, takes)
			}
		}
		for _, refuses := range []string{"gzip;q=0", "identity", "br"} {
			if got := r.must(nil, "GET", path, "", "Accept-Encoding", refuses); got.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is encoded for %s", path, refuses)
			}
		}
	}
	whole := r.must(nil, "GET", "/v1/contexts/a/thread", "", "Accept-Encoding", "identity")
	tag := whole.Header.Get("ETag")
	part := r.must(nil, "GET", "/v1/contexts/a/thread", "", "Accept-Encoding", "gzip", "Range", "bytes=5-9")
	if string(part.body) != string(whole.body[5:10]) || part.Header.Get("ETag") != tag {
		t.Errorf("a part of the thread is %q", part.body)
	}
	packed := r.must(nil, "GET", "/v1/contexts/a/thread", "", "Accept-Encoding", "gzip")
	if packed.Header.Get("ETag") != "W/"+tag {
		t.Errorf("the compressed thread has the tag %s", packed.Header.Get("ETag"))
	}
	if again := r.call("GET", "/v1/contexts/a/thread", "", "Accept-Encoding", "gzip", "If-None-Match", "W/"+tag); again.
		StatusCode != http.StatusNotModified {
		t.Errorf("the same again: %s", again.Status)
	}
}
