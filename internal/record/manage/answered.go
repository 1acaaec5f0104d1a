package manage

import "github.com/contexttree/pact/internal/canon"

// presence is what a request has of a result.
type presence int

const (
	whole  presence = iota
	refers          // only a reference to another
	lost            // it was taken
)

// answeredCalls has the results of the calls before a place of a request, by what the calls ask. It looks at a result
// when a later call asks the same, and once more when a decision about it begins to hold, not at each of these calls.
type answeredCalls struct {
	look  func(result, before int) (is presence, changes []int) // before a place; and the places behind which that may change
	says  func(result int) canon.Any
	asked map[string]*results
	wakes map[int][]func() // by such a place
}

// results are those of the calls that ask the same.
type results struct {
	order []int // of the calls
	read  int   // how many of them were looked at
	is    map[int]presence
	count [lost + 1]int
	said  map[resultText]int // how many of the lost ones say something
	plain int                // the last that does not only refer to another, -1 for none
	known int                // how many of order that knows of
}

// resultText is what a result says: all, or its text without the lines of an agent before it.
type resultText struct {
	form canon.Kind
	text string
}

const withoutHeader = canon.Kind(255)

func resultTexts(content canon.Any) []resultText {
	exact, all := resultText{canon.KindString, content.Text}, textOf(content)
	if content.Kind != canon.KindString {
		exact = resultText{canon.KindArray, string(content.Value())}
	}
	rest := all[len(header().FindString(all)):]
	if rest == "" {
		return []resultText{exact}
	}
	return []resultText{exact, {withoutHeader, rest}}
}

// passes passes a place.
func (e *answeredCalls) passes(place int) {
	for _, wake := range e.wakes[place] {
		wake()
	}
}

// add adds the result of the call that was passed last.
func (e *answeredCalls) add(asks string, result int) {
	r := e.asked[asks]
	if r == nil {
		r = &results{is: map[int]presence{}, said: map[resultText]int{}, plain: -1}
		e.asked[asks] = r
	}
	r.order = append(r.order, result)
}

// lacked returns the results of the calls before one that asked the same, if none is whole and one was lost; else nil.
func (e *answeredCalls) lacked(asks string, call int) *results {
	r := e.asked[asks]
	if r == nil {
		return nil
	}
	for ; r.read < len(r.order); r.read++ {
		result := r.order[r.read]
		if _, known := r.is[result]; known {
			continue
		}
		is, changes := e.look(result, call)
		e.put(r, result, is)
		for _, place := range changes {
			if place >= call {
				e.wakes[place] = append(e.wakes[place], func() {
					is, _ := e.look(result, place+1)
					e.put(r, result, is)
				})
			}
		}
	}
	if r.count[whole] > 0 || r.count[lost] == 0 {
		return nil
	}
	return r
}

func (e *answeredCalls) put(r *results, result int, is presence) {
	count := func(is presence, by int) {
		if r.count[is] += by; is == lost {
			for _, s := range resultTexts(e.says(result)) {
				r.said[s] += by
			}
		}
	}
	if was, known := r.is[result]; known {
		count(was, -1)
	}
	r.is[result] = is
	count(is, 1)
}

// repeats reports whether a result says what one of the lost ones did, but for lines of the agent before it that name
// the call and how long it took.
func (e *answeredCalls) repeats(r *results, result int) bool {
	for _, s := range resultTexts(e.says(result)) {
		if r.said[s] > 0 {
			return true
		}
	}
	return false
}

// lastPlain returns the last result that does not only refer to another, -1 for none.
func (r *results) lastPlain(refersBack func(result int) bool) int {
	for ; r.known < len(r.order); r.known++ {
		if !refersBack(r.order[r.known]) {
			r.plain = r.order[r.known]
		}
	}
	return r.plain
}
