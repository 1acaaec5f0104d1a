package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// appendValues appends the values of columns so that no two lists of values
// come out alike. They are of the types that the database gives back: integers,
// texts, bytes and NULL.
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

// rowProof is what a row of node_version carries to prove that it is as it was
// written.
func rowProof(values []any) int64 {
	sum := sha256.Sum256(appendValues(make([]byte, 0, 512), values))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// chainLink goes on with the chain that runs through the log: over the link before
// and everything in the row.
func chainLink(previous []byte, values ...any) []byte {
	sum := sha256.Sum256(appendValues(append(make([]byte, 0, 512), previous...), values))
	return sum[:]
}

// chainStart is what the first row of a branch is linked to: what the context
// is from then on and, for a fork, the row that published its first snapshot.
func chainStart(previous []byte, i store.Info) []byte {
	return chainLink(previous, i.Edition, i.First, int64(i.Origin.Key), i.Origin.Cycle, i.Origin.Revision, i.Fork)
}

// digestColumn is a digest as a column holds it.
func digestColumn(digest string) (any, error) {
	if digest == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(digest)
	if err != nil || len(b) != sha256.Size {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, digest, "this is no SHA-256 in hexadecimal", "")
	}
	return b, nil
}
