package transcript

import "slices"

// callKey is how a result names its call: by the id of the call or, for a
// legacy call, by the name of the function.
type callKey struct{ id, function string }

// calledID is a call that results may refer to.
type calledID struct {
	node    string // id of its node
	at      int    // position of its message in the body
	cycle   int    // the cycle that added it
	results []answer
}

type answer struct {
	node string
	at   int
}

// callIndex finds calls by the keys that results use, in order.
type callIndex map[callKey][]*calledID

// answered returns the call that a result with that key answers. It takes the
// last message with such a call, and in it the first call without a result,
// else the last one. Ids can repeat, even within a message.
func (x callIndex) answered(key callKey) *calledID {
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

// cut forgets the calls and results from a position on.
func (x callIndex) cut(at int) {
	for key, list := range x {
		x[key] = slices.DeleteFunc(list, func(c *calledID) bool { return c.at >= at })
		for _, c := range x[key] {
			c.results = slices.DeleteFunc(c.results, func(a answer) bool { return a.at >= at })
		}
	}
}
