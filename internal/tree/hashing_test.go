package tree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"io"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
)

// counting counts what a hash takes.
type counting struct {
	hash.Hash
	taken int
}

func (c *counting) Write(b []byte) (int, error) {
	c.taken += len(b)
	return c.Hash.Write(b)
}

func (c *counting) MarshalBinary() ([]byte, error) {
	return c.Hash.(encoding.BinaryMarshaler).MarshalBinary()
}

func (c *counting) UnmarshalBinary(b []byte) error {
	return c.Hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
}

// hashed is the hash of the thread of a tree and its size, held to those of its bytes, and how
// many bytes it took. If only is set nobody wants the bytes.
func hashed(t *testing.T, tr *Tree, only bool) int {
	t.Helper()
	c := &counting{Hash: sha256.New()}
	r := newRendering(context.Background(), tr, io.Discard, canonical)
	r.hash, r.only = &hashing{h: c}, only
	if err := r.all(); err != nil {
		t.Fatal(err)
	}
	got := r.hash.sum()
	var b bytes.Buffer
	if err := tr.WriteThread(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	if got != sha256.Sum256(b.Bytes()) || r.hash.size != int64(b.Len()) {
		t.Fatal("hash and size are not those of the bytes")
	}
	return c.taken
}

// TestHashTakesWhatIsNew: once a thread was hashed, that of the next snapshot
// takes ^sys, the turn that is new and what comes after it, at every size and
// however runs of turns grow together.
func TestHashTakesWhatIsNew(t *testing.T) {
	testrun.OneGoroutine(t)
	for i := range 6 {
		turns, only := []int{100, 1_000, 16_000}[i/2], i%2 == 1
		block := func(id string, content string) *Node {
			return NewNode(Node{ID: id, Type: "block", Expiry: Never, Content: Hold(canon.String(content))}, nil)
		}
		turn := func(i int) Born {
			n := NewNode(Node{ID: fmt.Sprint("seg", i), Type: "seg", CreatedNS: int64(i), Expiry: Never}, nil)
			return Born{Node: n, Parent: "seq"}
		}
		region := func(class string, index int64) *Node {
			return NewNode(Node{ID: class, Type: "^" + class, Index: index, Expiry: Never}, nil)
		}
		nodes := []Placed{{region("root", 0), -1}, {region("sys", 1), 0}, {region("seq", 2), 0}, {region("ah", 3), 0},
			{block("rule", "be kind"), 1}}
		for i := range turns {
			nodes = append(nodes, Placed{turn(i).Node, 2}, Placed{block(fmt.Sprint("b", i), "hello"), len(nodes)})
		}
		tr, err := Build(0, nodes)
		if err != nil {
			t.Fatal(err)
		}
		_, size := tr.ThreadSize()
		if taken := hashed(t, tr, only); int64(taken) != size {
			t.Fatalf("%d turns: the first hash took %d bytes of %d", turns, taken, size)
		}
		rule := sure.Get(tr.Node("rule")).ThreadBytes(Sys)
		for i := turns; i < turns+600; i++ {
			added := block(fmt.Sprint("b", i), "how are you?")
			tr = sure.Get(tr.Patch(0, nil, []Born{turn(i), {Node: added, Parent: fmt.Sprint("seg", i)}}))
			want := len("[") + rule + len(",") + added.ThreadBytes(Seq) + len("]")
			if taken := hashed(t, tr, only); taken != want {
				t.Fatalf("%d turns: the hash of one more took %d bytes, want %d", i, taken, want)
			}
		}
		first := fmt.Sprint("b", 0)
		tr = sure.Get(tr.Patch(0, []string{first}, nil))
		if _, size := tr.ThreadSize(); int64(hashed(t, tr, only)) != size {
			t.Errorf("without the first block, everything is to be hashed")
		}
	}
}

// TestFormsOfATreeAreFew: what the last two forms wrote is kept beside a turn,
// and no more.
func TestFormsOfATreeAreFew(t *testing.T) {
	node := func(id, nodeType string) *Node { return NewNode(Node{ID: id, Type: nodeType, Expiry: Never}, nil) }
	tr, err := Build(0, []Placed{{node("root", "^root"), -1}, {node("seq", "^seq"), 0}, {node("t", "seg"), 1},
		{node("b", "block"), 2}})
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	var forms []*Form
	for i := range 6 {
		forms = append(forms, &Form{Write: func(r *Rendering, part *Entry, _ Class) {
			written++
			r.End(fmt.Appendf(r.Begin(), "%d", i), nil)
		}})
	}
	ask := func(i, want int) {
		t.Helper()
		var b bytes.Buffer
		if err := tr.WriteAs(context.Background(), &b, forms[i]); err != nil || b.String() != fmt.Sprintf("[%d]", i) ||
			written != want {
			t.Errorf("form %d: %q, %v, written %d times, want %d", i, b.String(), err, written, want)
		}
	}
	for i := range 6 {
		ask(i, i+1)
	}
	ask(4, 6)
	ask(5, 6)
	ask(0, 7)
	ask(5, 7)
	ask(4, 8)
}
