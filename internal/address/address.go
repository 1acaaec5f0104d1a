package address

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
)

// workingWord and latestWord are the words of the working state and of the latest snapshot, before the number of commits
// between them for an earlier one.
const (
	workingWord = "working"
	latestWord  = "latest"
)

// Point is what an address says: a place on the axis t or c, or the working state.
type Point struct {
	Axis byte
	N    int64
}

const workingAxis = 'w'

// IsWorking reports whether it names the working state.
func (p Point) IsWorking() bool { return p.Axis == workingAxis }

// Cycle returns the point of the snapshot of a cycle.
func Cycle(n int64) Point { return Point{'c', n} }

// Back returns the point of the snapshot n commits before that of the latest commit.
func Back(n int64) Point { return Point{'t', -n} }

// in returns what an address of an edition means: where @t0 is the working state, @t-1
// is the snapshot of the latest commit.
func in(axis byte, n int64, e selector.Edition) Point {
	switch {
	case axis != 't' || !e.Traits().T0Working:
		return Point{axis, n}
	case n == 0:
		return Point{Axis: workingAxis}
	}
	return Point{axis, n + 1}
}

// Text returns the address as an edition writes it; "" is that of the documents before edition 1.0.
func (p Point) Text(e selector.Edition) string {
	open := e.Traits().T0Working
	switch {
	case p.IsWorking() && !open:
		return workingWord
	case p.IsWorking() || p == Back(0) && !open:
		return "@t0"
	case p.Axis == 't' && open:
		p.N--
	}
	return "@" + string(p.Axis) + strconv.FormatInt(p.N, 10)
}

// Word returns the address in the form that is the same in every edition: working, latest, latest-3, @c12.
func (p Point) Word() string {
	switch {
	case p.IsWorking():
		return workingWord
	case p.Axis == 'c':
		return p.Text("")
	case p.N == 0:
		return latestWord
	}
	return fmt.Sprintf("%s-%d", latestWord, -p.N)
}

// Parse reads an address in its form of every edition, or in that of the documents before edition 1.0. It returns
// E_SELECTOR_INVALID for a text that is no address of one state.
func Parse(text string) (Point, error) {
	s := text
	switch {
	case s == workingWord:
		return Point{Axis: workingAxis}, nil
	case s == latestWord:
		return Back(0), nil
	}
	if back, ok := strings.CutPrefix(s, latestWord+"-"); ok {
		s = "@t-" + back
	}
	sel, err := selector.Parse(s+" *", selector.V01)
	if err != nil && fault.CodeOf(err) != fault.SelectorInvalid {
		return Point{}, err
	}
	if err != nil {
		return Point{}, noAddress(text)
	}
	alone := len(sel.Groups) == 1 && len(sel.Groups[0].Steps) == 1 && len(sel.Groups[0].Steps[0].Parts) == 1
	if !alone || sel.Time == nil || sel.Time.Kind != selector.Single {
		return Point{}, noAddress(text)
	}
	return Point{sel.Time.From.Axis, sel.Time.From.N}, nil
}

// ParseIn checks a text that a user wrote in an edition, and returns its form of every edition, or the text where zeros
// in front of the number make it another one, so that errors quote what was written.
func ParseIn(text string, e selector.Edition) (string, error) {
	at, err := Parse(text)
	if err != nil {
		return "", err
	}
	if e.Traits().T0Working && strings.HasPrefix(strings.TrimSpace(text), "@t") {
		return in(at.Axis, at.N, e).Word(), nil
	}
	if word := at.Word(); word == latestWord || at.Text("") == text {
		return word, nil
	}
	return text, nil
}

// Text returns an address as an edition writes it, and a text that is none as it is.
func Text(address string, e selector.Edition) string {
	at, err := Parse(address)
	if err != nil {
		return address
	}
	return at.Text(e)
}

func noAddress(s string) error {
	return fault.At(fault.SelectorInvalid, 0, s, "this is not the address of one state",
		"write latest, @t-1, @c12 or working")
}
