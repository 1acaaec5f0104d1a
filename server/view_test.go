package server_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/server"
)

// TestListsAnswerOfOneState follows a call from its column to the bytes of a block.
func TestListsAnswerOfOneState(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	last := c.Info().Cycle
	_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "a/b ü", Role: "system", Content: "All of it is new."})
		return nil
	}})
	must(t, err)
	var blocks struct {
		Items []struct {
			ID    string
			Start int64
			Bytes int64
			New   bool
		}
		Total int
		Cut   struct{ Node, Cause string }
	}
	r.must(&blocks, "GET", "/v1/contexts/weather/blocks?limit=2", "")
	if blocks.Cut.Node != "a/b ü" || blocks.Cut.Cause != "system block a/b ü was inserted" || !blocks.Items[1].New {
		t.Errorf("%+v", blocks)
	}
	b := blocks.Items[1]
	part := r.call("GET", "/v1/contexts/weather/thread", "", "Range",
		"bytes="+itoa(b.Start)+"-"+itoa(b.Start+b.Bytes-1))
	if want := `{"id":"a/b \u00fc","role":"system","content":"All of it is new."}`; string(part.body) != want {
		t.Errorf("%s, want %s", part.body, want)
	}
	id := "/v1/contexts/weather/nodes/" + url.PathEscape(b.ID)
	if got := r.call("GET", id+"/content", ""); string(got.body) != "All of it is new." || got.Header.Get("ETag") == "" {
		t.Errorf("%s %s", got.Status, got.body)
	}
	r.call("GET", id+"/content", "", "Range", "bytes=99-").refused(t, http.StatusRequestedRangeNotSatisfiable, "E_RANGE")
	r.call("GET", id+"?at=@c"+itoa(last), "").refused(t, http.StatusNotFound, "E_NODE_NOT_FOUND")
	r.call("GET", "/v1/contexts/weather/blocks?kind=result,none", "").refused(t, 400, "E_DOCUMENT_INVALID")
	r.call("GET", "/v1/contexts/weather/blocks?q=.block%5B", "").refused(t, 400, "E_SELECTOR_INVALID")
	r.call("GET", "/v1/contexts/weather/blocks?vs=@c99", "").refused(t, 404, "E_SNAPSHOT_NOT_FOUND")
	r.call("GET", "/v1/contexts/weather/tree?under=nobody", "").refused(t, 404, "E_NODE_NOT_FOUND")
	r.call("GET", "/v1/contexts/weather/calls?from=@c0", "").refused(t, 404, "E_SNAPSHOT_NOT_FOUND")
	r.call("GET", "/v1/contexts/weather/strata?unit=tokens", "").refused(t, 400, "E_DOCUMENT_INVALID")
	r.must(&blocks, "GET", "/v1/contexts/weather/blocks?q="+url.QueryEscape("[role=system]"), "")
	if blocks.Total != 2 {
		t.Errorf("%d system blocks, want 2", blocks.Total)
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestHalfACharacterIsTheSameInEveryView reads half a surrogate pair, which JSON can write and text
// cannot: JSON has it as it was, text one sign in its place. Where it would make another name of a name it is refused.
func TestHalfACharacterIsTheSameInEveryView(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	r.must(nil, "POST", "/v1/contexts/a/commits",
		`{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"id":"n","role":"user","kind":"text","content":"x\ud800y"}}]}`)
	const of = "contexts/a/"
	for path, body := range map[string]string{
		"": `{"name":"b\ud800"}`, "/a/commits": `{"cycle":1,"message":"\uD800"}`, "/a/fork": `{"name":"\udfff"}`,
		"/a/edits": `{"cycle":1,"edits":[{"op":"add","into":"^ah","node":{"tags":["a","\ud800"],"content":["\ud800"]}}]}`,
	} {
		if f := r.call("POST", "/v1/contexts"+path, body).refused(t, 400, "E_DOCUMENT_INVALID"); !strings.Contains(f.Detail, "half a surrogate") {
			t.Errorf("%s: %s", body, f.Detail)
		}
	}
	for path, want := range map[string]string{
		of + "thread": `x\ud800y`, of + "thread?as=openai": `x\ud800y`, of + "thread?as=anthropic": `x\ud800y`,
		of + "export?form=document": `x\ud800y`, of + "export": `x\ud800y`, of + "nodes/n": `x\ud800y`, of + "thread?as=text": "x\ufffdy",
		of + "thread?as=markdown": "x\ufffdy", of + "blocks": "x\ufffdy", "grep?q=x": "x\ufffdy", of + "tree": "x\ufffdy",
	} {
		if got := string(r.must(nil, "GET", "/v1/"+path, "").body); !strings.Contains(got, want) {
			t.Errorf("%s has no %q: %.300q", path, want, got)
		}
	}
}
