package history

import (
	"compress/flate"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
)

// MaxRequest bounds the stored part of a request, in bytes of JSON.
const MaxRequest = 256 << 20

// PackRequest compresses the part of a request that Attempt.Request holds. That part is
// canonical JSON, so that an erasure finds texts in it. E_LIMIT if it is too long.
func PackRequest(request string) (string, error) {
	if len(request) > MaxRequest {
		return "", requestTooLong()
	}
	var packed strings.Builder
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&packed)
	_, err := io.WriteString(w, request)
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
func UnpackRequest(packed string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(strings.NewReader(packed)), MaxRequest+1))
	if err != nil {
		return "", fault.Wrap(fault.DocumentInvalid, err, "a stored request cannot be read", "")
	}
	if len(text) > MaxRequest {
		return "", requestTooLong()
	}
	return string(text), nil
}

// ErasedRequest is the member, with the value true, of what an erasure leaves of a request.
// Beside it stay the text of the member "api" and the numbers in the member "about", which
// count tokens and milliseconds; all else could hold or give away what goes.
const ErasedRequest = "erased"

// ErasedCall is the member with which a log is told that its call was erased: what [DB.Keyed] of package
// pact returns of the text of the member "call".
const ErasedCall = "erased_call"

func requestTooLong() error {
	return fault.New(fault.Limit, "the part of a request to store has more than "+strconv.Itoa(MaxRequest)+" bytes",
		"send less in one request")
}
