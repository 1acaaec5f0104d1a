package engine

import (
	"bytes"

	"github.com/contexttree/pact/store"
)

// packing calls the functions of a store.Packing, which may be nil.
type packing store.Packing

func (p *packing) pack(raw []byte) []byte {
	if p.Pack == nil {
		return bytes.Clone(raw)
	}
	return p.Pack(raw)
}

// unpack may return memory of what was packed.
func (p *packing) unpack(packed []byte, size int) (raw []byte, err error) {
	if raw = packed; p.Unpack != nil {
		raw, err = p.Unpack(packed, size)
	}
	if err != nil || len(raw) != size {
		return nil, damaged("packed bytes cannot be read")
	}
	return raw, nil
}
