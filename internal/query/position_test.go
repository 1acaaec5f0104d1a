package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

const (
	v01       = selector.V01
	depth     = selector.Depth
	canonical = selector.Canonical
)

func TestTooManySteps(t *testing.T) {
	hops := "(d1" + strings.Repeat(", cont", 60) + ")"
	for text, fits := range map[string]bool{
		hops + " > * > * > *":                                       true,
		hops + " > * > * > * > *":                                   false,
		"+x" + strings.Repeat(" > *", selector.MaxSteps-2):          true,
		"+x" + strings.Repeat(" > *", selector.MaxSteps-1):          false,
		"*" + strings.Repeat(" > *", selector.MaxSteps-1):           true,
		"*" + strings.Repeat(" > *", selector.MaxSteps-2) + " :pre": true,
	} {
		_, err := query.Compile(selector.MustParse(text, canonical))
		var f *fault.Error
		switch {
		case fits && err != nil:
			t.Errorf("%s: %v", text, err)
		case !fits && (!errors.As(err, &f) || f.Code != fault.Limit || !strings.Contains(text, f.Token)):
			t.Errorf("%s: got %v, want %s and no token that the text does not have", text, err, fault.Limit)
		}
	}
}

// What is astray among the turns has no depth and takes none from a turn (000
// §3.4): only turns are counted.
func TestGapsBesideStrays(t *testing.T) {
	tr := plant(t, 1, `
^root root
 ^sys sys
 ^seq seq
  seg t1
   block a
  block stray
  seg t2
   block b
  cont loose
   block c
 ^ah ah
`)
	for text, want := range map[string]string{"(d1, end)": "t2", "(d2, end)": "t1", "(seg, d2, end)": "t1",
		"(d-1, seg, end)": "sys", "(seg, d-1, )": "sys", "(d0, seg, end)": "ah"} {
		pos, err := selector.ParsePosition(text, canonical)
		must(t, err)
		if g, err := query.Gap(context.Background(), tr, pos, canonical); err != nil || g.Parent != want {
			t.Errorf("%s: %+v, %v, want %s", text, g, err, want)
		}
	}
	for _, text := range []string{"(d3, end)", "(d1, d2, end)", "(seg, d-1, d0, end)"} {
		pos, err := selector.ParsePosition(text, canonical)
		must(t, err)
		if _, err := query.Gap(context.Background(), tr, pos, canonical); !errors.Is(err, fault.NodeNotFound) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every hop of a position leads to one container, which passes the filters of the hop; the core of a turn or of the active
// head is the last one, and may be elided.
func TestGapsOfPositions(t *testing.T) {
	tr := plant(t, 7, `
^root root
 ^sys sys
  cont group cycle=1
   cont inner
    block rule
  cont loud content=QQQ
 ^seq seq
  seg old cycle=4
   block ask
   cont extra offset=1 cycle=5
  seg new cycle=6
   cont core cycle=6
    block call
 ^ah ah cycle=6
  block draft
`)
	for text, want := range map[string]string{
		"(d0, end)": "ah end", "(d0, )": "ah", "(d0, +2)": "ah after 2", "(d0, -1)": "ah before 1", "(d-1, end)": "sys end", "(d1, end)": "new end", "(d2, end)": "old end",
		"(d1[cycle=6], end)": "new end", "(d1, seg{cycle=6}, end)": "new end", "(d0, seg[cycle=6], end)": "ah end", "(d-1, seg, end)": "sys end",
		"(d0, cont[offset=0], end)": "ah core end", "(d1, cont[offset=0], end)": "new core end", "(d2, cont[offset=0], end)": "old core end",
		"(d2, cont, end)": "old core end", "(d2, cont[offset=1], end)": "extra end", "(d2, cont[cycle=5], )": "extra",
		"(d-1, cont[cycle=1], end)": "group end", "(d-1, cont[cycle=1], cont, end)": "inner end", "(d-1, cont[content~'QQ'], end)": "loud end",
		"(d3, end)": "nowhere", "(d1[cycle=99], end)": "nowhere", "(d0[role=nobody], end)": "nowhere", "(d-1[role=nobody], end)": "nowhere",
		"(d1, seg[cycle=99], end)": "nowhere", "(d1, cont[offset=0][cycle=9], end)": "nowhere", "(d1, d2, end)": "nowhere",
		"(d-1, cont[content~'QX'], end)": "nowhere", "(d2, cont[offset=2], end)": "nowhere",
		"(seg, end)": "refused", "(cont, end)": "refused", "(depth(0,1), end)": "refused", "(d-1, cont, end)": "refused", // there are two
		"(d1, cont[offset=0], cont, end)": "refused", "(d2, cont[offset=1], seg, end)": "refused",
	} {
		pos, err := selector.ParsePosition(text, canonical)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		g, err := query.Gap(t.Context(), tr, pos, canonical)
		got := g.Parent
		if g.Core {
			got += " core"
		}
		switch g.Edge {
		case tree.End:
			got += " end"
		case tree.After:
			got += fmt.Sprint(" after ", g.N)
		case tree.Before:
			got += fmt.Sprint(" before ", g.N)
		}
		switch {
		case errors.Is(err, fault.NodeNotFound):
			got = "nowhere"
		case errors.Is(err, fault.PlacementInvalid):
			got = "refused"
		case err != nil:
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The hops of within(…) are alternatives. Each counts as a group against the
// limit, but for depths, which are one.
func TestWithinIsBounded(t *testing.T) {
	for n, want := range map[int]error{200: nil, 256: nil} {
		s := selector.MustParse("within(0"+strings.Repeat(",0", n-1)+") ?? {role=user}", canonical)
		if _, err := query.Compile(s); !errors.Is(err, want) {
			t.Errorf("%d hops: %v", n, err)
		}
	}
	s := selector.MustParse("within(0"+strings.Repeat(",0", 199)+") ?? {role=user}, within(0"+strings.Repeat(",0", 99)+
		") ?? {role=user}", canonical)
	if _, err := query.Compile(s); !errors.Is(err, fault.Limit) {
		t.Errorf("300 alternatives: %v", err)
	}
	s = selector.MustParse("within(d0"+strings.Repeat(",d1", 199)+") ?? {role=user}, within(d0"+strings.Repeat(",d1", 99)+
		") ?? {role=user}", canonical)
	if _, err := query.Compile(s); err != nil {
		t.Errorf("300 depths: %v", err)
	}
}
