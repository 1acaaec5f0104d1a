package record

import (
	"context"
	"crypto/sha256"
	"slices"
	"sort"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// frames are the frames of the messages that the last request of a recording had, and the attempts whose records have
// them. A request mostly begins with all messages of the one before: its record then names an earlier attempt and has
// the frames of the messages behind those alone. Record n names record n&(n-1), so that a request is restored from as
// many records as its number has bits, and all records together grow hardly faster than the calls. None names one more than
// mostFrames before it, so that no record is as long as the conversation; of mostFrames calls one more record is read.
type frames struct {
	apart [sha256.Size]byte // of all else that the request has: a record names one with the same, so that both have the same texts
	list  []frameSum        // of each message
	chain []framesAt        // the records that restore the last request, which ends it
}

// mostFrames is a power of 2. Tests change it.
var mostFrames = 4096

// frameSum tells the frame of a message, as canonical JSON, with the keys of its blocks from others: the beginning of
// its SHA-256.
type frameSum [sha256.Size / 2]byte

// framesAt is the record of an attempt.
type framesAt struct {
	attempt  string
	number   int // in its chain
	messages int // how many the request has
}

// base says which earlier attempt sent the first messages of a request. The record of that attempt has their frames.
type base struct {
	Attempt  string `json:"attempt"`
	Messages int    `json:"messages"` // all that the attempt sent
}

// frameFor returns what the record of a request has as its frame, and the record that has the rest, nil for none. next
// are the frames of the recording once the request has been committed.
func (f *frames) frameFor(q *request) (frame canon.Any, from *base, next frames) {
	name := provider.ListOf(q.of.API)
	frame = q.of.Frame
	list, _ := frame.Get(name)
	if list.Kind != canon.KindArray {
		return frame, nil, frames{}
	}
	next.apart = q.hashWithoutList(name)
	if f.apart != next.apart {
		f = &frames{}
	}
	n := q.framesFrom + len(q.framesBefore) + len(list.Elems)
	same := min(q.messages, len(f.list))
	said := q.conversation
	if same == q.messages && q.added != nil {
		said = q.added
	}
	said = said[sort.Search(len(said), func(i int) bool { return said[i].part.Message >= same }):]
	var text []byte
	next.list = f.list
	for i := same; i < n; i++ {
		of := q.frameOf(i, list)
		text = of.AppendTo(text[:0])
		for ; len(said) > 0 && said[0].part.Message <= i; said = said[1:] {
			text = append(text, said[0].key[:]...)
		}
		whole := sha256.Sum256(text)
		sum := frameSum(whole[:len(frameSum{})])
		if i == same && i < len(f.list) && sum == f.list[i] {
			same++
			continue
		}
		if i < len(next.list) {
			next.list = f.list[:i:i]
		}
		next.list = append(next.list, sum)
	}
	if n < len(next.list) {
		next.list = f.list[:n:n]
	}
	f.list = slices.Clip(f.list) // the room behind it is taken: a retry of what was not recorded copies it
	at, first := framesAt{messages: len(next.list)}, 0
	if chain := f.until(same); len(chain) > 0 {
		last := chain[len(chain)-1]
		at.number = last.number | 1
		if same == len(f.list) {
			at.number = f.chain[len(f.chain)-1].number + 1
		}
		from = &base{last.attempt, last.messages}
		next.chain = chain
		first = last.messages
	}
	if first > 0 || q.framesFrom+len(q.framesBefore) > 0 {
		rest := make([]canon.Any, 0, n-first)
		for i := first; i < n; i++ {
			rest = append(rest, q.frameOf(i, list))
		}
		frame = frame.With(name, canon.ArrayOf(rest...))
	}
	next.chain = append(slices.Clip(next.chain), at)
	return frame, from, next
}

// frameOf returns the frame of a message; list are those that the request has itself.
func (q *request) frameOf(message int, list canon.Any) canon.Any {
	i := message - q.framesFrom
	if n := len(q.framesBefore); i >= n {
		return list.Elems[i-n]
	}
	return q.framesBefore[i].Held()
}

// until returns the part of the chain that restores the first messages, up to the record that the next one names.
func (f *frames) until(messages int) []framesAt {
	chain := f.chain
	next := 0 // the number that the next one has, without its last bit, or mostFrames before it
	if n := len(chain); n > 0 && messages == len(f.list) {
		own := chain[n-1].number + 1
		next = own - min(own&-own, mostFrames)
	}
	for n := len(chain); n > 0; n-- {
		last := chain[n-1]
		if last.messages == 0 || last.messages > messages || messages == len(f.list) && last.number > next || last.number&1 == 1 {
			chain = chain[:n-1]
			continue
		}
		break
	}
	return chain
}

// settled returns how many messages the last request had that every later one in the chain goes on from.
func (f *frames) settled() int {
	for _, at := range slices.Backward(f.chain) {
		if at.number%mostFrames == 0 {
			return at.messages
		}
	}
	return 0
}

// hashWithoutList identifies what a request has beside the messages of its list.
func (q *request) hashWithoutList(list string) [sha256.Size]byte {
	sum := sha256.New()
	for _, of := range []canon.Any{q.of.Parameters, canon.Object(slices.DeleteFunc(slices.Clone(q.of.Frame.Members),
		func(m canon.Member) bool { return m.Name == list })...)} {
		sum.Write(of.AppendTo(nil))
	}
	for i := range q.system {
		sum.Write(q.system[i].key[:])
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// records reads the records that restore the requests of a context, each once.
type records struct {
	c     *pact.Context
	known map[string]*storedRequest // by the attempts
	lists map[string][]canon.Any    // likewise, the frames of messages that their records have
	last  []canon.Any               // of the last request, the frames of its messages
	bases []base                    // the attempts that have these, but for those of its own record
}

func recordsOf(c *pact.Context) *records {
	return &records{c: c, known: map[string]*storedRequest{}, lists: map[string][]canon.Any{}}
}

// frame restores the frame of a request, and says how many messages at its beginning have the frames of those of the last
// one. Those of its messages are there until the next call. E_CONFLICT if an erasure took a part of it. Cost: that of the
// frames that other records have.
func (r *records) frame(ctx context.Context, k *storedRequest) (frame canon.Any, same int, err error) {
	last, bases := r.last, r.bases
	r.last, r.bases = nil, nil
	if frame, err = canon.ParseDocument(k.Frame); err != nil {
		return frame, 0, err
	}
	name := provider.ListOf(k.API)
	own, _ := frame.Get(name)
	if own.Kind != canon.KindArray && k.Base == nil {
		return frame, 0, nil
	}
	parts, from := [][]canon.Any{own.Elems}, []base(nil) // the newest first
	for at := k.Base; at != nil; {
		of, err := r.record(ctx, at.Attempt)
		if err != nil {
			return canon.Any{}, 0, err
		}
		if of == nil || of.Erased {
			return canon.Any{}, 0, erased(at.Attempt)
		}
		list, known := r.lists[at.Attempt]
		if !known {
			before, err := canon.ParseDocument(of.Frame)
			if err != nil {
				return canon.Any{}, 0, err
			}
			messages, _ := before.Get(name)
			list = messages.Elems
			r.lists[at.Attempt] = list
		}
		first := 0
		if of.Base != nil {
			first = of.Base.Messages
		}
		if first+len(list) != at.Messages {
			return canon.Any{}, 0, fault.At(fault.Conflict, fault.NoOffset, at.Attempt,
				"the request cannot be restored", "the record of "+at.Attempt+" has other messages than it needs")
		}
		parts, from, at = append(parts, list), append(from, *at), of.Base
	}
	slices.Reverse(parts)
	slices.Reverse(from)
	for i := 0; i < min(len(from), len(bases)) && from[i] == bases[i]; i++ {
		same = from[i].Messages
	}
	n, goesOn := 0, true // how many messages were looked at, and whether all behind the first ones are those of the last request
	for _, list := range parts {
		for i := max(0, same-n); i < len(list); i++ {
			if goesOn = goesOn && same < len(last) && last[same].Value() == list[i].Value(); goesOn {
				same++
				continue
			}
			last = append(last[:n+i], list[i])
		}
		n += len(list)
	}
	r.last, r.bases = last[:n], from
	return frame.With(name, canon.ArrayOf(r.last...)), same, nil
}

// record returns the record of an attempt, nil if it is not there.
func (r *records) record(ctx context.Context, id string) (*storedRequest, error) {
	if k := r.known[id]; k != nil {
		return k, nil
	}
	cycle, _, _, _ := history.ParseAttemptID(id)
	attempts, err := r.c.Attempts(ctx, cycle, cycle)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(attempts, func(a history.Attempt) bool { return unforked(a.ID) == unforked(id) })
	if i < 0 {
		return nil, nil
	}
	r.known[id], err = recordOf(attempts, i)
	return r.known[id], err
}
