package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// mostBegun is how many contexts of each kind a recorder opens that earlier ones left, the last ones. An importer
// opens all.
const mostBegun = 32

// openRecordings finds the first free name of each kind, and opens the last contexts before it that other recorders
// left, in the order in which they were made.
func (r *Recorder) openRecordings(ctx context.Context) error {
	known := len(r.recordings.list)
	if err := r.openNamed(ctx, nil, &r.recordings.runs, r.numbered); err != nil {
		return err
	}
	work := map[string]*recording{r.options.Context: nil}
	for _, l := range r.recordings.list {
		if AsideOf(l.name) == "" && (l.c != nil || l.name == r.options.Context) {
			work[l.name] = l
		}
	}
	for of, l := range work {
		if err := r.openAsides(ctx, of, l); err != nil {
			return err
		}
	}
	r.ordered(known)
	return nil
}

// ordered puts the recordings from one on in the order in which they were made.
func (r *Recorder) ordered(from int) {
	fresh := r.recordings.list[from:]
	slices.SortStableFunc(fresh, func(a, b *recording) int { return int(a.key - b.key) })
	for i, l := range fresh {
		l.number = from + i
		if last := r.recordings.last[l.group.id]; last == nil || !last.used && last.asked <= l.asked {
			r.recordings.last[l.group.id] = l
		}
	}
}

// openAsides opens the questions aside of a recording.
func (r *Recorder) openAsides(ctx context.Context, of string, l *recording) error {
	for _, kind := range asideKinds {
		count := r.recordings.asides[of+"/"+kind]
		err := r.openNamed(ctx, l, &count, func(n int) string { return of + "/" + kind + "-" + strconv.Itoa(n) })
		if count > 0 {
			r.recordings.asides[of+"/"+kind] = count
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openNamed finds the first free name behind so many, and opens the last contexts before it. Forks among them ask
// something outside the recording beside. Cost: log n look-ups, and the contexts that it opens.
func (r *Recorder) openNamed(ctx context.Context, beside *recording, count *int, name func(int) string) (err error) {
	there := func(n int) bool {
		if err == nil {
			if _, err = r.store.Find(ctx, name(n)); errors.Is(err, fault.ContextNotFound) {
				err = nil
				return false
			}
		}
		return err == nil
	}
	from, step := *count, 1
	for there(from + step) {
		step *= 2
	}
	last := from + step/2 + sort.Search(step-step/2-1, func(n int) bool { return !there(from + step/2 + n + 1) })
	if err != nil || last == from {
		return err
	}
	begun := from + 1
	if !r.whole && last-mostBegun+1 > begun {
		begun = last - mostBegun + 1
		if r.recordings.older == nil {
			r.recordings.older = &older{}
		}
	}
	for n := begun; n <= last; n++ {
		if _, err := r.openEarlier(ctx, name(n), beside); err != nil {
			return err
		}
		*count = n
	}
	return nil
}

// openEarlier opens a context that another recorder left.
func (r *Recorder) openEarlier(ctx context.Context, name string, beside *recording) (*recording, error) {
	info, err := r.store.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	l, err := openRecording(ctx, r.store, name, r.recordingOptions())
	if err != nil {
		return nil, err
	}
	if l.key = info.Key; info.Origin.Key != 0 {
		l.beside = beside
	}
	if r.whole {
		empty, err := l.isEmpty(ctx, info)
		if empty {
			r.unbegun = append(r.unbegun, unbegun{recordingOf(l.c, name), info.Origin})
		}
		if empty || err != nil {
			return nil, err
		}
	}
	g := l.group
	l.group = group{}
	if l.asksSummary() && l.asked >= beside.asked {
		l.beside.summary = l
	}
	r.recordings.addToGroup(l, g)
	r.recordings.add(l)
	return l, r.recordings.update(ctx, l)
}

// older has the contexts that a recorder did not open when it began, by what a list of the store tells of them. It is
// read for the first request that may belong to one of them.
type older struct {
	read   bool
	groups map[string][]history.Key // by the id of their group, or that of their session
	alike  []sizedContext           // those of one system prompt, by their sizes
	names  map[history.Key]string
	keys   map[string]history.Key // by the names
}

// sizedContext is a context with the bytes of its last request as a canonical thread.
type sizedContext struct {
	key  history.Key
	size int64
}

// mostLookedAt is how many older contexts findOlder opens at once. Tests change it.
var mostLookedAt = 64

// findOlder opens contexts of earlier recorders to which a request may belong: those of its group, and otherwise
// those whose last request may have been the one before this answer, by its size. A request that repeats no answer, and
// that no group names, is not looked up: it begins a conversation. It opens the last ones that it
// had not opened, and reports whether there were any: a caller that goes on opens all, each once.
func (r *Recorder) findOlder(ctx context.Context, q *request) (opened bool, err error) {
	o := r.recordings.older
	answered := lastAnswered(q.conversation)
	if o == nil || q.group.by == bySystem && answered < 0 {
		return false, nil
	}
	if !o.read {
		if err := r.readOlder(ctx); err != nil {
			return false, err
		}
	}
	var keys []history.Key
	if q.group.by != bySystem {
		for _, id := range []string{q.group.id, q.group.session, q.group.parent} {
			o.groups[id] = slices.DeleteFunc(o.groups[id], func(key history.Key) bool { return o.names[key] == "" })
			keys = append(keys, o.groups[id]...)
		}
	} else {
		least, most := sizeOf(q, answered)
		at := sort.Search(len(o.alike), func(i int) bool { return o.alike[i].size >= least })
		for ; at < len(o.alike) && o.alike[at].size <= most; at++ {
			keys = append(keys, o.alike[at].key)
		}
	}
	keys = slices.DeleteFunc(keys, func(key history.Key) bool { return o.names[key] == "" })
	slices.Sort(keys)
	keys = slices.Compact(keys)
	from := len(r.recordings.list)
	for _, key := range keys[max(0, len(keys)-mostLookedAt):] {
		if o.names[key] == "" { // it was opened as what another asks something aside of
			continue
		}
		if _, err := r.openOlder(ctx, o.names[key]); err != nil {
			return false, err
		}
	}
	r.ordered(from)
	return len(keys) > 0, nil
}

// openOlder opens a context that it had not opened, and before it the one that it asks something aside of. It returns nil
// for any other name, and if somebody deleted the context.
func (r *Recorder) openOlder(ctx context.Context, name string) (*recording, error) {
	o := r.recordings.older
	if key, ok := o.keys[name]; ok {
		delete(o.keys, name)
		delete(o.names, key)
	} else {
		i := slices.IndexFunc(r.recordings.list, func(l *recording) bool { return l.name == name })
		if i < 0 {
			return nil, nil
		}
		return r.recordings.list[i], nil
	}
	var beside *recording
	if of := AsideOf(name); of != "" {
		var err error
		if beside, err = r.openOlder(ctx, of); err != nil {
			return nil, err
		}
	}
	l, err := r.openEarlier(ctx, name, beside)
	if fault.CodeOf(err) == fault.ContextNotFound {
		return nil, nil
	}
	return l, err
}

// readOlder reads the list of the store.
func (r *Recorder) readOlder(ctx context.Context) error {
	all, err := pact.List(ctx, r.store)
	if err != nil {
		return err
	}
	opened := map[string]bool{}
	for _, l := range r.recordings.list {
		opened[l.name] = true
	}
	o := r.recordings.older
	o.read, o.groups = true, map[string][]history.Key{}
	o.names, o.keys = map[history.Key]string{}, map[string]history.Key{}
	for _, i := range all {
		number, of := strings.CutPrefix(cmp.Or(AsideOf(i.Name), i.Name), r.options.Context)
		n, err := strconv.Atoi(strings.TrimPrefix(number, "-"))
		if opened[i.Name] || !of || number != "" && (err != nil || number != "-"+strconv.Itoa(n)) {
			continue
		}
		o.names[i.Key], o.keys[i.Name] = i.Name, i.Key
		var g struct{ ID, Session string }
		if json.Unmarshal(attrOf(i.Listed, attrGroup), &g) != nil {
			o.alike = append(o.alike, sizedContext{i.Key, i.Listed.Bytes})
			continue
		}
		o.groups[g.ID] = append(o.groups[g.ID], i.Key)
		if g.Session != "" {
			o.groups[g.Session] = append(o.groups[g.Session], i.Key)
		}
	}
	slices.SortFunc(o.alike, func(a, b sizedContext) int { return int(a.size - b.size) })
	return nil
}

// lastAnswered returns where the last answer begins that a conversation repeats, -1 for none.
func lastAnswered(conversation []block) int {
	at := len(conversation) - 1
	for at >= 0 && conversation[at].role != "assistant" {
		at--
	}
	for at > 0 && conversation[at-1].role == "assistant" {
		at--
	}
	return at
}

// sizeOf returns the bounds of the bytes that a request up to a block has as a canonical thread: only the numbers in
// the ids of its blocks are unknown.
func sizeOf(q *request, until int) (least, most int64) {
	const longestNumbers = 12 // beyond those of block:1-1
	for _, blocks := range [][]block{q.system, q.conversation[:until]} {
		for i := range blocks {
			b := &blocks[i]
			role := b.role
			if role == "" {
				role = "user"
			}
			least += int64(len(`{"id":"block:1-1","role":"","kind":"","content":},`)+len(role)+len(b.kind)) +
				int64(len(b.part.Content.AppendTo(nil)))
			most += longestNumbers
		}
	}
	return least, least + most + int64(len(q.system))*int64(len("system")-len("user"))
}
