package sums

import (
	"crypto/sha256"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// Book counts a file and what was read of it, first what was read, by [Book.Sent] and [Book.Answered]. [Book.Record] and
// the methods up to [Book.Total] are for what counts the file. Memory: 8 bytes for each different text that was read.
type Book struct {
	// Turn and Session are for what counts a file, if ids of answers repeat: how often somebody spoke to the model, and in
	// which session.
	Turn    int
	Session string
	Said    bool // the model has spoken since the last count

	records  []record
	messages int64
	missing  []int // of messages of which a text was not read, the records
	walk     walk  // of the last message
	calls    ids
	results  ids
	unnamed  int // results without an id
	notes    []Note
	noted    map[string]int  // of notes, by kind
	tokens   map[key]counted // of the file, by answer
	order    []key
	prices   []counted
	total    *Total
	running  Total  // of the counter that goes on
	done     *Total // of counters that began anew

	read        map[key]struct{} // texts of requests and answers
	readCalls   ids
	readResults ids
	readTokens  tokens
	readMoney   float64
	walked      map[*canon.Member]struct{} // messages, which requests share
	last        map[string][]canon.Any     // the list that was read last of each member of a request
}

// counted is what a provider counted for an answer.
type counted struct {
	provider.Usage
	dollars float64
	line    int
}

// key stands for a text.
type key [8]byte

func keyOf(kind byte, text string) key {
	var small [512]byte // most texts are no longer
	sum := sha256.Sum256(append(append(small[:0], kind), text...))
	return key(sum[:8])
}

// ids are the different calls or results of tools, with the line of the first.
type ids map[key]int

func (list ids) add(k key, line int) ids {
	if list == nil {
		list = ids{}
	}
	if _, known := list[k]; !known {
		list[k] = line
	}
	return list
}

// record is one line of a file or one element of its list.
type record struct {
	line int
	says bool // a message, a note, or a number
}

// Total is what a file says of itself as a whole; nil where it says nothing.
type Total struct {
	In, Out, Cached *int64
	Calls           *int64 // of tools
	Dollars         string // "" for none
}

// Record begins the next record of the file. line is 0 if it has none.
func (b *Book) Record(line int) { b.records = append(b.records, record{line: line}) }

func (b *Book) says() int {
	if len(b.records) == 0 {
		b.Record(0)
	}
	at := len(b.records) - 1
	b.records[at].says = true
	return b.records[at].line
}

// Note says that the record, or a part of it, is of a kind that no request has.
func (b *Book) Note(kind string) {
	line := b.says()
	if i, known := b.noted[kind]; known {
		b.notes[i].Records++
		return
	}
	if b.noted == nil {
		b.noted = map[string]int{}
	}
	b.noted[kind] = len(b.notes)
	b.notes = append(b.notes, Note{kind, 1, line})
}

// Message counts a message of the record. Each text in it must be in a request or an answer, but for those of members
// called type, role or one of except. Calls and results of tools in the words of an API are counted with it.
func (b *Book) Message(v canon.Any, except ...string) {
	b.says()
	at := len(b.records) - 1
	w := &b.walk
	w.except, w.texts, w.calls, w.results = except, w.texts[:0], w.calls[:0], w.results[:0]
	w.value(v, "")
	b.messages++
	if slices.ContainsFunc(w.texts, func(k key) bool { _, is := b.read[k]; return !is }) {
		b.missing = append(b.missing, at)
	}
	for _, k := range w.calls {
		b.calls = b.calls.add(k, b.records[at].line)
	}
	for _, k := range w.results {
		b.results = b.results.add(k, b.records[at].line)
	}
}

// Call counts the call of a tool that Message does not know, by its id.
func (b *Book) Call(id string) { b.calls = b.calls.add(keyOf('c', id), b.says()) }

// Result counts the result of a call that Message does not know, by the id of the call.
func (b *Book) Result(call string) { b.results = b.results.add(keyOf('r', call), b.says()) }

// Unnamed counts results of tools whose call the file does not name: only their number is compared.
func (b *Book) Unnamed(results int) {
	b.says()
	b.unnamed += results
}

// Tokens counts the tokens of an answer. Of several counts with one id the last stands, but that with the most output
// where it shrinks: counts of a stream are sums. "" is no id.
func (b *Book) Tokens(id string, u provider.Usage) {
	line := b.says()
	if id == "" {
		id = "#" + strconv.Itoa(len(b.order))
	}
	of := keyOf('a', id)
	if most := b.tokens[of].Out; most == nil || u.Out != nil && *u.Out >= *most {
		b.count(of, u, line)
	}
}

// TokensOnce is Tokens for a count that may repeat one before, with the same id: then the first stands.
func (b *Book) TokensOnce(id string, u provider.Usage) {
	line := b.says()
	of := keyOf('a', id)
	if _, known := b.tokens[of]; !known {
		b.count(of, u, line)
	}
}

func (b *Book) count(id key, u provider.Usage, line int) {
	if b.tokens == nil {
		b.tokens = map[key]counted{}
	}
	if _, known := b.tokens[id]; !known {
		b.order = append(b.order, id)
	}
	b.tokens[id] = counted{Usage: u, line: line}
}

// Money counts the price of an answer in dollars; what is no number is not counted.
func (b *Book) Money(dollars string) {
	b.prices = append(b.prices, counted{dollars: Amount(dollars), line: b.says()})
}

// Total notes what the file says of itself as a whole. Of several the last stands.
func (b *Book) Total(t Total) {
	b.says()
	b.total = &t
}

// Running is Total for a counter that goes on from answer to answer, last being the count of the one before it. One that
// falls, or has that of one answer alone, was begun anew: what was counted before is added.
func (b *Book) Running(t Total, last *int64) {
	if in := b.running.In; in != nil && (*t.In < *in || b.Said && (*t.In == *in || last != nil && *t.In == *last)) {
		b.done = b.total
	}
	b.running, b.total = t, b.done
	b.AddTotal(t)
}

// AddTotal is Total for a file of several runs, each of which says its own numbers; the money is that of the last.
func (b *Book) AddTotal(t Total) {
	if all := b.total; all != nil {
		for to, n := range map[**int64]*int64{&t.In: all.In, &t.Out: all.Out, &t.Cached: all.Cached, &t.Calls: all.Calls} {
			if n != nil && *to != nil {
				sum := *n + **to
				*to = &sum
			}
		}
	}
	b.Total(t)
}

// Sent counts what a request says as read. Requests may share messages: each is walked once.
func (b *Book) Sent(request canon.Any) {
	for _, m := range request.Members {
		if m.Value.Kind != canon.KindArray {
			b.take(m.Value)
			continue
		}
		list, last, from := m.Value.Elems, b.last[m.Name], 0
		if len(list) > 0 && len(last) > 0 && &list[0] == &last[0] {
			from = min(len(list), len(last))
		}
		for _, e := range list[from:] {
			b.countShared(e)
		}
		if b.last == nil {
			b.last = map[string][]canon.Any{}
		}
		if len(list) > from || from == 0 {
			b.last[m.Name] = list
		}
	}
}

// countShared counts a message that requests may share.
func (b *Book) countShared(m canon.Any) {
	if len(m.Members) > 0 {
		if _, known := b.walked[&m.Members[0]]; known {
			return
		}
		if b.walked == nil {
			b.walked = map[*canon.Member]struct{}{}
		}
		b.walked[&m.Members[0]] = struct{}{}
	}
	b.take(m.Opened()) // it may be there as its text alone
}

// Answered counts an answer as read. dollars is its price, "" if none was kept.
func (b *Book) Answered(a *provider.Answer, dollars string) {
	b.take(a.Content)
	_, failure, _ := strings.Cut(a.Failure, ": ") // without the kind of the error
	b.take(canon.Text(a.Failure))
	b.take(canon.Text(failure))
	b.readTokens.add(a.Usage)
	b.readMoney += Amount(dollars)
}

func (b *Book) take(v canon.Any) {
	w := walk{read: true}
	w.value(v, "")
	if b.read == nil {
		b.read = map[key]struct{}{}
	}
	for _, k := range w.texts {
		b.read[k] = struct{}{}
	}
	for _, k := range w.calls {
		b.readCalls = b.readCalls.add(k, 0)
	}
	for _, k := range w.results {
		b.readResults = b.readResults.add(k, 0)
	}
}

// tokens are sums of what providers counted.
type tokens struct{ in, out, cached, written int64 }

func (t *tokens) add(u provider.Usage) {
	for to, n := range map[*int64]*int64{&t.in: u.In, &t.out: u.Out, &t.cached: u.Cached, &t.written: u.Written} {
		if n != nil {
			*to += *n
		}
	}
}

// Amount reads a price in dollars; what is no number is 0.
func Amount(dollars string) float64 {
	n, err := strconv.ParseFloat(dollars, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return n
}

// cents rounds away what adding up fractions leaves: to a billionth of a dollar.
func cents(dollars float64) float64 { return math.Round(dollars*1e9) / 1e9 }

// unread returns how many messages that were not read no finding names, and the line of the first.
func (b *Book) unread(named func(line int) bool) (unnamed, line int) {
	for _, record := range b.missing {
		if at := b.records[record].line; !named(at) {
			if unnamed == 0 {
				line = at
			}
			unnamed++
		}
	}
	return unnamed, line
}
