package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// empty is the answer of an operation that has no body, or has written it itself.
type empty struct{}

// bytesOf adds the operations that answer with bytes.
func (s *Server) bytesOf() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/snapshot", id: "get-snapshot", writes: "application/json",
		summary: "Export the canonical document of a snapshot"},
		func(ctx context.Context, in *at) (*empty, error) {
			_, snapshot, _, err := s.state(ctx, in)
			if err != nil {
				return nil, err
			}
			return nil, stream(ctx, "application/json", func(w io.Writer) error { return snapshot.Export(ctx, w) })
		})
	type form struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		At   string `query:"at" default:"@t0" doc:"Address of the state: @t0, @t-1, @c12 or working"`
		As   string `query:"as" enum:"canonical,openai,responses,anthropic,gemini" default:"canonical" doc:"The form"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/thread", id: "get-thread", writes: "application/json",
		summary: "Return what a model is sent; the ETag is its SHA-256, and Range takes a part"},
		func(ctx context.Context, in *form) (*empty, error) {
			_, snapshot, _, err := s.state(ctx, &at{in.Name, in.At})
			if err != nil {
				return nil, err
			}
			thread, left, err := threadAs(ctx, snapshot, in.As)
			if err != nil {
				return nil, err
			}
			if left > 0 {
				exchangeOf(ctx).Header().Set("Pact-Left-Out", strconv.Itoa(left))
			}
			serveBytes(ctx, "application/json", thread)
			return nil, nil
		})
}

// serveBytes answers with bytes, or the part of them that the request asks for.
func serveBytes(ctx context.Context, mediaType string, data []byte) {
	e := exchangeOf(ctx)
	sum := sha256.Sum256(data)
	h := e.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(&plainRefusals{exchange: e}, e.request, "", time.Time{}, bytes.NewReader(data))
}

// threadAs returns the thread of a snapshot in a form, and how many blocks that form
// cannot express.
func threadAs(ctx context.Context, snapshot *pact.Snapshot, form string) ([]byte, int, error) {
	switch {
	case form == "canonical":
		thread, err := snapshot.Thread(ctx)
		return thread, 0, err
	case form == "openai" && !record.Recorded(snapshot):
		messages, err := transcript.OpenAI(ctx, snapshot)
		return messages, 0, err
	}
	return record.Thread(ctx, snapshot, form)
}

// stream answers with what write writes, piece by piece. If write fails before the first
// piece was sent, stream returns the error; later it breaks the connection, so that the
// client sees that the answer is not complete.
func stream(ctx context.Context, mediaType string, write func(io.Writer) error) error {
	e := exchangeOf(ctx)
	const piece = 64 << 10
	w := bufio.NewWriterSize(e, piece)
	e.Header().Set("Content-Type", mediaType)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil && e.status != 0 {
		panic(http.ErrAbortHandler)
	}
	return err
}
