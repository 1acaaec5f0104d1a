package engine

import "bytes"

// Packing makes what goes into a medium smaller. The zero value leaves it as it is. A medium is
// always used with the same.
type Packing struct {
	Pack   func(raw []byte) []byte                       // keeps nothing of raw
	Unpack func(packed []byte, size int) ([]byte, error) // size is how long what was packed was
}

func (p *Packing) pack(raw []byte) []byte {
	if p.Pack == nil {
		return bytes.Clone(raw)
	}
	return p.Pack(raw)
}

// unpack may return memory of what was packed.
func (p *Packing) unpack(packed []byte, size int) (raw []byte, err error) {
	if raw = packed; p.Unpack != nil {
		raw, err = p.Unpack(packed, size)
	}
	if err != nil || len(raw) != size {
		return nil, damaged("packed bytes cannot be read")
	}
	return raw, nil
}
