package selector

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

const (
	lowest  = math.MinInt64
	highest = math.MaxInt64
)

// chain is a selector of one group, step behind step.
func chain(s ...Step) []Group { return []Group{{Steps: s}} }

func first(parts ...Part) Step { return Step{None, parts} }
func below(parts ...Part) Step { return Step{Descendant, parts} }
func child(parts ...Part) Step { return Step{Child, parts} }

func number(n string) Literal { return Literal{Number, n} }
func text(s string) Literal   { return Literal{Text, s} }
func word(s string) Literal   { return Literal{Word, s} }

var null = Literal{Null, "null"}

func attr(name string, op Op, values ...Literal) Attr {
	return Attr{Name: name, Op: op, Values: values}
}

// depths is a set of runs, given as pairs.
func depths(ends ...int64) DepthSet {
	var set DepthSet
	for i := 0; i < len(ends); i += 2 {
		set.Terms = append(set.Terms, DepthTerm{ends[i], ends[i+1]})
	}
	return set
}

func TestParseTree(t *testing.T) {
	d1 := Hop{Kind: HopDepth, Depth: depths(1, 1)}
	blocks := Hop{Kind: HopBlock, Name: "block", Any: true}
	at := func(hops ...Hop) Position { return Position{Hops: hops} }
	find := func(deep bool, attrs ...Attr) Search { return Search{Deep: deep, Attrs: attrs} }
	a, x := Attr{Name: "a"}, Attr{Name: "x"}
	tests := []struct {
		edition Edition
		text    string
		want    []Group
	}{
		// Steps, names and pseudo-classes.
		{V01, "^ah :pre .cb", chain(first(Region{"ah"}), below(Offset{Pre}), below(Type{"cb"}))},
		{V01, "^ah:core>.cb:summary:last", chain(first(Region{"ah"}, Offset{Core}), child(Type{"cb:summary"},
			Pick{Kind: Last}))},
		{V01, " .mt:first,\n.cb:nth( 2 ):post\t", []Group{
			{Steps: []Step{first(Type{"mt"}, Pick{Kind: First})}},
			{Steps: []Step{first(Type{"cb"}, Pick{Nth, 2}, Offset{Post})}},
		}},
		{V01, "@t0^seq.mt#x", chain(first(Region{"seq"}, Type{"mt"}, ID{"x"}))},
		{V01, "#block:12-3-f2:first", chain(first(ID{"block:12-3-f2"}, Pick{Kind: First}))},
		{V01, "#ah:1-2 #mt:1 #cb:u1 #5f3c", chain(first(ID{"ah:1-2"}), below(ID{"mt:1"}), below(ID{"cb:u1"}),
			below(ID{"5f3c"}))},
		{Depth, `#'a:first' #"it's" #'a\'\\\n'`, chain(first(ID{"a:first"}), below(ID{"it's"}), below(ID{`a'\\n`}))},
		{V01, ".cb:typo .custom:first-draft .first", chain(first(Type{"cb:typo"}), below(Type{"custom:first-draft"}),
			below(Type{"first"}))},
		{V01, "*[a]:first", chain(first(Universal{}, a, Pick{Kind: First}))},
		{V01, ":nth(99999999999)", chain(first(Pick{Nth, math.MaxInt32}))},

		// Depths.
		{V01, ".mt:depth(1, 2-3,-1,-3--2, 0 - 1)",
			chain(first(Type{"mt"}, DepthIs{depths(1, 1, 2, 3, -1, -1, -3, -2, 0, 1)}))},
		{V01, ".mt:depth(1-99999999999999999999)", chain(first(Type{"mt"}, DepthIs{depths(1, maxOrdinal)}))},
		{Depth, ":depth({1,2..4}, <0, <=-1,>0,>= 2)", chain(first(DepthIs{
			depths(1, 1, 2, 4, lowest, -1, lowest, -1, 1, highest, 2, highest)}))},
		{Depth, ":depth(>9223372036854775807,<-9223372036854775808)",
			chain(first(DepthIs{depths(maxOrdinal, highest, lowest, -maxOrdinal)}))},
		{Depth, "depth(>0):first > *", chain(first(DepthStep{depths(1, highest)}, Pick{Kind: First}), child(Universal{}))},

		// Attributes.
		{Depth, `[a=1][b!='x'][c<-2.50][d>=+3][e~"^a\d"][f=None][g!=null][h=word:x-1][i='null']`, chain(first(
			attr("a", Eq, number("1")), attr("b", Ne, text("x")), attr("c", Lt, number("-2.50")), attr("d", Ge, number("3")),
			attr("e", Match, text(`^a\d`)), attr("f", Eq, null), attr("g", Ne, null), attr("h", Eq, word("word:x-1")),
			attr("i", Eq, text("null"))))},
		{Depth, "[ type = 'cb' ][kind=[a, 'b' ,3,null]][x:y>1]", chain(first(attr("nodeType", Eq, text("cb")),
			attr("kind", Eq, word("a"), text("b"), number("3"), null), attr("x:y", Gt, number("1"))))},
		{Depth, "[role][ephemeral][sticky]", chain(first(Attr{Name: "role"}, attr("ttl", Eq, number("0")),
			attr("ttl", Eq, null)))},
		{Depth, ".cb(a b=1, x)[ttl<=2]{y=[1],z}", chain(first(Type{"cb"}, a, attr("b", Eq, number("1")), x,
			attr("ttl", Le, number("2")), attr("y", Eq, number("1")), Attr{Name: "z"}))},
		{V01, "[n=123456789012345678901234567890.5]",
			chain(first(attr("n", Eq, number("123456789012345678901234567890.5"))))},

		// A bracket behind a space.
		{V01, ".cb [a]", chain(first(Type{"cb"}), below(a))},
		{V01, "#k [a]", chain(first(ID{"k"}), below(a))},
		{Depth, "#k [a]", chain(first(ID{"k"}), below(a))},
		{Depth, "+t [a]", chain(first(Tag{"t"}), below(a))},
		{Depth, "(d1) [a] [x]", chain(first(at(d1), a, x))},
		{Depth, "(d1) .cb [a]", chain(first(at(d1)), below(Type{"cb"}), below(a))},
		{Depth, ".mt .cb {a} [x]", chain(first(Type{"mt"}), below(Type{"cb"}, a, x))},
		{Depth, ".mt .cb @first [x]", chain(first(Type{"mt"}), below(Type{"cb"}, x))},
		{Canonical, ".block [a]", chain(first(Type{"block"}), below(a))},
		{Canonical, "#k [a]", chain(first(ID{"k"}, a))},
		{Canonical, "#k > [a]", chain(first(ID{"k"}), child(a))},
		{Canonical, ".seg #k [a]", chain(first(Type{"seg"}), below(ID{"k"}), below(a))},
		{Canonical, ".seg +t [a]", chain(first(Type{"seg"}, Tag{"t"}, a))},
		{Canonical, "?? {a} [x]", chain(first(find(true, a), x))},

		// Tags.
		{Canonical, "+b +a+'x y'+a", chain(first(Tag{"a"}, Tag{"b"}, Tag{"x y"}))},
		{Canonical, "+b {tag='a'} [tag=c] [tag!=d] +a", chain(first(Tag{"a"}, Tag{"b"}, Tag{"c"}, attr("tag", Ne, word("d"))))},
		{Canonical, "+b {tag=''} {tag=1}", chain(first(Tag{"b"}, attr("tag", Eq, text("")), attr("tag", Eq, number("1"))))},
		{Canonical, "[tag=b] +a", chain(first(attr("tag", Eq, word("b")), Tag{"a"}))},
		{Canonical, "+b:first +a", chain(first(Tag{"b"}, Pick{Kind: First}, Tag{"a"}))},

		// Searches and positions.
		{Canonical, "? {a}", chain(first(find(false, a)))},
		{Canonical, ".seg ?{a} ??{x}:last", chain(first(Type{"seg"}), child(find(false, a)),
			below(find(true, x), Pick{Kind: Last}))},
		{Canonical, "within( d1, depth(3..4) )??{a}",
			chain(first(Search{true, []Hop{{Kind: HopDepth, Depth: depths(1, 1)}, {Kind: HopDepth, Depth: depths(3, 4)}},
				[]Attr{a}}))},
		{Canonical, "(depth(1), seg{a}, cont[offset=0], 0, -1:block, *:cb.note{x}, ? {a} [x], ??{x})", chain(first(at(
			d1, Hop{Kind: HopTurn, Name: "seg", Attrs: []Attr{a}},
			Hop{Kind: HopContainer, Name: "cont", Attrs: []Attr{attr("offset", Eq, number("0"))}},
			Hop{Kind: HopOffset}, Hop{Kind: HopBlock, Name: "block", Offset: -1},
			Hop{Kind: HopBlock, Name: "cb", Any: true, Attrs: []Attr{attr("kind", Eq, text("note")), x}},
			Hop{Kind: HopStep, Attrs: []Attr{a, x}}, Hop{Kind: HopDeep, Attrs: []Attr{x}})))},
		{Canonical, "(d1, block) > *, (d1,+2)", []Group{
			{Steps: []Step{first(at(d1, blocks)), child(Universal{})}},
			{Steps: []Step{first(at(d1, Hop{Kind: HopOffset, Offset: 2}))}},
		}},
	}
	for _, test := range tests {
		s, err := Parse(test.text, test.edition)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if !reflect.DeepEqual(s.Groups, test.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", test.text, s.Groups, test.want)
		}
		checkRoundTrip(t, s)
	}
}

func TestParseTime(t *testing.T) {
	at := func(axis byte, n int64) Point { return Point{Axis: axis, N: n} }
	oldest := Point{Axis: 't', Oldest: true}
	tests := []struct {
		text string
		want *Time
	}{
		{"*", nil},
		{"@t0 *", &Time{Kind: Single, From: at('t', 0)}},
		{"@t-0 *", &Time{Kind: Single, From: at('t', 0)}},
		{"@t-12 *", &Time{Kind: Single, From: at('t', -12)}},
		{"@c42 *", &Time{Kind: Single, From: at('c', 42)}},
		{"@c99999999999999999999 *", &Time{Kind: Single, From: at('c', maxOrdinal)}},
		{"@* *", &Time{Kind: All}},
		{"@t0:first", &Time{Kind: Single, From: at('t', 0)}},
		{"@t-5..-1 *", &Time{Kind: Range, From: at('t', -5), To: at('t', -1)}},
		{"@t-5:-1 *", &Time{Kind: Range, From: at('t', -5), To: at('t', -1)}},
		{"@t-5:0 *", &Time{Kind: Range, From: at('t', -5), To: at('t', 0)}},
		{"@t-5:@t-1 *", &Time{Kind: Range, From: at('t', -5), To: at('t', -1)}},
		{"@t0..@t-3 *", &Time{Kind: Range, From: at('t', 0), To: at('t', -3)}},
		{"@c3..@c7 *", &Time{Kind: Range, From: at('c', 3), To: at('c', 7)}},
		{"@c7:3 *", &Time{Kind: Range, From: at('c', 7), To: at('c', 3)}},
		{"@history *", &Time{Kind: Range, From: at('t', 0), To: oldest}},
		{"@t-9..-* *", &Time{Kind: Range, From: at('t', -9), To: oldest}},
		{"@t-*:@t0 *", &Time{Kind: Range, From: oldest, To: at('t', 0)}},
	}
	for _, test := range tests {
		s, err := Parse(test.text, Canonical)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if !reflect.DeepEqual(s.Time, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.text, s.Time, test.want)
		}
		checkRoundTrip(t, s)
	}
}

func TestParseControls(t *testing.T) {
	s := MustParse("@t0 .cb @first [role] @p=2 @limit=10 +x @order=turn:desc,pre @unique @mode=latest", Canonical)
	want := []Control{
		{Kind: ControlMode, Word: "latest"},
		{Kind: ControlOrder, Word: "turn:desc,pre"},
		{Kind: ControlUnique},
		{Kind: ControlLimit, N: 10},
		{Kind: ControlPage, N: 2},
		{Kind: ControlFirst},
	}
	if !reflect.DeepEqual(s.Controls, want) {
		t.Errorf("got %+v, want %+v", s.Controls, want)
	}
	if c, ok := s.Control(ControlLimit); !ok || c.N != 10 {
		t.Errorf("@limit is %+v, %v", c, ok)
	}
	if _, ok := MustParse("*", Canonical).Control(ControlFirst); ok {
		t.Error("a control that is not written is found")
	}
	checkRoundTrip(t, s)
	for i, c := range controls {
		if int(c.kind) != i {
			t.Errorf("@%s is not in the row of its kind", c.name)
		}
	}
}

func TestString(t *testing.T) {
	tests := []struct {
		edition    Edition
		text, want string
	}{
		{Depth, "  @t-5:-1   ^seq  .mt:depth( 1 , 2 - 3 )>.cb[ role = \"user\" ] , #'a' ",
			"@t-5..@t-1 ^seq .mt:depth(1,2-3) > .cb[role='user'], #a"},
		{Depth, `#"a:first" #"it's \ \\ \n"`, `#'a:first' #'it\'s \\ \\ \\n'`},
		{Depth, "[type=x][kind=[a,'b']][n=+1][sticky]", "[nodeType=x][kind=[a,'b']][n=1][ttl=null]"},
		{Depth, ".cb(a='x', b=1 c):depth({1,2..3},>0,<0)", ".cb[a='x'][b=1][c]:depth(1,2-3,>=1,<=-1)"},
		{Depth, "@history depth( 1 )>*", "@t0..@t-* depth(1) > *"},
		{Canonical, "( d0,*:block.a ) { role=system } [ ttl>0 ] +b +a @first @limit=3",
			"(d0, *:block[kind='a'])[role=system][ttl>0] +a +b @limit=3 @first"},
		{Canonical, "(d0,*:block) { tag=b, role=user } +a", "(d0, *:block)[role=user] +a +b"},
		{Canonical, "+b [role=x] +a [tags=c] +b", "+a +b +c[role=x]"},
		{Canonical, "+b:first {tag=a}", "+b:first[tag=a]"},
		{Canonical, "+c:last {tag=b} +a :first +a", "+c:last +a +b :first +a"},
		{Canonical, "?? {tag=b} +a", "+a +b"},
		{Canonical, "?? {tag=b}", "?? {tag=b}"},
		{Canonical, "?? {tag=b, role=user, tag='c'} +a", "?? {role=user} +a +b +c"},
		{Canonical, "?? {tag=b}:first +a", "?? {tag=b}:first +a"},
		{Canonical, "? {tag=c, tag=b} +a", "? {tag='a'} +b +c"},
		{Canonical, "within(d1) ?? {tag=a} +a", "within(d1) ?? {tag='a'}"},
		{Canonical, ".seg ?? {tag=b} {role=x} +a, +b {tag=a}", ".seg ?? {tag='a'} +b[role=x], +a +b"},
		{V01, "['age'=5]['role'=x]['tag'][\"bytes\">1]", "['age'=5][role=x]['tag']['bytes'>1]"},
		{V01, "['a b'=1]['ü'][x-y=1]", "['a b'=1]['ü'][x-y=1]"},
		{Canonical, "+a ['tag'=b]", "+a['tag'=b]"},
		{Canonical, "d1", "(d1)"},
		{Depth, "d-1 .cb", "(d-1) .cb"},
		{Canonical, "3, -1", "(3), (-1)"},
		{Canonical, "@t0 seg{role=x}[a] {b} +c:first", "@t0 (seg[role=x][a])[b] +c:first"},
		{Depth, "mt(a b=1) > .mc", "(mt[a][b=1]) > .mc"},
		{Canonical, "cont[offset=0] @first", "(cont[offset=0]) @first"},
		{Canonical, "mc:last", "(mc):last"},
		{Canonical, "*:block > *:first", "(*:block) > *:first"},
		{Canonical, "2:cb.text", "(2:cb[kind='text'])"},
		{Canonical, "block ? {a}", "(*:block) ? {a}"},
		{Canonical, "depth(1-2)", "depth(1-2)"},
		{Canonical, "within(d1 , depth(2-3))??{tag='x',kind~'a'}", "within(d1, depth(2-3)) ?? {tag='x', kind~'a'}"},
		{Canonical, "within(seg{cycle=2} ,d1,*:block.note, ?{a})??{b}",
			"within(seg[cycle=2], d1, *:block[kind='note'], ? {a}) ?? {b}"},
		{Canonical, "(seg,depth(1,2)[a], d-1)", "(seg, depth(1,2)[a], d-1)"},
		{V01, "@t2..@t-1 *", "@t2..@t-1 *"},
		{V01, "@t-0..3 *", "@t0..@t3 *"},
		{Depth, "@t+1:+2 *", "@t1..@t2 *"},
		{Canonical, "+'1' +'a b' +a:b +'a:last'", "+'1' +'a b' +a:b +'a:last'"},
		{Canonical, ".seg ?{a}:first", ".seg ? {a}:first"},
	}
	for _, test := range tests {
		s, err := Parse(test.text, test.edition)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := s.String(); got != test.want {
			t.Errorf("%s prints\n     %s\nwant %s", test.text, got, test.want)
		}
		checkRoundTrip(t, s)
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "E_SELECTOR_INVALID") {
			t.Errorf("panic with %v", r)
		}
	}()
	MustParse("", V01)
}

// A bare hop N is followed by a pseudo-class as any other step is.
func TestPseudoBehindABareOffset(t *testing.T) {
	for text, want := range map[string]string{"0:first": "(0):first", "-1:nth(2)": "(-1):nth(2)",
		"0:block:last": "(0:block):last"} {
		if s, err := Parse(text, Canonical); err != nil || s.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, s, err, want)
		}
	}
}
