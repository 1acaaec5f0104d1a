//go:build unix

package selector

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/contexttree/pact/fault"
)

// unreadable returns a text of n bytes in memory that may not be read: looking
// at one of them is a fault.
func unreadable(tb testing.TB, n int) string {
	tb.Helper()
	memory, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Skip("no such memory here: ", err)
	}
	tb.Cleanup(func() { _ = syscall.Munmap(memory) })
	return unsafe.String(unsafe.SliceData(memory), n)
}

// TestHugeTextIsRefusedUnread shows that a selector of a million characters
// costs nothing: not one of them is looked at, and nothing is allocated but
// the error.
func TestHugeTextIsRefusedUnread(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, n := range []int{MaxLength + 1, 1_000_000, 64 << 20} {
		text := unreadable(t, n)
		for _, e := range []Edition{V01, Depth, Canonical} {
			if _, err := Parse(text, e); fault.CodeOf(err) != fault.Limit {
				t.Errorf("%d bytes in %s: %v", n, e, err)
			}
			if _, err := ParsePosition(text, e); fault.CodeOf(err) != fault.Limit {
				t.Errorf("a position of %d bytes in %s: %v", n, e, err)
			}
		}
		if count, bytes := allocated(func() { _, _ = Parse(text, Canonical) }); count > 8 || bytes > 1024 {
			t.Errorf("refusing %d bytes allocates %d bytes in %d pieces", n, bytes, count)
		}
	}
}
