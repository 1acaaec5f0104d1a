package engine

import (
	"encoding/binary"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// The space of the store itself holds the names of contexts, of unfinished copies and of access
// tokens, the secret of the store, every branch by its key, the next free key, and which families may have erased text left
// in the medium.
const (
	common        store.Space = 0
	namePrefix                = "n"
	branchPrefix              = "l"
	tokenPrefix               = "t"
	copyPrefix                = "u"
	nextKey                   = "k"
	secretKey                 = "s"
	uncleanPrefix             = "e" // by the key of the first branch of the family
)

// The space of a branch holds the facts that no revision changes, how far it is settled, the counter of its first
// branch, its forks, and the rows that come with revisions. The log of the space has one record a revision.
const (
	aboutKey      = "i"
	lastKey       = "d" // the last record without its nodes, if it is a long one
	settledKey    = "z"
	forksKey      = "f" // in the first branch of a family: how many numbers forks got
	childPrefix   = "x" // by the key of a fork that began in this branch: the revision it began with
	attemptPrefix = "a" // by cycle and number
	joinedPrefix  = "j" // by the last cycle: attempts of joined cycles
	requestPrefix = "r" // by request token: the revision
	indexPrefix   = "s" // by last revision: the index of a segment
	headPrefix    = "h" // by last revision: its records
	blockPrefix   = "b" // by last revision and number: contents of the segment
	pointPrefix   = "c" // by cycle: a checkpoint
	pagePrefix    = "p" // by number: its pages
)

// ordered writes a number so that the bytes order as the numbers do.
func ordered(n int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)^1<<63)
	return string(b[:])
}

// number is the inverse of ordered.
func number[T string | []byte](b T) (int64, error) {
	if len(b) != 8 {
		return 0, damaged("a number in a key or a row is too short")
	}
	return int64(binary.BigEndian.Uint64([]byte(b)) ^ 1<<63), nil
}

func at(space store.Space, name string) store.Key { return store.Key{Space: space, Name: name} }

func in(key history.Key, name string) store.Key { return at(store.Space(key), name) }

// under is the span of the keys that begin with a prefix of one byte and go on as from or higher.
func under(key store.Space, prefix, from string) store.Span {
	return store.Span{Space: key, From: prefix + from, To: string(prefix[0] + 1)}
}

// spanOfKey is the span of one key.
func spanOfKey(k store.Key) store.Span {
	return store.Span{Space: k.Space, From: k.Name, To: k.Name + "\x00"}
}

// spaceSpan is the span of all keys of a space.
func spaceSpan(key history.Key) store.Span { return store.Span{Space: store.Space(key), To: "\xff"} }
