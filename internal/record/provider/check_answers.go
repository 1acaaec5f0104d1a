package provider

import "github.com/contexttree/pact/internal/record/splice"

// answers are results by the id of the call that they name, in their order. Each is taken once.
type answers struct {
	of    map[string][]answer
	taken map[int]bool // by the start of the result
}

// answer is the place of a result in a list.
type answer struct {
	list splice.Value
	at   int
}

func (a answer) value() splice.Value { return a.list.Elems[a.at] }

// answersFor makes an index without results, which shares with others what is taken.
func answersFor(taken map[int]bool) *answers { return &answers{map[string][]answer{}, taken} }

func (a *answers) add(id string, list splice.Value, at int) {
	a.of[id] = append(a.of[id], answer{list, at})
}

// first returns the first result of a call that is not taken, false for none. Cost: constant, but for
// results that are taken, at which no later call looks again.
func (a *answers) first(id string) (answer, bool) {
	list := a.of[id]
	for len(list) > 0 && a.taken[list[0].value().Start] {
		list = list[1:]
	}
	if a.of[id] = list; len(list) == 0 {
		return answer{}, false
	}
	return list[0], true
}

// take takes the first result of a call.
func (a *answers) take(id string) (answer, bool) {
	found, ok := a.first(id)
	if ok {
		a.taken[found.value().Start] = true
	}
	return found, ok
}
