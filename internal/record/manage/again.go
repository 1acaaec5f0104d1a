package manage

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
)

// Of the calls of a conversation, the part that may repeat calls whose results managing had taken: above a twentieth it
// takes nothing more until the part is smaller, above a tenth, of two or more, it ends for the conversation.
const (
	loosensAt = 20
	endsAt    = 10
	endsFrom  = 2
)

// loosened reports whether nothing more is taken for now, ends whether managing ends.
func (q *Request) loosened() bool { return q.again*loosensAt > len(q.calls) }
func (q *Request) isEnding() bool { return q.again >= endsFrom && q.again*endsAt > len(q.calls) }

// asksNow reports whether a result that no model saw is of a call that asked again.
func (q *Request) asksNow() bool {
	return slices.ContainsFunc(q.fresh, func(i int) bool { return q.Parts[i].again })
}

// missing returns the places of the results that were taken and that no later call asked for again.
func (q *Request) missing() (list []int) {
	if len(q.formed) == 0 {
		return nil
	}
	last := map[string]int{}
	for i := range q.Parts {
		if at, has := q.results[q.Parts[i].Call]; has && q.Parts[i].Kind == "call" {
			last[q.Parts[i].asks] = at
		}
	}
	for _, i := range q.formed {
		if p := &q.Parts[i]; p.result() && p.form.hidesContent() && last[q.Parts[q.calls[p.Call]].asks] == i {
			list = append(list, i)
		}
	}
	return list
}

// whyEnded says why managing ends.
func (q *Request) whyEnded() string {
	return strconv.Itoa(q.again) + " of " + strconv.Itoa(len(q.calls)) +
		" calls asked again for what managing had taken"
}

// callKey identifies what a call asks of its tool.
func callKey(p *provider.Part) string { return p.Name + "\x00" + toolcall.Arguments(p.Content.Value()) }

// recalls reports whether a call asks pact for what was left out. Agents put the name of the server before it.
func recalls(p *Part) bool {
	return p.Name == "recall" || strings.HasSuffix(p.Name, "pact_recall") || strings.HasSuffix(p.Name, "pact__recall")
}

// reread says how far the calls that ask again were looked for, and what was seen by then.
type reread struct {
	list             *List
	seen             *answeredCalls
	parts, decisions int
	until            int
}

// marksAgain marks the calls that repeat one whose result the model had no longer before it, or not all of it, because
// of the list, and their results: they say the same, or refer to it. A call that is made again and says something else
// was made for that, and one behind the end of managing misses nothing. It looks at texts while no other request waits
// for the list, at nothing before the first result was taken, and then at what came since it looked last.
func (q *Request) marksAgain(l *List) {
	l.mu.Lock()
	some := slices.ContainsFunc(l.takes, func(key string) bool {
		place := q.Place(key)
		return place >= 0 && q.Parts[place].result()
	})
	more := l.order[min(q.reread.decisions, len(l.order)):]
	l.mu.Unlock()
	if r := &q.reread; !some || r.list != l || r.until != q.until || !q.rereadStands(more) {
		for i := 0; i < len(q.Parts) && q.again > 0; i++ {
			q.marks(i, false)
		}
		q.again, q.refers, q.meant = 0, map[int]bool{}, map[int]int{}
		*r = reread{list: l, until: q.until, seen: &answeredCalls{asked: map[string]*results{}, wakes: map[int][]func(){},
			look: func(at, before int) (presence, []int) { return q.presenceBefore(l, at, before) },
			says: func(at int) canon.Any { return q.Parts[at].Part.Content }}}
	}
	if !some {
		q.reread = reread{}
		return
	}
	e := q.reread.seen
	for i := q.reread.parts; i < len(q.Parts); i++ {
		e.passes(i - 1)
		p := &q.Parts[i]
		if p.Kind != "call" || p.Section != provider.Conversation || p.Call == "" {
			continue
		}
		at, has := q.results[p.Call]
		if !has || at < 0 {
			continue
		}
		r := e.lacked(p.asks, i)
		if recalls(p) || r != nil && (i <= q.until && e.repeats(r, at) || q.refersBack(at)) {
			q.again++
			q.marks(i, true)
			q.marks(at, true)
		}
		if same := e.asked[p.asks]; q.Parts[at].again && same != nil && q.calls[p.Call] == i && q.refersBack(at) {
			q.meant[at] = same.lastPlain(q.refersBack)
		}
		e.add(p.asks, at)
	}
	l.mu.Lock()
	q.reread.parts, q.reread.decisions = len(q.Parts), len(l.order)
	l.mu.Unlock()
}

// rereadStands reports whether what was seen of the calls stands with the parts that came since, and has it know some
// more decisions: those that hold from the newest call on, behind which nothing was looked for, or that are about
// results at which nobody looked. A result that came late for its call has it stand no more.
func (q *Request) rereadStands(more []added) bool {
	r := &q.reread
	if q.twice { // the result of a later call is that of an earlier one too
		return false
	}
	for i := r.parts; i < len(q.Parts); i++ {
		if call, has := q.calls[q.Parts[i].Call]; q.Parts[i].Kind == "result" && has && call < r.parts {
			return false
		}
	}
	for _, d := range more {
		at := q.Place(d.key)
		if at < 0 || at >= r.parts {
			continue
		}
		of := r.seen.asked[q.Parts[q.calls[q.Parts[at].Call]].asks]
		if of == nil {
			continue
		}
		if _, looked := of.is[at]; looked {
			call, has := q.calls[d.since]
			if !has || d.since != q.since || call >= r.parts {
				return false
			}
			is, _ := r.seen.look(at, r.parts)
			r.seen.put(of, at, is)
		}
	}
	return true
}

// marks notes of a part whether it is a call that is made again, or the result of one.
func (q *Request) marks(place int, again bool) {
	if p := &q.Parts[place]; p.again != again {
		p.again = again
		q.derived.differs(place)
	}
}

// presenceBefore returns what the request has of a result before a place, and the places of the calls since which
// decisions about it hold.
func (q *Request) presenceBefore(l *List, at, before int) (is presence, since []int) {
	l.mu.Lock()
	d := l.of(q.Parts[at].Key, func(since string) bool { i, has := q.calls[since]; return has && i < before }, true)
	for _, d := range l.by[q.Parts[at].Key] {
		if i, has := q.calls[d.Since]; has {
			since = append(since, i)
		}
	}
	l.mu.Unlock()
	switch {
	case d.hidesContent():
		return lost, since
	case q.refersBack(at):
		return refers, since
	}
	return whole, since
}

// Compiled returns a function that compiles an expression the first time that it is called: a program that neither
// manages nor simulates does not wait for it.
func Compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// header matches such lines as Chunk ID: 4f2a1c and Wall time: 0.0512 seconds, at the beginning of a text.
var header = Compiled(`^([A-Z][A-Za-z ]{1,30}: [0-9A-Za-z.]{1,40}( [a-z]{1,12})?\r?\n){1,4}`)

// mostAnswer is how long an answer is at most, in bytes, that says no more than that it is the same as before.
const mostAnswer = 1000

// Two signs of an answer that only refers to an earlier one: it says that nothing changed, and it speaks of what was
// said before. Both are needed: git says of a commit that nothing changed.
var (
	unchanged = Compiled(`(?i)\b(unchanged|unmodified|not (been )?(changed|modified)|no(thing)? (new )?chang(es?|ed)|` +
		`identical|same (content|contents|result|output|text)|already|up[- ]to[- ]date|still current)\b`)
	earlier = Compiled(`(?i)\b(earlier|previous(ly)?|above|last (read|call|time|result|view)|before|` +
		`prior|in (this|the) (conversation|context)|already (read|shown|seen|sent|returned|provided))\b`)
)

// refersBack is the function of this name for a result of the request. It is asked for each later call that asks the
// same.
func (q *Request) refersBack(at int) bool {
	is, known := q.refers[at]
	if !known {
		is = refersBack(q.Parts[at].Part.Content)
		q.refers[at] = is
	}
	return is
}

// refersBack reports whether an answer of a tool only refers to an earlier one, as Claude Code's Read does.
func refersBack(content canon.Any) bool {
	text := textOf(content)
	return text != "" && len(text) <= mostAnswer && unchanged().MatchString(text) && earlier().MatchString(text)
}

// textOf returns the texts of a result.
func textOf(content canon.Any) string {
	if content.Kind == canon.KindString {
		return content.Text
	}
	var texts []string
	for _, e := range content.Elems {
		if t, _ := e.Get("text"); t.Kind == canon.KindString {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// restoring returns the decision that has a result which only refers to an earlier one bring that one back, whole; nil
// if the request has that one whole, or the result says something of its own.
func (q *Request) restoring(l *List, i int) *Decision {
	if of := q.refersTo(i); of != nil {
		return q.whole(l, i, of)
	}
	return nil
}

// refersTo returns the result that was taken to which another only refers, nil for none.
func (q *Request) refersTo(i int) (of *Part) {
	p := &q.Parts[i]
	content, err := p.Said()
	if err != nil || !refersBack(content) {
		return nil
	}
	if at, means := q.meant[i]; means && at >= 0 && q.Parts[at].form.hidesContent() {
		return &q.Parts[at]
	}
	return nil
}

// whole returns the decision that has a result bring others back, whole; nil if that cannot be done.
func (q *Request) whole(l *List, i int, others ...*Part) *Decision {
	p := &q.Parts[i]
	content, err := p.Said()
	if err != nil || q.hides(content) {
		return nil
	}
	text := ""
	for _, of := range others {
		original, err := of.Said()
		if err != nil || q.hides(original) {
			return nil
		}
		text += "\n[What " + q.id(l, of) + " said follows, whole. " + commit.OnlyPact + "\n" + textOf(original)
	}
	content, ok := withText(content, text)
	if !ok {
		return nil
	}
	return &Decision{Action: Whole, Key: p.Key, ID: q.id(l, p), Text: content.Value()}
}

// endDecisions returns the decisions that end managing. All comes back: with the newest result, behind what is cached,
// or in its places if that costs less.
func (q *Request) endDecisions(l *List, b *Ledger) []Decision {
	d := Decision{Action: Stopped, Key: q.newestKey(), Since: q.since, Why: q.whyEnded()}
	missing, newest := q.missing(), -1
	for i := range q.Parts {
		if p := &q.Parts[i]; p.result() && p.fresh && p.again && !p.doubt && p.form == nil && !l.Entered(p.Key) {
			newest = i
		}
	}
	if newest >= 0 && !b.bringsBack(q) {
		var parts []*Part
		if of := q.refersTo(newest); of != nil {
			parts = append(parts, of)
		}
		for _, i := range missing {
			parts = append(parts, &q.Parts[i])
		}
		if back := q.whole(l, newest, parts...); len(parts) == 0 {
			return []Decision{d}
		} else if back != nil {
			return []Decision{*back, d}
		}
	}
	d.Action = Ended
	return []Decision{d}
}

// withText returns a content whose last text has some more at its end.
func withText(content canon.Any, more string) (canon.Any, bool) {
	if content.Kind == canon.KindString {
		return canon.Text(content.Text + more), true
	}
	elems := append([]canon.Any(nil), content.Elems...)
	for i := len(elems) - 1; i >= 0; i-- {
		members := append([]canon.Member(nil), elems[i].Members...)
		for k := range members {
			if m := &members[k]; m.Name == "text" && m.Value.Kind == canon.KindString {
				m.Value = canon.Text(m.Value.Text + more)
				elems[i] = canon.Object(members...)
				return canon.ArrayOf(elems...), true
			}
		}
	}
	return content, false
}

// hides reports whether a content has a secret.
func (q *Request) hides(content canon.Any) bool { return q.Hides != nil && q.Hides(content) }

// id returns the id under which the original of a part is kept. Two parts of one request have two.
func (q *Request) id(l *List, p *Part) string {
	id := l.ID(p.Key, p.Call)
	if of, used := q.reserved[id]; used && of != p.Key {
		id += "-" + p.Key[:8]
	}
	q.reserved[id] = p.Key
	return id
}
