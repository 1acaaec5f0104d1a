package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// naively makes the messages of a tree with nothing kept: it lists all blocks of
// the thread at once and puts together what belongs together.
func naively(t testing.TB, tr *tree.Tree) string {
	t.Helper()
	r := renderer{ctx: context.Background(), node: tr.Node}
	var list []piece
	var walk func(e *tree.Entry, region tree.Class, turn string)
	walk = func(e *tree.Entry, region tree.Class, turn string) {
		if e.Class() == tree.Turn {
			turn = e.Node().ID
		}
		if e.Class() == tree.Block {
			p, err := r.piece(e.Node(), region, turn)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, p)
			return
		}
		for k := range e.Children().All() {
			walk(k, region, turn)
		}
	}
	for region := range tr.Root().Children().All() {
		walk(region, region.Class(), region.Node().ID)
	}
	rejoin(list)
	var messages []string
	for len(list) > 0 {
		n := together(list)
		m, err := r.appendMessage(nil, list[:n])
		if err != nil {
			t.Fatal(err)
		}
		messages, list = append(messages, string(m)), list[n:]
	}
	return "[" + strings.Join(messages, ",") + "]"
}

func sameAsNaive(t testing.TB, what string, tr *tree.Tree) {
	t.Helper()
	var got bytes.Buffer
	if err := tr.WriteAs(context.Background(), &got, openAIForm); err != nil {
		t.Fatal(err)
	}
	if want := naively(t, tr); got.String() != want {
		t.Fatalf("%s:\n got %.2000s\nwant %.2000s", what, got.String(), want)
	}
}

// life is a conversation to which anything happens: calls and results in turns
// of their own, calls that come after their results, expire or change, blocks hung onto sealed turns, blocks
// and turns that go, forks, undos, erasures.
type life struct {
	*testing.T
	*rand.Rand
	contexts []*pact.Context
	said     int
}

func (l *life) some(c *pact.Context, want func(*tree.Node) bool) string {
	var ids []string
	for e := range c.Working().Tree().All() {
		n := e.Node()
		if want(n) {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) == 0 {
		return "nobody"
	}
	return ids[l.Intn(len(ids))]
}

func isCall(n *tree.Node) bool { return n.Kind == "call" }
func isTurn(n *tree.Node) bool { return n.Type == "seg" }
func isBlock(n *tree.Node) bool {
	return n.Type == "block" || strings.HasPrefix(n.Type, "block:")
}

// spec is a block of any kind: a third of the calls and texts are imported.
func (l *life) spec(c *pact.Context) pact.Spec {
	l.said++
	s := pact.Spec{Attrs: map[string]any{}, Content: fmt.Sprint("said ", l.said)}
	if l.Intn(40) == 0 {
		s.Content = strings.Repeat("long ", 20_000)
	}
	if l.Intn(3) == 0 {
		s.Attrs[attrMessage] = map[string]any{"n": l.said / 3}
	}
	switch l.Intn(5) {
	case 0:
		s.Role = "user"
	case 1:
		s.Role, s.Kind = "assistant", "text"
	case 2, 3:
		s.Role, s.Kind = "assistant", "call"
		s.Attrs[attrCall] = map[string]any{"id": fmt.Sprint("call_", l.said)}
		if l.Intn(3) == 0 {
			ttl := int64(1 + l.Intn(4))
			s.TTL = &ttl
		}
		if l.Intn(4) == 0 {
			s.ID = fmt.Sprint("later", l.Intn(20))
		}
		switch l.Intn(4) {
		case 0:
			delete(s.Attrs, attrCall)
		case 1:
			s.Attrs[attrForm], s.Content = formCall, map[string]any{"id": fmt.Sprint("own_", l.said)}
		case 2:
			s.Attrs[attrForm], s.Content = formFunction, map[string]any{"name": fmt.Sprint("f", l.said)}
		}
	default:
		s.Role, s.Kind = "tool", "result"
		for range l.Intn(3) {
			s.Refs = append(s.Refs, []string{l.some(c, isCall), l.some(c, isCall), fmt.Sprint("later", l.Intn(20))}[l.Intn(3)])
		}
	}
	return s
}

func (l *life) edit(c *pact.Context) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		switch l.Intn(8) {
		case 0:
			b.Add("^sys", l.spec(c))
		case 1: // a node of ^sys or of the turn under way changes
			s := l.spec(c)
			b.Update(l.some(c, isCall), map[string]any{"content": s.Content, attrCall: map[string]any{"id": fmt.Sprint("other_",
				l.said)}})
		case 2:
			s := l.spec(c)
			s.Offset = 1
			b.Add(l.some(c, isTurn), s)
		default:
			for range 1 + l.Intn(3) {
				b.Add("^ah", l.spec(c))
			}
		}
		return nil
	}
}

// step does one thing to one context. What is refused does not happen.
func (l *life) step() {
	ctx := l.Context()
	i := l.Intn(len(l.contexts))
	c := l.contexts[i]
	keep := &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
	switch l.Intn(12) {
	case 0:
		c.Undo(ctx, nil)
	case 1:
		first, last := c.Cycles()
		if fork, err := c.Fork(ctx, pact.Cycle(first+l.Int63n(last-first+2)), fmt.Sprint("fork", l.said), nil); err == nil {
			l.contexts = append(l.contexts, fork)
		}
	case 2:
		c.Erase(ctx, pact.Erasure{IDs: []string{l.some(c, isBlock)}, Reason: "asked for",
			Random: strings.NewReader(strings.Repeat("s", 32))})
	case 3, 4:
		keep.IDs = []string{l.some(c, isBlock), l.some(c, isTurn)}[:1+l.Intn(2)]
		c.Commit(ctx, &pact.CommitOptions{Pruning: keep})
	case 5:
		c.Edit(ctx, l.edit(c), nil)
	default:
		c.Commit(ctx, &pact.CommitOptions{Edit: l.edit(c), Pruning: keep})
	}
}

// TestKeptMessagesAreThoseOfTheTree: whatever was rendered before, of whatever
// snapshot or fork, the messages are those that the tree gives by itself, and the
// SHA-256 that a thread is sent under is that of its bytes.
func TestKeptMessagesAreThoseOfTheTree(t *testing.T) {
	ctx := t.Context()
	lives, joints := 60, 0
	if testing.Short() {
		lives = 10
	}
	for seed := range int64(lives) {
		memory := store.NewMemory()
		c, err := pact.Create(ctx, memory, "life", nil)
		if err != nil {
			t.Fatal(err)
		}
		l := &life{T: t, Rand: rand.New(rand.NewSource(seed)), contexts: []*pact.Context{c}}
		for n := range 60 {
			l.step()
			what := fmt.Sprintf("life %d, step %d", seed, n)
			for range 2 {
				c := l.contexts[l.Intn(len(l.contexts))]
				sameAsNaive(t, what, c.Working().Tree())
				hashed(t, what, c.Working().Tree())
				if first, last := c.Cycles(); last >= first {
					s, err := c.At(ctx, pact.Cycle(first+l.Int63n(last-first+1)))
					if err != nil {
						t.Fatal(err)
					}
					sameAsNaive(t, what, s.Tree())
					hashed(t, what, s.Tree())
				}
			}
		}
		joints += jointsOf(l.contexts)
	}
	if joints < lives {
		t.Errorf("only %d results refer to a call of another turn", joints)
	}
}

// hashed holds the hash that a thread is sent under to its bytes.
func hashed(t *testing.T, what string, tr *tree.Tree) {
	t.Helper()
	var w bytes.Buffer
	got, err := tr.WriteThreadHashed(t.Context(), &w)
	if err != nil {
		t.Fatal(err)
	}
	if want := sha256.Sum256(w.Bytes()); got != want {
		t.Fatalf("%s: the hash is %s, that of the bytes %s", what, got, hex.EncodeToString(want[:]))
	}
}

// jointsOf counts results whose call stands in another turn.
func jointsOf(list []*pact.Context) (n int) {
	for _, c := range list {
		tr := c.Working().Tree()
		for e := range tr.All() {
			for _, ref := range e.Node().Refs {
				from, to := tr.Path(e.Node().ID), tr.Path(ref)
				if e.Node().Kind == "result" && len(from) > 2 && len(to) > 2 && from[2] != to[2] {
					n++
				}
			}
		}
	}
	return n
}

// TestStraysUnderTheTurnsAreJoined: in a foreign tree, blocks that stand among
// the turns and follow each other are one message where there is a call among
// them, as elsewhere.
func TestStraysUnderTheTurnsAreJoined(t *testing.T) {
	node := func(id, nodeType, kind string, index int64) *tree.Node {
		n := tree.Node{ID: id, Type: nodeType, Index: index, Expiry: tree.Never}
		if kind != "" {
			n.Headers = []tree.Header{{Name: "role", Value: `"assistant"`}, {Name: "kind", Value: tree.JSON(canon.String(kind))}}
			n.Content = tree.Hold(tree.JSON(canon.String(id)))
		}
		return tree.NewNode(n, nil)
	}
	tr, err := tree.Build(1, []tree.Placed{{Node: node("root", "^root", "", 0), Parent: -1},
		{Node: node("seq", "^seq", "", 1)},
		{Node: node("a", "block", "text", 2), Parent: 1}, {Node: node("b", "block", "call", 3), Parent: 1},
		{Node: node("t", "seg", "", 4), Parent: 1}, {Node: node("c", "block", "text", 5), Parent: 4}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"content":"a","role":"assistant","tool_calls":[{"function":{"arguments":"b","name":"call"},"id":"b","type":"function"}]},{"content":"c","role":"assistant"}]`
	for range 2 {
		var got bytes.Buffer
		if err := tr.WriteAs(t.Context(), &got, openAIForm); err != nil || got.String() != want {
			t.Errorf("%v\n got %s\nwant %s", err, got.String(), want)
		}
	}
}
