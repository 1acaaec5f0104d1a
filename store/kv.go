package store

import (
	"context"
	"errors"
	"iter"
	"slices"
)

// ErrRefused is the error of Write for a batch of which an expectation, an append or a replacement does
// not hold. Nothing of the batch was written.
var ErrRefused = errors.New("the store does not hold what the batch expects")

// Space is a part of a store: 0 is the store's own, any other belongs to one context. A space
// is at most [MaxSpace], and every key and every record leads with it, so that writers of
// different contexts meet in no row.
type Space int64

// The limits of numbers: both fit together into the 63 bits of a row number of SQLite.
const (
	MaxSpace  Space = 1<<27 - 1
	MaxNumber int64 = 1<<36 - 1
)

// Key is the place of a value. Keys of a space order by the bytes of Name.
type Key struct {
	Space Space
	Name  string
}

// Pair is a value at its key.
type Pair struct {
	Key
	Value []byte
}

// Record is an entry in the log of a space. Numbers begin with 1. A record is appended behind the
// one before it, and no other way, so that of two writers who append the same number one is
// refused.
type Record struct {
	Space  Space
	Number int64
	Value  []byte
	Rest   []byte // the second part of the value, which not every reader needs
}

// Span is the keys of a space from From up to, but without, To.
type Span struct {
	Space    Space
	From, To string
}

// Cut is the records of a space from First to Last, both included. Log leaves Rest out of them, and does
// not read it, if Heads is set.
type Cut struct {
	Space       Space
	First, Last int64
	Heads       bool
}

// State is what a batch expects of a key.
type State uint8

// The states.
const (
	Present State = iota // any value
	Absent               // none
	Equal                // the value of the expectation
)

// Expectation is what must hold for a batch to be written.
type Expectation struct {
	Key
	State State
	Value []byte
}

// Batch is written as a whole or not at all. Write tests the expectations and appends, then it
// deletes and cuts, then it puts and replaces. A batch puts no key twice, and a record is in one of its
// lists only; a key that is put may be expected and deleted too, a record that is appended may be cut.
type Batch struct {
	Expect  []Expectation
	Delete  []Span
	Cut     []Cut
	Put     []Pair
	Replace []Record // each must be there
	Append  []Record // each must not be there, but the record before it, unless its number is 1 or that is cut
}

// Cuts reports whether a batch cuts a record.
func (b *Batch) Cuts(space Space, number int64) bool {
	return slices.ContainsFunc(b.Cut, func(c Cut) bool { return c.Space == space && number >= c.First && number <= c.Last })
}

// Order is the order of a range.
type Order bool

// The orders.
const (
	Ascending  Order = false
	Descending Order = true
)

// Reader reads what a store holds. A value is nil if there is none, and never nil if there is
// one. Nobody changes a value that was read. What an iterator yields is as it was at one moment;
// its error ends it.
type Reader interface {
	// Get returns the value of a key.
	Get(ctx context.Context, k Key) ([]byte, error)
	// Range yields the pairs of a span in the order of their names.
	Range(ctx context.Context, s Span, o Order) iter.Seq2[Pair, error]
	// Log yields the records of a cut that are there, in the order of their numbers.
	Log(ctx context.Context, c Cut, o Order) iter.Seq2[Record, error]
}

// Store keeps values and logs. Its methods are safe for concurrent use. Errors are of package
// fault, E_STORE or E_BUSY, but for ErrRefused.
type Store interface {
	Reader
	// View calls f with a reader of what the store holds at one moment, and returns f's error.
	// The reader is not used after f. A store that loses its medium meanwhile calls f again, and
	// f begins anew.
	View(ctx context.Context, f func(Reader) error) error
	// Write makes all changes of a batch or none. They are durable when it returns nil, and seen
	// by every later call of any process.
	Write(ctx context.Context, b *Batch) error
	// Close releases the store. Later calls fail.
	Close() error
}

// Cleaner is a store that may keep what was deleted in places that nothing refers to, such as free
// room in a file. The engine calls it after an erasure. A type that wraps a Cleaner must be one: without
// it, an erasure says that nothing remains while bytes do.
type Cleaner interface {
	// Clean removes it for good. remains says why some of it may still be there, "" if nothing is.
	// Cost: writing everything in the store once, while others may have to wait.
	Clean(ctx context.Context) (remains string, err error)
}

// Latest is what a [Latester] tells of a space.
type Latest struct {
	Value []byte
	Last  Record // its Number is 0 if the log is empty
	Long  bool   // Last is without its value, which has more than [MostAhead] bytes
}

// MostAhead is how many bytes of the last record of a log are told ahead.
const MostAhead = 64 << 10

// Latester is a reader that answers at once what the engine asks first of a context.
type Latester interface {
	// Latest returns, of those spaces that have a key, its value and the last record of the log without
	// Rest, as they were at one moment.
	Latest(ctx context.Context, name string, spaces ...Space) (map[Space]Latest, error)
}

// Checker is a store that can look for damage in its own structures, such as the tables of a file.
type Checker interface {
	// Check says in words what is damaged, "" if nothing is. Cost: reading the whole store.
	Check(ctx context.Context) (damage string, err error)
}

// Spacer is a store that can say which spaces hold something.
type Spacer interface {
	// Spaces returns them in no order. Cost: reading all keys.
	Spaces(ctx context.Context) ([]Space, error)
}

// Packing makes what goes into a store smaller. The zero value leaves it as it is. A store is
// always used with the same.
type Packing struct {
	Pack   func(raw []byte) []byte                       // keeps nothing of raw
	Unpack func(packed []byte, size int) ([]byte, error) // size is how long what was packed was
}

// Packer is a store that is slower than packing. A type that wraps a Packer must be one: what the store
// packed reads as damaged without it.
type Packer interface {
	Packing() Packing
}
