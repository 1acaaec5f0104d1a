package manage

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// Part is a part of a request, and the form in which it is sent.
type Part struct {
	*provider.Part
	// Key identifies what a result or thinking says, with its call; "" for a part that goes as it came.
	Key   string
	Said  func() (canon.Any, error) // of a result with a key: its content, in the form that a note replaces
	Bytes int                       // of that content, as the client wrote it
	// Where the part stands in the body that was read; nil for none.
	Result   *provider.PlacedResult
	Thinking *provider.PlacedThinking

	hash  [sha256.Size]byte
	size  int64
	asks  string    // what a call asks of its tool
	turn  int       // how many answers begin up to it
	twin  int       // the number of the part before it with its key, counted from 1; 0 for none
	fresh bool      // a result that no model saw
	doubt bool      // the request has the same result twice
	again bool      // a call that repeats one whose result was taken, or its result
	form  *Decision // nil if it goes as it came
	sent  canon.Any // the content of the form
}

// Form returns the decision about a part, nil if it goes as it came.
func (p *Part) Form() *Decision { return p.form }

// Unseen reports whether the part is a result that no model saw.
func (p *Part) Unseen() bool { return p.fresh }

// Repeats reports whether the part is a call that repeats one whose result had been taken, or the result of such a
// call.
func (p *Part) Repeats() bool { return p.again }

func (p *Part) answers() bool { return p.Role == "assistant" }

// result reports whether the part is a result that can leave, thinks whether it is thinking that can.
func (p *Part) result() bool { return p.Key != "" && p.Kind == "result" }
func (p *Part) thinks() bool { return p.Key != "" && p.Kind == "thinking" }

// Content returns the content of the part as it is sent.
func (p *Part) Content() canon.Any {
	if p.form == nil || p.form.Action == Cleared {
		return p.Part.Content
	}
	return p.sent
}

// Request is a request on its way.
type Request struct {
	API    provider.API
	Of     *provider.Request // with its model
	Parts  []Part
	Clears *provider.Clearing            // how the provider can be asked to clear results, nil if it cannot
	Fixed  bool                          // nothing new is decided about it
	Hides  func(canon.Any) bool          // reports whether a content has a secret, which nobody keeps; nil for none
	Bytes  int                           // of the body
	Root   splice.Value                  // the body that was read
	hashes func(*provider.Part) [32]byte // of parts

	together func(a, b string) bool // says of two calls whether one answer had both
	read     int                    // how many parts were read
	unseen   []int                  // the results that no answer stands behind
	fresh    []int                  // the results that no model saw
	calls    map[string]int         // by id, the place of a call
	twice    bool                   // two calls have one id
	since    string                 // the newest of them
	results  map[string]int         // by call, the place of its result; -1 if two have that call
	places   map[string]int         // by key, the number of the last part with it, counted from 1
	formed   []int                  // the places of the parts that do not go as they came
	changed  []int                  // those whose form changed since it was asked
	refs     []placedDecision       // the references that were decided, by their places, even if one leads to nothing
	followed followed
	reread   reread
	ended    bool          // managing ended for the conversation, which goes as it came
	why      string        // it ended
	stopped  bool          // it ended, and what was taken stays out until it is asked for again
	until    int           // the newest call when it ended, by its place: all that was taken came back behind that
	again    int           // how many calls repeat one whose result was taken
	refers   map[int]bool  // whether a result only refers to an earlier one, by its place in Parts, as far as it was asked
	meant    map[int]int   // the place of the one before a result of a call that asks again; -1 for none
	bySize   map[int][]int // the places of the results among the first parts, by their bytes
	sized    int           // how many parts these first ones are
	reserved map[string]string
	clears   *provider.Clearing // Clears, if all results that it cleared before can be cleared again
	sum      *summed
	made     *form // as it is sent, once the ledger made it
	derived  *derivedState
}

// Read reads a body as a request whose form is to be decided; model is the one that the path names. ok is false if that
// cannot be done: the body is no JSON object. together says of two calls whether one answer had both. It is safe for
// concurrent use. Cost: linear in what the body does not repeat of the last ones, in its parts, and a comparison of its
// bytes.
func (m *Memory) Read(
	name provider.API, model string, body []byte, together func(a, b string) bool,
) (q *Request, ok bool) {
	before, n := m.repeated(name, body)
	r, list := &reading{name: name}, provider.ListOf(name)
	var known []splice.Value
	if n > 0 {
		known = before.messages[:n]
	}
	root, repeats, ok := splice.ParseNext(body, list, known)
	if !ok || root.Kind != canon.KindObject {
		return nil, false
	}
	if n = repeats; n == 0 {
		before = nil
	}
	if r.messages = root.Get(list).Elems; r.messages != nil {
		r.values = make([]canon.Any, len(r.messages))
		for i := range r.messages {
			if i < n {
				r.values[i] = before.values[i]
				continue
			}
			var err error
			r.messages[i] = r.messages[i].Own() // in root too
			if r.values[i], err = r.messages[i].Canon(); err != nil {
				return nil, false
			}
		}
	}
	members := make([]canon.Member, len(root.Members))
	for i, field := range root.Members {
		var values []canon.Any
		if field.Name == list {
			values = r.values
		}
		value, err := m.value(field.Value, values)
		if err != nil {
			return nil, false
		}
		members[i] = canon.Member{Name: field.Name, Value: value}
	}
	var of *provider.Request
	if before != nil {
		of = before.request
	}
	if r.request, ok = provider.ReadNext(name, canon.Object(members...), of, n); !ok {
		return nil, false
	}
	r.request.Model = cmp.Or(root.Get("model").Text(), model)
	q = &Request{API: name, Of: r.request, Bytes: len(body), Root: root, Clears: provider.ClearingFor(r.request, 0)}
	r.place(root, before, n)
	q.Parts = r.parts
	q.Begin(0, together, m.HashOf)
	r.parts = slices.Clone(q.Parts)
	m.add(r, before, n)
	return q, true
}

// place has the parts of a reading say where they stand in the body. Those of the first n messages are those of another
// reading.
func (r *reading) place(root splice.Value, before *reading, n int) {
	r.parts = make([]Part, len(r.request.Parts))
	var known []Part
	if before != nil {
		known = before.parts
	}
	for len(known) > 0 && known[0].Message < 0 {
		known = known[1:]
	}
	thinking, results := provider.Thinking(r.name, root, n), provider.Results(r.name, root, n)
	for i := range r.parts {
		p := &r.parts[i]
		if of := &r.request.Parts[i]; of.Message >= 0 && of.Message < n {
			*p, known = known[0], known[1:]
		}
		p.Part = &r.request.Parts[i]
		switch {
		case p.Section != provider.Conversation || p.Message < n:
		case p.Kind == "result" && len(results) > 0 && results[0].Call == p.Call:
			one := &results[0]
			results = results[1:]
			if content, err := one.Content.Canon(); err == nil {
				p.Result, p.Key, p.Bytes, p.Said = one, KeyOf(one.Call, content.Value()), len(one.Content.Raw), one.Content.Canon
			}
		case p.Kind == "thinking" && len(thinking) > 0:
			p.Thinking, p.Key = &thinking[0], KeyOf("", p.Part.Content.Value())
			thinking = thinking[1:]
		}
	}
}

// Tool returns the name of the tool that gave a result.
func (q *Request) Tool(p *Part) string {
	if call, has := q.calls[p.Call]; has {
		return q.Parts[call].Name
	}
	return p.Name
}

// Begin reads what is needed of the parts. same is how many of them, the first ones, are those of the last time;
// together says of two calls whether one answer had both; hashes returns the hash of a part. Cost: linear in the parts
// that came to all of the last time, else in all.
func (q *Request) Begin(same int, together func(a, b string) bool, hashes func(*provider.Part) [32]byte) {
	if q.derived == nil {
		q.derived = &derivedState{}
	}
	if q.calls == nil || same < q.read {
		q.calls, q.results, q.places, q.bySize = map[string]int{}, map[string]int{}, map[string]int{}, map[int][]int{}
		q.read, q.since, q.twice, q.unseen, q.fresh, q.sized = 0, "", false, q.unseen[:0], q.fresh[:0], 0
		q.followed, q.reread = followed{}, reread{}
		q.derived.differs(same)
		q.derived.turned = 0
	}
	from := q.read
	q.together, q.hashes, q.reserved, q.read = together, hashes, map[string]string{}, len(q.Parts)
	for i := from; i < len(q.Parts); i++ {
		p := &q.Parts[i]
		if p.hash == [sha256.Size]byte{} {
			p.hash, p.size = hashes(p.Part), sizeOf(p.Part.Content)
			if p.Kind == "call" {
				p.asks = callKey(p.Part)
			}
		}
		if p.Key != "" {
			p.twin, q.places[p.Key] = q.places[p.Key], i+1
		}
		switch {
		case p.Section != provider.Conversation:
		case p.Kind == "call" && p.Call != "":
			_, two := q.calls[p.Call]
			q.calls[p.Call], q.since, q.twice = i, p.Call, q.twice || two
		case p.Kind == "result" && p.Call != "":
			if _, two := q.results[p.Call]; !two {
				q.results[p.Call] = i
			} else if q.results[p.Call] = -1; from > 0 { // what was read may be in doubt now
				q.Begin(0, together, hashes)
				return
			}
		}
	}
	for i := from; i < len(q.Parts); i++ {
		p := &q.Parts[i]
		if p.turn = 0; i > 0 {
			if p.turn = q.Parts[i-1].turn; p.answers() && !q.Parts[i-1].answers() {
				p.turn++
			}
		}
		if p.result() {
			p.doubt, p.fresh = p.twin > 0 || q.places[p.Key] != i+1, true
			q.unseen, q.fresh = append(q.unseen, i), append(q.fresh, i)
		}
		if p.answers() && p.Section == provider.Conversation && len(q.unseen) > 0 {
			q.unseen = q.sees(i, q.unseen, together)
		}
	}
	q.fresh = slices.DeleteFunc(q.fresh, func(i int) bool { return !q.Parts[i].fresh })
}

// sees notes that the model has seen the results before a part of an answer, but for those of calls of the same answer,
// and returns the latter.
func (q *Request) sees(i int, results []int, together func(a, b string) bool) []int {
	of := ""
	if q.Parts[i].Kind == "call" && q.API == provider.Responses {
		of = q.Parts[i].Call
	}
	for k := len(results) - 1; k >= 0; k-- {
		p := &q.Parts[results[k]]
		if !p.fresh {
			return results[k+1:]
		}
		p.fresh = of != "" && together(p.Call, of)
	}
	return results
}

// Place returns the place of the part with a key, of several the last; -1 for none.
func (q *Request) Place(key string) int {
	return q.places[key] - 1
}

// all returns the places of all parts with a key, the last first.
func (q *Request) all(key string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := q.places[key]; at > 0 && yield(at-1); at = q.Parts[at-1].twin {
		}
	}
}

// NewestCall returns the newest call of a request, "" for none.
func (q *Request) NewestCall() string { return q.since }

// Ended reports whether managing ended for the conversation of a request.
func (q *Request) Ended() bool { return q.ended || q.stopped }

// WhyEnded returns the reason with which managing ended and all goes as it came, "" if it did not.
func (q *Request) WhyEnded() string { return q.why }

// RepeatedCalls returns how many calls of the request repeat one whose result had been taken, and of how many.
func (q *Request) RepeatedCalls() (again, calls int) { return q.again, len(q.calls) }

// hasCall reports whether the request has a call.
func (q *Request) hasCall(call string) bool {
	_, has := q.calls[call]
	return has
}
