// Package wire keeps the JSON body of a request as two things: its value, and
// notes on how that value was written. Value and notes together give back the
// same bytes.
//
// The value is what the request says, in the canonical form of package canon:
// members sorted, one spelling for each number and string. It is what contents
// of nodes are, what is compared, and what two calls share. The notes hold what
// else was on the wire: the order of members, white space, escapes, and numbers
// that were not spelled canonically. Clients write in few ways, so notes are
// short: most of a body costs none.
//
// Where value and notes cannot give the same bytes, the notes hold the body
// itself, compressed ([Notes.Raw]). Read tries what it returns before it returns
// it, so that this is known when a body is taken, not when it is asked for.
package wire

import (
	"bytes"
	"compress/flate"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// What one body may cost. A body beyond the last two is kept raw.
const (
	MaxBody   = 64 << 20 // bytes
	maxValues = 1 << 21  // values and names
	maxDepth  = 512      // containers inside one another, as package canon takes them
)

// Body is the body of a request as it is kept.
type Body struct {
	// Value is what the body says. It is absent (its Kind is canon.KindAbsent)
	// where the body is not JSON, or beyond the limits of this package. Of members
	// with the same name it has the last.
	Value canon.Any
	Notes Notes
}

// Read takes a body apart. Bytes gives the same bytes back for any body, also
// one that is not JSON. It refuses a body of more than MaxBody bytes with
// E_LIMIT. Time is linear in the body; memory is a few times its size and at
// most some hundred bytes for each value in it.
func Read(body []byte) (Body, error) {
	if len(body) > MaxBody {
		return Body{}, fault.New(fault.Limit,
			"a body has more than "+strconv.Itoa(MaxBody)+" bytes", "send less in one request")
	}
	p := &parser{text: string(body)}
	value, ok := p.whole()
	if !ok {
		return Body{Notes: Notes{Raw: pack(body)}}, nil
	}
	read := Body{Value: value}
	if p.exact {
		read.Notes = p.notes()
		again, err := read.Bytes()
		if err == nil && bytes.Equal(again, body) {
			return read, nil
		}
	}
	read.Notes = Notes{Raw: pack(body)}
	return read, nil
}

// Bytes returns the body as it was on the wire. It fails with E_DOCUMENT_INVALID
// if the notes are not those of the value.
func (b Body) Bytes() ([]byte, error) {
	if b.Notes.Raw != nil {
		return unpack(b.Notes.Raw)
	}
	w := newWriter(b.Notes)
	w.value(b.Value)
	return w.done()
}

// pack compresses a body that is kept raw. It never returns nil.
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
		panic(err) // a buffer takes every byte, and the level is one that exists
	}
	return packed.Bytes()
}

func unpack(raw []byte) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), MaxBody+1))
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "a body that was kept raw cannot be read", "")
	}
	if len(body) > MaxBody {
		return nil, foreign("they hold a longer body than there can be")
	}
	return body, nil
}

// foreign is the error for notes that are not those of the value beside them.
func foreign(why string) error {
	return fault.New(fault.DocumentInvalid, "these notes do not belong to this body: "+why, "")
}
