// Package zstd packs what stores keep that are slower than packing.
package zstd

import (
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/contexttree/pact/store"
)

// Packing packs contents a tenth smaller than zstd does at its fastest.
var Packing = store.Packing{Pack: pack, Unpack: unpack}

// The coders are made when they are needed first. Their options are valid, so that making them
// cannot fail. The sums of the engine cover what a checksum of the frame would.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
		return d
	})
)

func pack(raw []byte) []byte { return encoder().EncodeAll(raw, make([]byte, 0, len(raw)/2)) }

func unpack(packed []byte, size int) ([]byte, error) {
	raw, err := decoder().DecodeAll(packed, make([]byte, 0, size))
	if err == nil && len(raw) != size {
		err = errors.New("another length than was packed")
	}
	return raw, err
}
