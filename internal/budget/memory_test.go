package budget_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"pgregory.net/rapid"
)

// TestMemoryAgreesWithModel: two Memories in one of all hold what was taken from them and not given
// back, and refuse what would not fit in either of the two around it.
func TestMemoryAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all, each := rapid.Int64Range(0, 2000).Draw(rt, "all"), rapid.Int64Range(0, 1000).Draw(rt, "each")
		ctx, outer := budget.WithMemory(t.Context(), all, "divide it")
		first, one := budget.WithMemory(ctx, each, "divide it")
		second, two := budget.WithMemory(ctx, each, "divide it")
		var held [2]int64
		type taken struct {
			by      int
			bytes   int64
			release func()
		}
		var list []taken
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			if len(list) > 0 && rapid.Bool().Draw(rt, "release") {
				i := rapid.IntRange(0, len(list)-1).Draw(rt, "which")
				list[i].release()
				held[list[i].by] -= list[i].bytes
				list = append(list[:i], list[i+1:]...)
			} else {
				by, n := rapid.IntRange(0, 1).Draw(rt, "by"), rapid.Int64Range(0, 500).Draw(rt, "bytes")
				in := first
				if by == 1 {
					in = second
				}
				release, err := budget.Reserve(in, n)
				fits := held[by]+n <= each && held[0]+held[1]+n <= all
				if (err == nil) != fits || err != nil && fault.CodeOf(err) != fault.Limit {
					rt.Fatalf("%d bytes beside %v of %d each, %d in all: %v", n, held, each, all, err)
				}
				if err == nil {
					list, held[by] = append(list, taken{by, n, release}), held[by]+n
				}
			}
			if one.Reserved() != held[0] || two.Reserved() != held[1] || outer.Reserved() != held[0]+held[1] {
				rt.Fatalf("%d, %d and %d are held, want %v", one.Reserved(), two.Reserved(), outer.Reserved(), held)
			}
		}
		one.Close()
		if one.Reserved() != 0 || outer.Reserved() != held[1] {
			rt.Fatalf("%d are held after Close, %d in all, want %d", one.Reserved(), outer.Reserved(), held[1])
		}
	})
}

// TestWithoutAMemoryEverythingIsAllowed: a caller who set no limit has none.
func TestWithoutAMemoryEverythingIsAllowed(t *testing.T) {
	release, err := budget.Reserve(t.Context(), 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestReadAllHoldsWhatItReads: the bytes come unchanged and are held until they are released; of a
// text that does not fit no more is read than fits.
func TestReadAllHoldsWhatItReads(t *testing.T) {
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		text := []byte(strings.Repeat("pact", n/4+1)[:n])
		ctx, memory := budget.WithMemory(t.Context(), 4<<20, "divide it")
		got, release, err := budget.ReadAll(ctx, iotest.HalfReader(bytes.NewReader(text)))
		if err != nil || !bytes.Equal(got, text) || memory.Reserved() < int64(n) {
			t.Errorf("%d of %d bytes, %d held, %v", len(got), n, memory.Reserved(), err)
		}
		if release(); memory.Reserved() != 0 {
			t.Errorf("%d bytes stay held of %d", memory.Reserved(), n)
		}
	}
	ctx, memory := budget.WithMemory(t.Context(), 1<<20, "divide it")
	endless := &counted{}
	_, release, err := budget.ReadAll(ctx, endless)
	release()
	if fault.CodeOf(err) != fault.Limit || !strings.Contains(fmt.Sprint(err), "1 MiB") || endless.n > 1<<20 ||
		memory.Reserved() != 0 {
		t.Errorf("%v after %d bytes, %d held", err, endless.n, memory.Reserved())
	}
	broken := errors.New("broken")
	_, release, err = budget.ReadAll(ctx, iotest.ErrReader(broken))
	release()
	if !errors.Is(err, broken) || memory.Reserved() != 0 {
		t.Errorf("%v, %d held", err, memory.Reserved())
	}
}

// counted is an endless text that counts what was read of it.
type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

// TestReadAllTellsATruncatedTextFromItsEnd reads a text whose reader says that it broke off.
func TestReadAllTellsATruncatedTextFromItsEnd(t *testing.T) {
	for _, size := range []int{0, 1, 4 << 10, 3<<20 + 1} {
		text := strings.Repeat("x", size)
		data, release, err := budget.ReadAll(t.Context(), iotest.OneByteReader(strings.NewReader(text)))
		if release(); err != nil || string(data) != text {
			t.Errorf("%d bytes came back as %d, %v", size, len(data), err)
		}
		broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
		_, release, err = budget.ReadAll(t.Context(), broken)
		if release(); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes that broke off: %v", size, err)
		}
	}
}
