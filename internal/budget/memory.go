package budget

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
)

// Memory limits how many bytes some calls may hold at once, all of them together. It is safe for
// concurrent use.
type Memory struct {
	most   int64
	remedy string // of its refusals
	held   atomic.Int64
	outer  *Memory // counts the same bytes, nil for none
	shared bool    // by calls that know nothing of each other
}

// NewShared returns a Memory for calls that know nothing of each other, such as the requests to a
// server. A refusal is E_BUSY: memory may be free later.
func NewShared(most int64) *Memory { return &Memory{most: most, shared: true} }

type memoryKey struct{}

// WithMemory returns a context whose calls may hold so many bytes at once, with the Memory that counts
// them. A Memory that ctx has already counts the same bytes: so a server gives an import a part of what
// all requests may hold. remedy says what to do if it is too little. Close it when the calls are over.
func WithMemory(ctx context.Context, most int64, remedy string) (context.Context, *Memory) {
	m := &Memory{most: most, remedy: remedy}
	m.outer, _ = ctx.Value(memoryKey{}).(*Memory)
	return m.Context(ctx), m
}

// Context returns a context whose calls share the rest of m.
func (m *Memory) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// Close gives back what the calls have not released.
func (m *Memory) Close() {
	if n := m.held.Swap(0); m.outer != nil {
		m.outer.release(n, nil)
	}
}

// Reserved returns how many bytes are held now.
func (m *Memory) Reserved() int64 { return m.held.Load() }

// Reserve counts bytes that the caller is about to allocate, until it calls release, once, or the Memory
// is closed. E_LIMIT if they are too many; nothing is counted then. A context without a Memory allows
// everything.
func Reserve(ctx context.Context, n int64) (release func(), err error) {
	m, _ := ctx.Value(memoryKey{}).(*Memory)
	for at := m; at != nil; at = at.outer {
		if at.held.Add(n) <= at.most {
			continue
		}
		at.held.Add(-n)
		m.release(n, at)
		if at.shared {
			return nil, fault.New(fault.Busy, "others hold most of the "+size(at.most)+" of memory that all share",
				"try it again in a moment")
		}
		return nil, fault.New(fault.Limit, "it needs more memory than the "+size(at.most)+" that it may take", at.remedy)
	}
	return func() { m.release(n, nil) }, nil
}

// release gives bytes back to m and those around it, up to one that did not take them.
func (m *Memory) release(n int64, end *Memory) {
	for ; m != end; m = m.outer {
		m.held.Add(-n)
	}
}

// ReadAll is io.ReadAll, and holds the bytes before it makes room for them. The caller calls release
// once, after an error too. It keeps pieces and joins them at the end: a slice that doubles would leave
// up to half of its room unused for as long as the caller has it.
func ReadAll(ctx context.Context, r io.Reader) (data []byte, release func(), err error) {
	const smallest, largest = 4 << 10, 1 << 20
	var pieces [][]byte
	var held []func()
	drop := func() {
		for _, release := range held {
			release()
		}
	}
	for room := int64(smallest); ; room = min(2*room, largest) {
		release, err := Reserve(ctx, room)
		if err != nil {
			return nil, drop, err
		}
		held = append(held, release)
		piece := make([]byte, room)
		n := 0
		for n < len(piece) && err == nil {
			var more int
			more, err = r.Read(piece[n:])
			n += more
		}
		pieces = append(pieces, piece[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, drop, err
		}
	}
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	if release, err = Reserve(ctx, int64(size)); err != nil {
		return nil, drop, err
	}
	data = bytes.Join(pieces, nil)
	drop()
	return data, release, nil
}

// size writes a number of bytes for people.
func size(n int64) string {
	const mega = 1 << 20
	if n >= mega && n%mega == 0 {
		return strconv.FormatInt(n/mega, 10) + " MiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
