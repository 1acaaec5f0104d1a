package query_test

import "testing"

// fixture is the tree of 001 §6.2: two turns with explicit cores, the newer
// one with two of them, and an active head whose core is elided.
const fixture = `
^root root
 ^sys sys-1
  block block:sysA role=system kind=text
 ^seq seq-1
  seg seg:2
   cont cont:3
    block block:u2 role=user kind=text
  seg seg:1
   cont cont:1
    block block:u1 role=user kind=text
   cont cont:2
    block block:a1 role=assistant kind=text
 ^ah ah-1
  block block:u3 role=user kind=text
`

// TestModelOnTheFixture holds engine and model to results worked out
// by hand, so that they cannot agree on the same mistake.
func TestModelOnTheFixture(t *testing.T) {
	answers{
		{canonical, "@t0 ^sys .block", "block:sysA"},
		{canonical, "@t0 ^seq .seg:depth(1)", "seg:1"},
		{canonical, "@t0 ^seq .seg:depth(1,2)", "seg:1 seg:2"},
		{canonical, "@t0 ^seq .seg:depth(1-2) .cont > .block", "block:u1 block:a1 block:u2"},
		{canonical, "@t0 ^seq .seg:depth(1) > .block", ""},
		{canonical, "@t0 #block:u2", "block:u2"},
		{canonical, ".seg:depth(0)", "ah-1"},
		{canonical, ".seg:depth(<=0)", "sys-1 ah-1"},
		{canonical, ".cont:first", "cont:1 cont:3"},
		{canonical, "(d1)", "seg:1"},
		{canonical, "d2", "seg:2"},
		{canonical, "(d1, cont)", "cont:1 cont:2"},
		{canonical, "(d1, cont):last", "cont:2"},
		{canonical, "(d1, cont[offset=0], *:block[role=assistant])", "block:a1"},
		{canonical, "(d1, 0)", "cont:1 cont:2"},
		{canonical, "(d1, 0, *:block)", "block:u1 block:a1"},
		{canonical, "(d1, *:block)", ""},
		{canonical, "(d1, seg, ??{role=user})", "block:u1"},
		{canonical, "(d0, cont)", ""},
		{canonical, "(d0, cont, *:block)", "block:u3"},
		{canonical, "(d0, cont) > .block", "block:u3"},
		{canonical, "(d0, 0)", "block:u3"},
		{canonical, "(d0, 0, *:block)", "block:u3"},
		{canonical, "(d0, *:block) { role=system }", ""},
		{canonical, "(seg)", "seg:1 seg:2"},
		{canonical, "seg ? {type=cont}", "cont:1 cont:2 cont:3"},
		{canonical, "(d0, seg)", "ah-1"},
		{canonical, "(d-1, seg)", "sys-1"},
		{canonical, "(seg, d-1)", "sys-1"},
		{canonical, "(seg, d0, *:block)", "block:u3"},
		{canonical, "(seg, d2)", "seg:2"},
		{canonical, "(?{type='^seq'}, d1)", ""},
		{canonical, "(?{type='^seq'}, ?{type=seg}, d1)", "seg:1"},
		{canonical, "within(seg) ?? {role=user}", "block:u1 block:u2"},
		{canonical, "within(d0, seg{id='seg:2'}) ?? {type=block}", "block:u2 block:u3"},
		{canonical, "within(d2, *:block) ?? {type=block}", "block:u2"},
		{canonical, "within(cont) ?? {type=block}", ""},
		{canonical, "within(0) ?? {role=system}", "block:sysA"},
		{canonical, "(d-1, *:block)", "block:sysA"},
		{canonical, "? {type=block}", ""},
		{canonical, "? {type='^ah'}", "ah-1"},
		{canonical, "within(d1,d2) ?? {type=block}", "block:u1 block:a1 block:u2"},
		{canonical, "within(d1,d-1) ?? {type=seg}", ""},
		{canonical, "(depth(>=0), ??{type=block}) @order=turn:asc,pre", "block:u2 block:u1 block:a1 block:u3"},
		{canonical, "^seq * @order=post", "block:u1 cont:1 block:a1 cont:2 seg:1 block:u2 cont:3 seg:2"},
		{canonical, ".block @order=bfs", "block:sysA block:u3 block:u1 block:a1 block:u2"},
		{canonical, ".block @order=path", "block:u3 block:u1 block:a1 block:u2 block:sysA"},
		{canonical, ".block @limit=2 @p=2", "block:a1 block:u2"},
		{canonical, ".block @p=3 @limit=2 @first", "block:u3"},
		{canonical, ".block @limit=0", ""},
		{canonical, "@t0 .block[sdepth=2]", "block:sysA block:u3"},
		{canonical, "@t0 [depth=-1]", "sys-1 block:sysA"},
		{canonical, "@t0 .block[depth=1]", "block:u1 block:a1"},
		{canonical, "@t0 [depth=null]", "root seq-1"},
		{canonical, "@t0 [sdepth=0]", "root"},
	}.check(t, plant(t, 1, fixture))
}
