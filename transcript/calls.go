package transcript

import "slices"

// callKey is what a result names its call by: the id of the call or, for a
// legacy one, the name of the function.
type callKey struct{ id, function string }

// called is a call that results may refer to.
type called struct {
	node    string // id
	at      int    // position of its message in the body of the list
	cycle   int    // in which it was added
	results []answer
}

type answer struct {
	node string
	at   int
}

// callIndex finds calls by what results name them by, in order.
type callIndex map[callKey][]*called

// answered returns the call that a result of that key answers: of the last
// message that has such a call the first one without a result, else the last.
// Ids may repeat, within a message too.
func (x callIndex) answered(key callKey) *called {
	list := x[key]
	if len(list) == 0 {
		return nil
	}
	found := list[len(list)-1]
	for i := len(list) - 1; i >= 0 && list[i].at == found.at; i-- {
		if len(list[i].results) == 0 {
			found = list[i]
		}
	}
	return found
}

// cut forgets calls and results from a position on.
func (x callIndex) cut(at int) {
	for key, list := range x {
		x[key] = slices.DeleteFunc(list, func(c *called) bool { return c.at >= at })
		for _, c := range x[key] {
			c.results = slices.DeleteFunc(c.results, func(a answer) bool { return a.at >= at })
		}
	}
}
