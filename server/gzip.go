package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// leastPacked is how many bytes an answer has that the server compresses.
const leastPacked = 1 << 10

// packers keeps the writers that compress answers: each has tables of a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// takesGzip reports whether the client of a request takes compressed answers.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding = strings.TrimSpace(coding); !strings.EqualFold(coding, "gzip") && coding != "*" {
			continue
		}
		_, q, given := strings.Cut(strings.TrimSpace(weight), "=")
		if least, err := strconv.ParseFloat(q, 64); !given || err == nil && least > 0 {
			return true
		}
	}
	return false
}

// packable reports whether an answer with these headers is JSON that is not compressed yet.
func packable(h http.Header) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return (kind == "application/json" || strings.HasSuffix(kind, "+json")) && h.Get("Content-Encoding") == "" &&
		h.Get("Content-Range") == "" && h.Get("Accept-Ranges") == ""
}

// pack begins to compress the answer if its first piece is long enough and the client takes that.
func (e *exchange) pack(first int) {
	h := e.Header()
	if !packable(h) {
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if first < leastPacked || !takesGzip(e.request) {
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Del("Content-Length")
	e.packer = packers.Get().(*gzip.Writer)
	e.packer.Reset(sender{e})
}

// finish ends the answer.
func (e *exchange) finish() {
	e.sendHead(0)
	if e.packer != nil {
		_ = e.packer.Close() // the client that does not take it is gone
		packers.Put(e.packer)
		e.packer = nil
	}
}

// packed returns bytes as gzip, for an answer of which a client may ask for parts.
func packed(data []byte) []byte {
	var text bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&text)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return text.Bytes()
}
