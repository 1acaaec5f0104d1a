package store

import (
	"compress/flate"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// MaxRequest bounds the stored part of a request, in bytes of JSON.
const MaxRequest = 256 << 20

// PackRequest compresses the part of a request that Attempt.Request holds. That part is
// canonical JSON, so that an erasure finds texts in it. E_LIMIT if it is too long.
func PackRequest(request tree.JSON) (string, error) {
	if len(request) > MaxRequest {
		return "", requestTooLong()
	}
	var packed strings.Builder
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&packed)
	_, err := io.WriteString(w, string(request))
	if err == nil {
		err = w.Close()
	}
	return packed.String(), err
}

// deflaters keeps the writers of PackRequest: each has tables of more than half a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// UnpackRequest is the inverse of PackRequest. E_DOCUMENT_INVALID for a text that PackRequest
// did not return.
func UnpackRequest(packed string) (tree.JSON, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(strings.NewReader(packed)), MaxRequest+1))
	if err != nil {
		return "", fault.Wrap(fault.DocumentInvalid, err, "a stored request cannot be read", "")
	}
	if len(text) > MaxRequest {
		return "", requestTooLong()
	}
	return tree.JSON(text), nil
}

// inRequest reports whether a packed request contains one of the texts. It says yes for a
// request that it cannot read.
func (f *Finder) inRequest(packed string) bool {
	if packed == "" || len(f.texts) == 0 {
		return false
	}
	request, err := UnpackRequest(packed)
	return err != nil || f.InValue(request)
}

func requestTooLong() error {
	return fault.New(fault.Limit, "the part of a request to store has more than "+strconv.Itoa(MaxRequest)+" bytes",
		"send less in one request")
}
