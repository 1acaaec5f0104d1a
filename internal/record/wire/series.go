package wire

import (
	"crypto/sha256"
	"hash"

	"github.com/contexttree/pact/internal/canon"
)

// Series writes bodies one after another. Of a body whose list of messages begins as that of the last one it writes, and
// hashes, what differs. The zero value has written nothing.
type Series struct{ last *writer }

// series is what a writer knows of the bodies before.
type series struct {
	before *writer // of the last body, nil for none
	list   string  // the name of the list of messages, once the body began ""
	same   int     // how many of its elements are those of the last body
	head   []byte  // what stands before the elements
	marks  []mark  // the ends of the first n elements, by n; nil without a list
	uses   []use   // what was used of the order
	sum    hash.Hash
	summed int // how many bytes
}

// use is an entry of the order that was used, for objects of a shape.
type use struct {
	shape  string
	places []int
}

// mark is a place in a body, and what led there.
type mark struct {
	state
	at, uses int
	sum      hash.Hash // of the text before
}

// Write writes a body, and returns its SHA-256. list is the name of its list of messages, of which the first ones, same
// many, are equal to those of the last body. The text is there until the next call. Errors are those of [Body.Bytes], and
// so is the cost but for these messages.
func (x *Series) Write(b Body, list string, same int) (text []byte, sum [sha256.Size]byte, err error) {
	if b.Notes.Raw != nil {
		text, err = b.Bytes()
		return text, sha256.Sum256(text), err
	}
	before := x.last
	if before == nil {
		before = &writer{series: &series{}, dst: make([]byte, 0, size(b.Value))}
	}
	w := newWriter(b.Notes, before.head[:0])
	w.series = &series{before: before, list: list, same: same, sum: sha256.New()}
	w.value(b.Value)
	x.last = nil
	if text, err = w.done(); err != nil {
		return nil, sum, err
	}
	w.sum.Write(text[w.summed:])
	x.last, w.before = w, nil
	return text, [sha256.Size]byte(w.sum.Sum(nil)), nil
}

// listName returns the name of the list of the body, where the body begins and nowhere else.
func (w *writer) listName() (name string) {
	if w.series != nil {
		name, w.list = w.list, ""
	}
	return name
}

// use notes what was used of the order.
func (w *writer) use() {
	if w.series != nil {
		shape := string(w.shape)
		w.uses = append(w.uses, use{shape, w.known[shape]})
	}
}

// elements writes the list of the body.
func (w *writer) elements(elems []canon.Any) {
	w.dst = append(w.dst, '[')
	n := w.reuseElements()
	for i := n; i < len(elems); i++ {
		if i > 0 {
			w.dst = append(w.dst, w.comma...)
		}
		w.value(elems[i])
		w.mark()
	}
	w.dst = append(w.dst, ']')
}

// mark notes the end of an element, or where the first one begins.
func (w *writer) mark() {
	w.sum.Write(w.dst[w.summed:])
	w.summed = len(w.dst)
	sum, err := w.sum.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // SHA-256 of the standard library can always be copied
	}
	w.marks = append(w.marks, mark{w.state, w.summed, len(w.uses), sum})
}

// reuseElements takes over the text of the elements that the last body had, if what stands before them is the same and
// the notes are the same up to there. It returns how many these are.
func (w *writer) reuseElements() int {
	b := w.before
	head, n := w.dst, min(w.same, len(b.marks)-1)
	if n > 0 && w.notes.Spaced == b.notes.Spaced && w.notes.Escapes == b.notes.Escapes &&
		string(head) == string(b.dst[:b.marks[0].at]) {
		used, spells := common(w.notes.Order, b.notes.Order), common(w.notes.Spelled, b.notes.Spelled)
		order, spelled, at := w.order, w.spelled, w.state
		for ; n > 0; n-- {
			if m := &b.marks[n]; m.used <= used && m.spells <= spells && w.resume(m) {
				w.head, w.dst, w.marks, w.uses = head, b.dst[:m.at], b.marks[:n+1], b.uses[:m.uses]
				for _, u := range w.uses {
					w.known[u.shape] = u.places
				}
				w.summed, w.sum = m.at, m.sum
				w.marks = w.marks[:n]
				w.mark()
				return n
			}
		}
		w.order, w.spelled, w.state = order, spelled, at
	}
	w.head, w.dst, w.marks = head, append(b.dst[:0], head...), b.marks[:0]
	w.mark()
	return 0
}

// resume puts the notes where they were at a mark, and reports whether none of them is about what stands before it.
func (w *writer) resume(m *mark) bool {
	w.order, w.spelled = w.notes.Order[m.used:], w.notes.Spelled[m.spells:]
	w.nextObject()
	w.nextScalar()
	w.objects.passed, w.scalars.passed = m.objects.passed, m.scalars.passed
	return w.objects.fits() && w.scalars.fits()
}

// fits reports whether what is mentioned was not passed.
func (d nextNoted) fits() bool { return d.skip < 0 || d.passed <= d.skip }

// common returns how many elements two lists begin with.
func common[T comparable](a, b []T) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
