package store

import (
	"compress/flate"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
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

// ErasedRequest is the member, with the value true, of what an erasure leaves of a request.
// Beside it stay the text of the member "api" and the numbers in the member "about", which
// count tokens and milliseconds; all else could hold or give away what goes.
const ErasedRequest = "erased"

// erasedRequest returns what an erasure leaves of a packed request, "" of none.
func (f *Finder) erasedRequest(packed string) string {
	if packed == "" {
		return ""
	}
	left := []canon.Member{{Name: ErasedRequest, Value: canon.Any{Kind: canon.KindBool, Text: string(canon.True)}}}
	if request, err := UnpackRequest(packed); err == nil {
		whole := canon.Value(request).Any()
		if api, _ := whole.Get("api"); api.Kind == canon.KindString && !f.inAny(api, f.In) {
			left = append(left, canon.Member{Name: "api", Value: api})
		}
		about, _ := whole.Get("about")
		numbers := slices.DeleteFunc(slices.Clone(about.Members), func(m canon.Member) bool {
			return m.Value.Kind != canon.KindNumber || f.In(m.Name) || f.inAny(m.Value, f.In)
		})
		if len(numbers) > 0 {
			left = append(left, canon.Member{Name: "about", Value: canon.Object(numbers...)})
		}
	}
	packed, err := PackRequest(tree.JSON(canon.Object(left...).Value()))
	if err != nil {
		return "" // too long, which it is not
	}
	return packed
}

func requestTooLong() error {
	return fault.New(fault.Limit, "the part of a request to store has more than "+strconv.Itoa(MaxRequest)+" bytes",
		"send less in one request")
}

// RequestSeen returns the error for a request token that the log already has: E_CONFLICT.
func RequestSeen(token string) error {
	return fault.New(fault.Conflict, "the request token "+strconv.Quote(token)+" was used before",
		"Request returns the log entry of that call")
}
