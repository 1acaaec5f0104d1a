package record

import (
	"container/list"
	"context"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// shortHash is a short hash of blocks. What it finds is compared by keys afterwards.
type shortHash uint64

func shortOf(k key) shortHash { return shortHash(binary.LittleEndian.Uint64(k[:])) }

// with returns the hash of blocks with one more.
func (s shortHash) with(next shortHash) shortHash {
	return shortHash(bits.RotateLeft64(uint64(s)*0x9e3779b97f4a7c15, 29)) ^ next
}

// chainOf returns the hash of some blocks.
func chainOf(blocks []block) (chain shortHash) {
	for i := range blocks {
		chain = chain.with(shortOf(blocks[i].key))
	}
	return chain
}

// recordingIndex has the recordings of a recorder by what a request can share with them: which ones it may belong to, and how
// the next one is called, are look-ups. Recordings of different named groups share nothing.
type recordingIndex struct {
	list     []*recording               // in the order in which they became known
	runs     int                        // how many contexts there are that are no question aside
	asides   map[string]int             // how many questions of a kind there are aside of a conversation
	first    map[shortHash][]*recording // by the first block of the thread, of now or of earlier
	whole    map[shortHash]*recording   // by all blocks of the thread, of several the last one
	ends     map[shortHash]*recording   // by the last block that was sent, and a block of its answer
	groups   map[string][]*recording    // by the groups of agents
	sessions map[string][]*recording
	answers  map[string]*recording // by the ids of the answers that requests can name

	compactions map[key]*recording // by blocks that providers compacted them to and no request has had yet

	open    list.List             // those whose context is open, the last one that was used first
	size    int64                 // of those, as [recording.memorySize] estimates it
	calling map[*recording]bool   // those that have calls which may begin a conversation
	older   *older                // contexts of earlier recorders that were not opened yet, nil for none
	last    map[string]*recording // the recording of a group's last request, by the id of the group
	latest  *recording            // the recording of the last request of all groups, nil before the first
}

func newRecordingIndex() recordingIndex {
	return recordingIndex{asides: map[string]int{}, first: map[shortHash][]*recording{}, whole: map[shortHash]*recording{},
		ends: map[shortHash]*recording{}, groups: map[string][]*recording{}, sessions: map[string][]*recording{},
		answers: map[string]*recording{}, compactions: map[key]*recording{}, calling: map[*recording]bool{}, last: map[string]*recording{}}
}

// add adds a recording, whose name is counted already or comes next.
func (k *recordingIndex) add(l *recording) {
	l.number = len(k.list)
	k.list = append(k.list, l)
	k.noteUse(l)
}

// apart separates the groups that a client names: their recordings share nothing with others.
func (g *group) apart() shortHash {
	if g.by == bySystem || len(g.id) < 8 {
		return 0
	}
	return shortHash(binary.LittleEndian.Uint64([]byte(g.id)))
}

// note takes up what a recording holds now. Cost: the blocks that changed since the last time.
func (k *recordingIndex) note(l *recording, v *conversationState) {
	k.forget(l)
	apart, n := l.group.apart(), len(v.sent)+len(v.answer)
	from, chain := min(l.listed.stays, len(l.keys)), shortHash(0)
	if from > 0 {
		chain = l.chains[from-1]
	}
	l.keys, l.chains, l.speakers = l.keys[:from], l.chains[:from], l.speakers[:from]
	l.prompt, l.asking, l.listed.stays = chainOf(v.system), len(v.sent), n
	for i := from; i < n; i++ {
		l.keys = append(l.keys, shortOf(v.block(i).key))
		chain = chain.with(l.keys[i])
		l.chains, l.speakers = append(l.chains, chain), append(l.speakers, speakerOf(v.block(i)))
	}
	l.chain = apart.with(chain)
	if n == 0 {
		return
	}
	if first := apart.with(l.keys[0]); first != l.first || !l.noted {
		l.first, l.noted = first, true
		k.first[first] = append(k.first[first], l)
	}
	k.whole[l.chain] = l
	l.eachEnd(func(s shortHash) { k.ends[s] = l })
}

// eachEnd calls f with the hashes of the last block that was sent with each of its answer.
func (l *recording) eachEnd(f func(shortHash)) {
	for i := l.asking; i < len(l.keys) && l.asking > 0; i++ {
		f(l.group.apart().with(l.keys[l.asking-1]).with(l.keys[i]))
	}
}

// update takes up what a recording holds after a call began or ended, and lets others rest.
func (k *recordingIndex) update(ctx context.Context, l *recording) error {
	v, err := l.state(ctx)
	if err != nil {
		return err
	}
	k.note(l, v)
	if l.lastAnswer != "" {
		k.answers[l.lastAnswer] = l
	}
	_, l.thread = l.c.Working().ThreadSize()
	k.noteUse(l)
	k.closeUnused()
	return nil
}

// forget takes out what changes with each call of a recording.
func (k *recordingIndex) forget(l *recording) {
	if k.whole[l.chain] == l {
		delete(k.whole, l.chain)
	}
	l.eachEnd(func(s shortHash) {
		if k.ends[s] == l {
			delete(k.ends, s)
		}
	})
}

// addToGroup notes the group of a recording.
func (k *recordingIndex) addToGroup(l *recording, g group) {
	k.forget(l) // by the group before
	before := l.group
	l.group = g
	for _, in := range []struct {
		of          map[string][]*recording
		before, now string
	}{{k.groups, before.id, g.id}, {k.sessions, before.session, g.session}} {
		if l.joined && in.before == in.now {
			continue
		}
		if l.joined && before.agent {
			in.of[in.before] = slices.DeleteFunc(in.of[in.before], func(other *recording) bool { return other == l })
		}
		if g.agent && in.now != "" {
			in.of[in.now] = append(in.of[in.now], l)
		}
	}
	l.joined = true
}

// Of the recordings that begin with the same block, mostBeginning of the last are looked at, and
// mostAlike that share most with a request are compared with it.
const (
	mostBeginning = 1024
	mostAlike     = 8
)

// candidates returns the recordings that a request may belong to by what it says, and those that its group says, in the
// order in which they became known.
func (k *recordingIndex) candidates(q *request) []*recording {
	var found []*recording
	add := func(l *recording) {
		if l != nil && !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	apart := q.group.apart()
	q.keys = make([]shortHash, len(q.conversation))
	keys, chains := q.keys, make([]shortHash, len(q.conversation))
	chain := shortHash(0)
	for i := range q.conversation {
		keys[i] = shortOf(q.conversation[i].key)
		chain = chain.with(keys[i])
		chains[i] = chain
		add(k.whole[apart.with(chain)])
		if i > 0 {
			add(k.ends[apart.with(keys[i-1]).with(keys[i])])
		}
	}
	if len(keys) > 0 {
		for _, l := range leaveOut(q, mostLike(k.first[apart.with(keys[0])], chains)) {
			add(l)
		}
	}
	if last := k.last[q.group.id]; last != nil {
		add(last)
		add(last.beside)
	}
	if of := k.groups[q.group.id]; q.group.window != "" {
		if i := slices.IndexFunc(of, func(l *recording) bool {
			return l.beside == nil && l.group.window != "" && l.group.window != q.group.window
		}); i >= 0 {
			add(of[i])
		}
	}
	slices.SortFunc(found, func(a, b *recording) int { return a.number - b.number })
	return found
}

// candidatesOf returns the candidates for a request, with their contexts open.
func (r *Recorder) candidatesOf(ctx context.Context, q *request) (of, others []candidate, err error) {
	for _, l := range r.recordings.candidates(q) {
		same := l.group.id == q.group.id
		if !same && (l.group.by != bySystem || q.group.by != bySystem) {
			continue
		}
		err := r.reopen(ctx, l)
		if fault.CodeOf(err) == fault.ContextNotFound { // somebody deleted it
			r.recordings.forget(l)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		v, err := l.state(ctx)
		if err == nil {
			err = l.listed.whole()
		}
		if err != nil {
			return nil, nil, err
		}
		r.recordings.note(l, v) // another process may have changed it
		c := candidate{l, v, v.repeated(q.conversation)}
		if same {
			of = append(of, c)
		} else {
			others = append(others, c)
		}
	}
	return of, others, nil
}

// beginners returns the recordings with calls that may have begun the conversation of a request: those of its session,
// of the agent that began it or, if it names no session, all whose contexts are open.
func (k *recordingIndex) beginners(q *request) []*recording {
	var list []*recording
	if q.group.session != "" {
		list = slices.Concat(k.sessions[q.group.session], k.groups[q.group.parent])
	} else {
		list = slices.Concat(slices.Collect(maps.Keys(k.calling)), k.groups[q.group.parent])
	}
	slices.SortFunc(list, func(a, b *recording) int { return a.number - b.number })
	return slices.Compact(list)
}

// numbered returns the name of the n-th recording that is no question aside.
func (r *Recorder) numbered(n int) string {
	if n == 1 {
		return r.options.Context
	}
	return r.options.Context + "-" + strconv.Itoa(n)
}
