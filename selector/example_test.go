package selector_test

import (
	"fmt"

	"github.com/contexttree/pact/selector"
)

func ExampleParse() {
	s, err := selector.Parse(`@t-5:-1  ^seq .mt:depth( 1-3 ) .mc>.cb[ role = "user" ]`, selector.V01)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	fmt.Println(s.Time.From.N, s.Time.To.N, len(s.Groups[0].Steps))
	// Output:
	// @t-5..@t-1 ^seq .mt:depth(1-3) .mc > .cb[role='user']
	// -5 -1 4
}

func ExampleParse_error() {
	_, err := selector.Parse("^seq .mt:depth()", selector.V01)
	fmt.Println(err)
	_, err = selector.Parse(".cb @limit=1", selector.V01)
	fmt.Println(err)
	// Output:
	// E_SELECTOR_INVALID at byte 15: a depth is expected here (a depth looks like 1, 1,2,5 or 1-3; editions depth and canonical also have 1..3, >0 and {1,2})
	// E_SELECTOR_INVALID at byte 4: a control is not part of edition v0.1 (edition depth or canonical has it)
}

func ExampleParsePosition() {
	p, err := selector.ParsePosition("(d0, mc[offset=0], end)", selector.V01)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p, p.Insert == selector.AtEnd, len(p.Hops))
	// Output:
	// (d0, mc[offset=0], end) true 2
}
