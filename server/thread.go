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
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"

	"github.com/danielgtaylor/huma/v2"
)

// empty is the answer of an operation that has no body, or has written it itself.
type empty struct{}

// bytesOf adds the operation that answers with the bytes of a thread.
func (s *Server) bytesOf() {
	type form struct {
		Name string     `path:"name" doc:"Name of the context; a / in it is written %2F"`
		At   string     `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
		As   threadForm `query:"as" default:"canonical" doc:"The form"`

		Whole   bool  `query:"whole" doc:"Of the form of an API, the whole request with model and parameters"`
		Attempt int64 `query:"attempt" minimum:"0" doc:"Of verbatim, the number of the attempt in its cycle; 0 for the last"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/thread", id: "get-thread",
		writes: "application/json,text/plain,text/markdown", ranges: true,
		summary: "Return what a model is sent; the ETag is its SHA-256, and Range takes a part"},
		func(ctx context.Context, in *form) (*empty, error) {
			c, snapshot, err := s.snapshotAt(ctx, in.Name, in.At)
			if err != nil {
				return nil, err
			}
			_, size := snapshot.ThreadSize()
			if _, err := budget.Reserve(ctx, 2*size); err != nil { // the thread, and a form that is made of it
				return nil, err
			}
			if in.Attempt > 0 && in.As != verbatim {
				return nil, fault.New(fault.DocumentInvalid, "attempt needs as=verbatim", "leave attempt out")
			}
			if in.As == verbatim {
				body, err := record.Request(ctx, c, snapshot.Cycle(), in.Attempt)
				if err != nil {
					return nil, err
				}
				serveBytes(ctx, "application/json", body.Bytes)
				return nil, nil
			}
			if kind := kindOfReading[in.As]; kind != "" {
				text, err := view.Thread(ctx, snapshot, in.As == "markdown")
				if err != nil {
					return nil, err
				}
				serveBytes(ctx, kind, text)
				return nil, nil
			}
			thread, left, err := threadAs(ctx, c, snapshot, in.As, in.Whole)
			if err != nil {
				return nil, err
			}
			if in.As != "canonical" {
				refused, err := record.LeftOut(ctx, snapshot)
				if err != nil {
					return nil, err
				}
				left += len(refused)
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
	if mediaType == "application/json" {
		h.Add("Vary", "Accept-Encoding")
		if len(data) >= leastPacked && e.request.Header.Get("Range") == "" && takesGzip(e.request) {
			data = packed(data)
			h.Set("Content-Encoding", "gzip")
			h.Set("ETag", "W/"+h.Get("ETag")) // other bytes than those of which the client may ask for a part
		}
	}
	http.ServeContent(&problemWriter{exchange: e}, e.request, "", time.Time{}, bytes.NewReader(data))
}

// verbatim is the form of a thread that is the body of the request as it was recorded.
const verbatim threadForm = "verbatim"

// threadForm is a form of a thread: verbatim, or one of threadForms.
type threadForm string

// threadForms are the forms that every thread has, recorded or not.
var threadForms = []threadForm{"canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown"}

// Schema implements huma.SchemaProvider.
func (threadForm) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, form := range append(threadForms, verbatim) {
		s.Enum = append(s.Enum, string(form))
	}
	return s
}

// kindOfReading is the media type of the forms for people.
var kindOfReading = map[threadForm]string{
	"text": "text/plain; charset=utf-8", "markdown": "text/markdown; charset=utf-8",
}

// threadAs returns the thread of a snapshot in a form, and how many blocks that form
// cannot express.
func threadAs(ctx context.Context, c *pact.Context, snapshot *pact.Snapshot, form threadForm, whole bool) ([]byte, int,
	error) {
	switch {
	case form == "canonical":
		thread, err := snapshot.Thread(ctx)
		return thread, 0, err
	case whole:
		return record.WholeRequest(ctx, c, snapshot, string(form))
	case form == "openai" && !record.Recorded(snapshot):
		messages, err := transcript.OpenAI(ctx, snapshot)
		return messages, 0, err
	}
	return record.Thread(ctx, snapshot, string(form))
}

// stream answers with what write writes, piece by piece. If write fails before the first
// piece was sent, stream returns the error; later it breaks the connection, so that the
// client sees that the answer is not complete.
func stream(ctx context.Context, mediaType string, write func(io.Writer) error) error {
	e := exchangeOf(ctx)
	const piece = 64 << 10
	w := bufio.NewWriterSize(e, piece)
	e.Header().Set("Content-Type", mediaType)
	err := func() (err error) {
		return write(w)
	}()
	if err == nil {
		err = w.Flush()
	}
	if err != nil && e.status != 0 {
		panic(http.ErrAbortHandler)
	}
	return err
}
