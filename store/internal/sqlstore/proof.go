package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// appendValues appends an encoding of column values that differs for any two lists. The values
// have the types that the database returns: integers, texts, bytes and NULL.
func appendValues(buf []byte, values []any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			buf = binary.AppendVarint(append(buf, 'i'), v)
		case string:
			buf = append(binary.AppendUvarint(append(buf, 's'), uint64(len(v))), v...)
		case []byte:
			buf = append(binary.AppendUvarint(append(buf, 'b'), uint64(len(v))), v...)
		default:
			buf = append(buf, 'n')
		}
	}
	return buf
}

// rowProof computes the checksum that a row of a context, a node or an attempt
// carries: the first 64 bits of the SHA-256 of its other values.
func rowProof(values []any) int64 {
	sum := sha256.Sum256(appendValues(make([]byte, 0, 512), values))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// chainLink computes the link of a row of the log: a SHA-256 over the link of the previous row
// and the values of the row.
func chainLink(previous []byte, values ...any) []byte {
	sum := sha256.Sum256(appendValues(append(make([]byte, 0, 512), previous...), values))
	return sum[:]
}

// chainStart computes what the first row of a branch is linked to: the properties of the
// context that never change and, for a fork, the link of the row that published its first
// snapshot.
func chainStart(previous []byte, i store.Info) []byte {
	return chainLink(previous, i.Edition, i.First, int64(i.Origin.Key), i.Origin.Cycle, i.Origin.Revision, i.Fork)
}

// digestColumn decodes a digest in hexadecimal to the bytes that a column holds,
// nil for "".
func digestColumn(digest string) (any, error) {
	if digest == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(digest)
	if err != nil || len(b) != sha256.Size {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, digest, "this is not a SHA-256 in hexadecimal", "")
	}
	return b, nil
}
