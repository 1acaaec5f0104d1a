package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
)

// continued is the last request of an importer. Of one that continues it only what is new is read, hashed and compared.
type continued struct {
	*request
	to       *recording
	redacted int       // in the messages
	chain    short     // of the conversation
	head     string    // the text of the body before its messages
	sum      hash.Hash // of the body up to the end of the last message, nil if it is not known
}

// newContinued takes up a request with its whole body, from which values in its messages were removed.
func newContinued(q *request, redacted int) *continued {
	next := &continued{request: q, redacted: redacted}
	next.note(0)
	return next
}

// note takes up the blocks of the conversation from one on.
func (n *continued) note(from int) {
	for i := range n.conversation[from:] {
		n.chain = n.chain.with(shortOf(n.conversation[from+i].key))
	}
}

// read reads a request whose body has the messages behind those of the request before, and completes its record.
func (n *continued) read(c *call, k *kept, header http.Header, body []byte) (*continued, error) {
	if n == nil || n.of.API != c.api {
		return nil, fault.New(fault.DocumentInvalid, "a call continues the one before, and none to the same API was added",
			"give it its whole body")
	}
	given, err := wire.Read(body)
	if err != nil {
		return nil, err
	}
	name := provider.ListOf(c.api)
	more, _ := given.Value.Get(name)
	before, _ := n.of.Frame.Get(name)
	if more.Kind != canon.KindArray || before.Kind != canon.KindArray {
		return nil, fault.New(fault.DocumentInvalid, "a call continues the one before, and one of them has no list "+name,
			"give it its whole body")
	}
	fields, redacted := c.hide.value(given.Value)
	_, inList := c.hide.value(more)
	said, ok := provider.ReadContinued(c.api, fields, len(before.Elems), len(n.conversation) > 0)
	if !ok {
		return nil, notRequest(c.api)
	}
	g, err := c.recorder.groupOf(c.ctx, header)
	if err != nil {
		return nil, err
	}
	next := &continued{request: requestOf(said, g), redacted: n.redacted + inList, chain: n.chain}
	next.compacts = provider.Compacts(k.Path)
	inMessages := slices.DeleteFunc(slices.Clone(n.system), func(b block) bool { return b.part.Message < 0 })
	next.system = append(next.system, inMessages...)
	slices.SortStableFunc(next.system, func(a, b block) int { return a.part.Message - b.part.Message })
	if next.group.by == bySystem {
		next.group = groupOfSystem(next.system)
	}
	next.after, next.messages, next.blocks, next.afterChain = n.to, len(before.Elems), len(n.conversation), n.chain
	next.conversation = append(n.conversation, next.conversation...)
	next.note(next.blocks)
	list, _ := said.Frame.Get(name)
	said.Frame = canon.Object(withMember(said.Frame.Members, name, canon.ArrayOf(append(before.Elems, list.Elems...)...))...)
	k.Redacted, k.Notes.Escapes = n.redacted+redacted, wire.EscapesASCII // as package canon escapes
	k.SHA256, err = next.hash(n, fields, name)
	return next, err
}

// hash returns the SHA-256 of the body of a request that continues another. fields are its members, of which the one
// with the name has the messages behind those of the other.
func (n *continued) hash(before *continued, fields canon.Any, name string) (string, error) {
	more, _ := fields.Get(name)
	first := slices.DeleteFunc(slices.Clone(fields.Members), func(m canon.Member) bool { return m.Name >= name })
	text := canon.Object(withMember(fields.Members, name, canon.ArrayOf())...).AppendTo(nil)
	at := len(fmt.Sprintf("{%q:[", name))
	if len(first) > 0 {
		at += len(canon.Object(first...).AppendTo(nil)) - len("}") // a comma takes the place of the brace
	}
	n.head = string(text[:at])
	elems, written := more.Elems, n.messages
	if before.sum != nil && n.head == before.head {
		n.sum = copied(before.sum)
	} else {
		whole, err := n.joined()
		if err != nil {
			return "", err
		}
		all, _ := whole.Get(name)
		n.sum, elems, written = sha256.New(), all.Elems, 0
		n.sum.Write(text[:at])
	}
	var buffer []byte
	for i := range elems {
		if buffer = buffer[:0]; written+i > 0 {
			buffer = append(buffer, ',')
		}
		buffer = elems[i].AppendTo(buffer)
		n.sum.Write(buffer)
	}
	end := copied(n.sum)
	end.Write(text[at:])
	return hex.EncodeToString(end.Sum(nil)), nil
}

// joined returns the whole body of a request.
func (n *continued) joined() (canon.Any, error) {
	contents := make([]canon.Any, 0, len(n.system)+len(n.conversation))
	for _, blocks := range [][]block{n.system, n.conversation} {
		for i := range blocks {
			contents = append(contents, blocks[i].part.Content)
		}
	}
	return n.of.Join(contents)
}

// copied copies the state of a hash.
func copied(h hash.Hash) hash.Hash {
	again, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 of the standard library can always be copied
	}
	return again
}

// goesOn chooses the recording of a request that repeats all of the one before and its answer, if no other recording
// has as much to compare. It decides as the comparison with all of them would.
func (r *Recorder) goesOn(q *request) (choice, bool) {
	l := q.after
	switch {
	case l == nil || l.c == nil || l.asking != q.blocks || len(l.keys) == q.blocks || len(l.keys) > len(q.conversation):
		return choice{}, false
	case q.rewrites || q.compaction || q.compacts || q.previous != "" || q.group.agent || q.group.id != l.group.id:
		return choice{}, false
	case !same(l.listed.system, q.system) || says(q.system, "summar"):
		return choice{}, false
	}
	chain := q.afterChain
	for _, b := range q.conversation[q.blocks:len(l.keys)] {
		chain = chain.with(shortOf(b.key))
	}
	if l.group.apart().with(chain) != l.chain {
		return choice{}, false
	}
	for _, other := range r.known.first[l.first] {
		if other != l && len(other.keys) >= len(l.keys) {
			return choice{}, false
		}
	}
	q.blocks = len(l.keys)
	return choice{recording: l, why: repeatsAll(l.asking)}, true
}
