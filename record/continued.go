package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"unique"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
	"github.com/contexttree/pact/internal/tree"
)

// continued is the last request of an importer. Of one that continues it only what is new is read, hashed and compared.
type continued struct {
	*request
	recordedIn  *recording
	redacted    int                    // in the messages
	chain       shortHash              // of the conversation
	head        string                 // the text of the body before its messages
	sum         hash.Hash              // of the body up to the end of the last message, nil if it is not known
	wholeBody   func() ([]byte, error) // returns the whole body, nil if nobody can
	hide        hider
	size        int  // how many blocks the conversation has
	dropped     bool // what was said is not in memory any more: the recording has it, and so has the whole body
	wholeBlocks int  // how many blocks the conversation had when a whole body was read last
}

// newContinued takes up a request with its whole body, from which values in its messages were removed.
func newContinued(q *request, redacted int) *continued {
	next := &continued{request: q, redacted: redacted, size: len(q.conversation)}
	next.note(q.conversation)
	return next
}

// note takes up more blocks of the conversation.
func (n *continued) note(more []block) {
	for i := range more {
		n.chain = n.chain.with(shortOf(more[i].key))
	}
}

// drop takes what a request said out of memory, once it is recorded and has gone on with its recording: the next one mostly needs
// nothing of it. What was read anew is dropped when twice as much was said, so that reading costs no more than that.
func (n *continued) drop() {
	if n.continues == nil || n.wholeBody == nil || n.size < 2*n.wholeBlocks {
		return
	}
	n.dropped, n.conversation, n.added, n.of.Parts = true, nil, nil, nil
	if gone := min(n.recordedIn.frames.settled()-n.framesFrom, len(n.framesBefore)); gone > 0 {
		n.framesFrom, n.framesBefore = n.framesFrom+gone, slices.Clone(n.framesBefore[gone:])
	}
}

// readAgain reads the whole body of a request that was dropped.
func (n *continued) readAgain() error {
	body, err := n.wholeBody()
	if err != nil {
		return err
	}
	read, _, err := n.hide.body(body)
	if err != nil {
		return err
	}
	said, ok := provider.ReadRequest(n.of.API, read.Value)
	if !ok {
		return notRequest(n.of.API)
	}
	q := requestOf(said, n.group)
	n.of, n.framesFrom, n.framesBefore, n.system, n.conversation, n.added = said, 0, nil, q.system, q.conversation, nil
	n.dropped, n.wholeBlocks = false, len(q.conversation)
	return nil
}

// next reads a request whose body has the messages behind those of the request before, and completes its record.
func (n *continued) next(c *call, k *storedRequest, p *PastCall) (*continued, error) {
	if n == nil || n.of.API != c.api {
		return nil, fault.New(fault.DocumentInvalid, "a call continues the one before, and none to the same API was added",
			"give it its whole body")
	}
	given, err := wire.Read(p.Body)
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
	messages := n.framesFrom + len(n.framesBefore) + len(before.Elems)
	said, ok := provider.ReadContinued(c.api, fields, messages, n.size > 0)
	if !ok {
		return nil, notRequest(c.api)
	}
	g, err := c.recorder.groupOf(c.ctx, p.Header)
	if err != nil {
		return nil, err
	}
	next := &continued{request: requestOf(said, g), redacted: n.redacted + inList, chain: n.chain, wholeBody: p.Whole, hide: c.hide,
		wholeBlocks: n.wholeBlocks}
	next.compacts, next.rewrites = provider.Compacts(k.Path), p.Rewrites
	inMessages := slices.DeleteFunc(slices.Clone(n.system), func(b block) bool { return b.part.Message < 0 })
	next.system = append(next.system, inMessages...)
	slices.SortStableFunc(next.system, func(a, b block) int { return a.part.Message - b.part.Message })
	if next.group.by == bySystem {
		next.group = groupOfSystem(next.system)
	}
	next.added, next.size = next.conversation, n.size+len(next.conversation)
	next.earlierIn, next.messages, next.blocks, next.earlierChain = n.recordedIn, messages, n.size, n.chain
	next.note(next.added)
	next.framesFrom, next.framesBefore = n.framesFrom, n.framesBefore
	for i := range before.Elems { // few differ
		next.framesBefore = append(next.framesBefore, canon.Value(unique.Make(string(before.Elems[i].Value())).Value()))
	}
	ok = !n.dropped
	if ok {
		next.conversation = append(n.conversation, next.added...)
	} else if ok = n.recordedIn.extend(next.request); ok {
		next.reread = next.readAgain
	}
	if how, sure := c.recorder.continuation(next.request); ok && sure {
		next.continues = &how
	} else if n.dropped {
		if err := n.readAgain(); err != nil {
			return nil, err
		}
		return n.next(c, k, p)
	}
	k.Redacted, k.Notes.Escapes = n.redacted+redacted, wire.EscapesASCII // as package canon escapes
	k.SHA256, err = next.hash(n, fields, name)
	return next, err
}

// extend gives a request, of which only the added blocks were read, those of the recording before these, in the memory in
// which the recording lists its own next. It reports false if the request does not go on behind all of them.
func (l *recording) extend(q *request) bool {
	name := provider.ListOf(q.of.API)
	if l.c == nil || l.listed.of != tree.Of(l.c.Working()) || len(l.frames.list) != q.messages || l.frames.apart != q.hashWithoutList(name) {
		return false
	}
	listed := l.listed.conversation
	answer := len(listed) - q.blocks
	if len(l.keys) != len(listed) || answer < 0 || answer > len(q.added) || !equalBlocks(listed[q.blocks:], q.added[:answer]) {
		return false
	}
	q.conversation = append(listed, q.added[answer:]...)
	return true
}

// hash returns the SHA-256 of the body of a request that continues another. fields are its members, of which the one
// with the name has the messages behind those of the other.
func (n *continued) hash(before *continued, fields canon.Any, name string) (string, error) {
	more, _ := fields.Get(name)
	first := slices.DeleteFunc(slices.Clone(fields.Members), func(m canon.Member) bool { return m.Name >= name })
	text := fields.With(name, canon.ArrayOf()).AppendTo(nil)
	at := len(fmt.Sprintf("{%q:[", name))
	if len(first) > 0 {
		at += len(canon.Object(first...).AppendTo(nil)) - len("}") // a comma takes the place of the brace
	}
	n.head = string(text[:at])
	elems, written := more.Elems, n.messages
	switch {
	case before.sum != nil && n.head == before.head:
		n.sum = copied(before.sum)
	case before.whole.Kind == canon.KindObject: // the body before was read whole
		all, _ := before.whole.Get(name)
		n.sum, elems, written = sha256.New(), slices.Concat(all.Elems, elems), 0
		n.sum.Write(text[:at])
	default:
		body, err := n.wholeBody()
		if err != nil {
			return "", err
		}
		whole, _, err := n.hide.body(body)
		if err != nil {
			return "", err
		}
		all, _ := whole.Value.Get(name)
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

// copied copies the state of a hash.
func copied(h hash.Hash) hash.Hash {
	again, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 of the standard library can always be copied
	}
	return again
}

// continuation chooses the recording of a request that repeats all of the one before and its answer, if no other recording
// has as much to compare. It decides as the comparison with all of them would.
func (r *Recorder) continuation(q *request) (choice, bool) {
	l := q.earlierIn
	switch {
	case l == nil || l.c == nil || l.asking != q.blocks || len(l.keys) == q.blocks || len(l.keys) > len(q.conversation):
		return choice{}, false
	case q.rewrites || q.compaction || q.compacts || q.previous != "" || q.group.agent || q.group.id != l.group.id:
		return choice{}, false
	case !equalBlocks(l.listed.system, q.system) || mentions(q.system, "summar"):
		return choice{}, false
	}
	chain := q.earlierChain
	for _, b := range q.conversation[q.blocks:len(l.keys)] {
		chain = chain.with(shortOf(b.key))
	}
	if l.group.apart().with(chain) != l.chain {
		return choice{}, false
	}
	for _, other := range r.recordings.first[l.first] {
		if n := len(l.keys); other != l && len(other.keys) >= n && other.chains[n-1] == l.chains[n-1] {
			return choice{}, false
		}
	}
	q.blocks = len(l.keys)
	return choice{recording: l, why: repeatsAll(l.asking)}, true
}
