package wire

import (
	"bytes"
	"compress/flate"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// Limits of one body. Read keeps a body beyond one of the last two raw.
const (
	MaxBody   = 64 << 20 // bytes
	maxValues = 1 << 21  // values and member names
	maxDepth  = 512      // nested containers; package canon has the same limit
)

// Body is the body of a request in the form that is stored.
type Body struct {
	// Value is the parsed body. It is absent (its Kind is canon.KindAbsent)
	// if the body is not JSON or exceeds the limits of this package. Of several
	// members with one name it has the last.
	Value canon.Any
	Notes Notes
}

// Read takes a body apart. Bytes restores the same bytes for every body, even
// one that is not JSON. Read refuses a body of more than MaxBody bytes with
// E_LIMIT. Time is linear in the body; memory is a few times its size and at
// most some hundred bytes for each value in it.
func Read(body []byte) (Body, error) {
	p, err := parserOf(body)
	if err != nil {
		return Body{}, err
	}
	value, ok := p.document()
	if !ok {
		return Body{Notes: Notes{Raw: pack(body)}}, nil
	}
	read := Body{Value: value}
	if p.exact {
		read.Notes = p.notes()
		again, err := read.written(len(body))
		if err == nil && bytes.Equal(again, body) {
			return read, nil
		}
	}
	read.Notes = Notes{Raw: pack(body)}
	return read, nil
}

// IsObject reports whether Read gives a body a value that is an object, with the errors of Read. It keeps
// nothing of the body.
func IsObject(body []byte) (bool, error) {
	p, err := parserOf(body)
	if err != nil {
		return false, err
	}
	p.dry = true
	value, ok := p.document()
	return ok && value.Kind == canon.KindObject, nil
}

func parserOf(body []byte) (*parser, error) {
	if len(body) > MaxBody {
		return nil, fault.New(fault.Limit,
			"a body has more than "+strconv.Itoa(MaxBody)+" bytes", "send less in one request")
	}
	return &parser{text: string(body), known: map[string]*object{}}, nil
}

// Bytes returns the body as it was on the wire. E_DOCUMENT_INVALID if the notes
// do not fit the value.
func (b Body) Bytes() ([]byte, error) {
	if b.Notes.Raw != nil {
		return unpack(b.Notes.Raw)
	}
	return b.written(size(b.Value))
}

// written writes a body of about so many bytes.
func (b Body) written(size int) ([]byte, error) {
	w := newWriter(b.Notes, make([]byte, 0, size))
	w.value(b.Value)
	return w.done()
}

// size returns about how many bytes a value takes, without escapes and spaces.
func size(v canon.Any) int {
	n := len(v.Text) + len(`"",`)
	for i := range v.Elems {
		n += size(v.Elems[i])
	}
	for i := range v.Members {
		n += len(v.Members[i].Name) + len(`"":`) + size(v.Members[i].Value)
	}
	return n
}

// pack compresses a body to keep it raw. It never returns nil.
func pack(body []byte) []byte {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer accepts every byte, and the compression level is valid
	}
	return packed.Bytes()
}

func unpack(raw []byte) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), MaxBody+1))
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "a body that was kept raw cannot be read",
			"restore the store from a backup or an export")
	}
	if len(body) > MaxBody {
		return nil, foreign("they hold a body that is too long")
	}
	return body, nil
}

// foreign returns the error for notes that do not fit their value.
func foreign(why string) error {
	return fault.New(fault.DocumentInvalid, "these notes do not belong to this body: "+why,
		"restore the store from a backup or an export")
}
