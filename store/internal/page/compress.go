package page

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Compressed bytes are a number and a body: 0 and the bytes as they are, or the uncompressed
// length and a zstd frame. The coders neither write nor read a frame that expands more than
// maxRatio times, so that a few damaged bytes cannot ask for much memory.
const maxRatio = 256

// The coders are made when the first page is written or read: most callers need at most one of
// them.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		// The sums of a page cover what a checksum of the frame would.
		e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants that tests run with
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// compress appends compressed bytes to dst.
func compress(dst, raw []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, binary.MaxVarintLen64+len(raw)/2) // compressed text takes no more
	dst = binary.AppendUvarint(dst, uint64(len(raw)))
	head := len(dst)
	if len(raw) > 0 {
		dst = encoder().EncodeAll(raw, dst)
	}
	if n := len(dst) - head; n >= len(raw) || n*maxRatio < len(raw) {
		dst = append(append(dst[:start], 0), raw...)
	}
	return dst
}

// decompress returns the bytes that compress was given, and false for bytes that compress never
// returns. The result may be a part of packed.
func decompress(packed []byte) ([]byte, bool) {
	size, n := binary.Uvarint(packed)
	if n <= 0 {
		return nil, false
	}
	packed = packed[n:]
	if size == 0 {
		return packed, true
	}
	if size > maxRatio*uint64(len(packed)) {
		return nil, false
	}
	raw, err := decoder().DecodeAll(packed, make([]byte, 0, size))
	return raw, err == nil && uint64(len(raw)) == size
}
