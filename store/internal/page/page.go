package page

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/contexttree/pact/store"
)

// Row is one version of a node, or its death. The texts of a decoded row share the memory of
// their page.
type Row struct {
	Birth, NID int64
	Death      string // why the node is gone, "" for a version; a death has no fields below

	Parent    int64 // nid, 0 for the root
	ID, Type  string
	Offset    int64
	Priority  int64
	Cycle     int64 // that introduced the node
	CreatedNS int64
	ISO       string // CreatedNS as text, unless it has the usual form
	Index     int64  // creation_index
	Expiry    int64  // tree.Never if there is none
	Headers   string // JSON object of optional and custom headers, "" if there is none
	Named     bool   // the id does not name the cycle of birth
	Size      int    // bytes of the content, 0 if there is none
	Hash      []byte // content hash, 32 bytes or nil

	// Where the content is: the number of its block, and its offset in that block in bytes. The
	// builder and Decode set them.
	Block, At int
}

// Dead reports whether the row is a death.
func (r *Row) Dead() bool { return r.Death != "" }

// Page is what a Builder returns.
type Page struct {
	Head   []byte
	Blocks [][]byte
}

// Block is what a head says about one of its blocks.
type Block struct {
	Size int               // uncompressed, in bytes
	Sum  [sha256.Size]byte // of the stored bytes
}

// Index is the decoded content of a head.
type Index struct {
	Rows   []Row
	Blocks []Block
}

// Digest returns the SHA-256 of a head and of its place, which the caller expresses as numbers.
func Digest(head []byte, place ...int64) [sha256.Size]byte {
	h := sha256.New()
	buf := make([]byte, 0, 64)
	for _, n := range place {
		buf = binary.BigEndian.AppendUint64(buf, uint64(n))
	}
	h.Write(buf)
	h.Write(head)
	return [sha256.Size]byte(h.Sum(nil))
}

// damaged is the error for bytes that no builder made.
func damaged(what string) error {
	return (&store.Damage{NoCycle: true, What: "a page of rows is damaged: " + what}).Err()
}
