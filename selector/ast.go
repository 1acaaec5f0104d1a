package selector

import "github.com/contexttree/pact/fault"

// Selector is a parsed selector (04 §2, §4).
type Selector struct {
	Source   string    // the text it was parsed from, byte for byte; "" if a program built it
	Edition  Edition   // the edition in which it was parsed
	Time     *Time     // nil if no address is written
	Groups   []Group   // at least one; the result is their union
	Controls []Control // in the order in which they take effect, each kind once

	// Ignored are the controls of others, such as @vendor=x, which edition 1.0 lets pass; with
	// their "@", in the order written.
	Ignored []string
	// Advice says which forms of the text edition 1.0 reads and advises against.
	Advice []Advice
}

// Advice is a form that edition 1.0 reads, although its specification flags it (1.0 04 §9, §10).
type Advice struct {
	Offset  int    // byte of the text
	Token   string // what stands there
	Message string // what to write
	Legacy  bool   // it is a token that 1.0 04 §4.3 removes: E_SELECTOR_LEGACY
}

// Control returns the control of the given kind, if the selector has it.
func (s *Selector) Control(kind ControlKind) (Control, bool) {
	for _, c := range s.Controls {
		if c.Kind == kind {
			return c, true
		}
	}
	return Control{}, false
}

// Remarks returns a sentence for each form that edition 1.0 advises against and each control that
// means nothing here.
func (s *Selector) Remarks() []string {
	var list []string
	for _, a := range s.Advice {
		text := a.Token + ": " + a.Message
		if a.Legacy {
			text += " [" + string(fault.SelectorLegacy) + "]"
		}
		list = append(list, text)
	}
	return append(list, s.Warnings()...)
}

// Warnings returns a sentence for each control that means nothing here (1.0 04 §4).
func (s *Selector) Warnings() []string {
	var list []string
	for _, name := range s.Ignored {
		list = append(list, name+" means nothing here and is ignored")
	}
	return list
}

// TimeKind tells the three forms of a snapshot address apart (04 §3.7).
type TimeKind int

// The forms of an address: one snapshot, all of them (@*), an inclusive range.
const (
	Single TimeKind = iota
	All
	Range
)

// Time is a snapshot address (04 §3.7). Only a Range has a To. Its ends stay as they were
// written, in either order, even if no snapshot is there.
type Time struct {
	Kind TimeKind // Single, All or Range
	From Point    // the snapshot of Single, one end of Range
	To   Point    // the other end of Range
	Pair bool     // only the two ends of Range: "@t-1,@t-5" of edition 1.0 (1.0 fixtures/pair_basic)
}

// Point is one end of an address: @t-3 is {'t', -3}, @c42 is {'c', 42}, and
// @t-* is the oldest snapshot (001 §3.7.1). Only an end of a range may lie after
// @t0, as @t2 does.
type Point struct {
	Axis   byte  // 't' counts back from the latest commit, 'c' names a cycle
	N      int64 // -3 for @t-3; the cycle for 'c'
	Oldest bool  // it is @t-*; Axis is 't', and N means nothing
}

// Group is one chain of steps (04 §4).
type Group struct {
	Steps []Step    // at least one, from the outermost node inward
	Scope *DepthSet // every step matches at these depths (1.0 04 §5); nil for everywhere
	Else  bool      // it counts if the groups before it, up to one without Else, find nothing (1.0 04 §3.6)
}

// Combinator joins a step to the step before it (04 §3.6).
type Combinator int

// The combinators. The first step of a group has None.
const (
	None Combinator = iota
	Descendant
	Child
)

// Step is one compound of a chain. Its parts keep the order in which they were written,
// because a [Pick] applies to the parts before it.
type Step struct {
	Comb  Combinator // None in the first step of a group
	Parts []Part     // at least one
}

// Part is one condition of a step, or the way to its nodes. The parts are
// [Universal], [Region], [DepthStep], [Position] and [Search], which stand
// first; [ID] and [Type]; and the filters [Attr], [Tag], [Offset], [DepthIs]
// and [Pick].
type Part interface{ part() }

// Universal is "*".
type Universal struct{}

// Region is a root alias: root, sys, seq or ah (04 §3.1).
type Region struct {
	Name string // without the "^"
}

// ID is #x: an id or a key, as [Traits] says (04 §3.3; 001 §3.10).
type ID struct {
	Name string // without the "#" and its quotes
}

// Type is a type token without its dot: "cb", "cb:summary", "custom:note" (04
// §3.2). Edition 1.0 has one for .a.b alone, and reads .a as [nodeType='a'].
type Type struct {
	Name string // as written, in either vocabulary
}

// Zone is a side of the core (02 §4.1).
type Zone int

// The zones: offset below, at and above zero.
const (
	Pre Zone = iota
	Core
	Post
)

// Offset is :pre, :core or :post. Alone in a step it means everything in that
// zone of a turn; after other parts it tests the node's own offset (04 §3.4).
type Offset struct {
	Zone Zone // Pre, Core or Post
}

// DepthSet is a set of depths as written, not merged (04 §3.4; 003 §3.4).
type DepthSet struct {
	Terms []DepthTerm // at least one, in the order written
}

// DepthTerm is a run of depths, both ends included. math.MinInt64 and
// math.MaxInt64 stand for an open end.
type DepthTerm struct {
	Lo, Hi int64 // 1 is the newest turn, 0 is ^ah, -1 is ^sys
}

// DepthIs is :depth(…) (04 §3.4).
type DepthIs struct {
	Set DepthSet // the depths that pass
}

// DepthStep is depth(…) as the first step: the containers at those depths (003
// §3.4).
type DepthStep struct {
	Set DepthSet // the depths whose turn or region passes
}

// PickKind tells the positional pseudo-classes apart (04 §3.4).
type PickKind int

// The positional pseudo-classes.
const (
	First PickKind = iota
	Last
	Nth
)

// Pick is :first, :last or :nth(N). Only Nth has an N, counted from 1.
type Pick struct {
	Kind PickKind // First, Last or Nth
	N    int      // of Nth, from 1; else 0
}

// Tag is +x. As the first part of a first step it searches everything below the root;
// anywhere else it filters. Neighbouring tags are sorted, and {tag='x'} behind a tag
// counts as one of them (001 §3.10).
type Tag struct {
	Name string // without the "+" and its quotes
}

// Search is "? {…}" one level down, "?? {…}" on every level down, or "within(d1,d3) ??
// {…}" (001 §3.6). It starts from the root or from what the step before it selects; the
// combinator of such a later step is Child for "?" and Descendant for "??". If Within is
// not empty, a first step looks below every node that one of these hops would find as a
// position of its own.
type Search struct {
	Deep   bool   // "??": every level down, not one
	Within []Hop  // empty without within(…)
	Attrs  []Attr // at least one; a node has to pass all
}

func (Universal) part() {}
func (Region) part()    {}
func (ID) part()        {}
func (Type) part()      {}
func (Attr) part()      {}
func (Offset) part()    {}
func (DepthIs) part()   {}
func (DepthStep) part() {}
func (Pick) part()      {}
func (Tag) part()       {}
func (Search) part()    {}
func (Position) part()  {}

// Op compares an attribute with a value (04 §3.5; ~ from 001 §4).
type Op int

// The operators. Present is none: [role]. Match is ~, an unanchored RE2 match.
const (
	Present Op = iota
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Match
)

// Attr is a filter on one attribute (04 §3.5, §5). It has one value, none for
// Present, and may have several for Eq: any of them (001 §4). The name type is
// stored as nodeType; [ephemeral] is ttl = 0 and [sticky] is ttl = null.
type Attr struct {
	Name   string    // of the attribute: nodeType for type
	Op     Op        // the comparison, Present without one
	Values []Literal // the right side: none for Present, one or more for Eq, else one
	Quoted bool      // the name of a facet stood in quotes: the stored attribute of that name
}

// LiteralKind tells the forms of a value apart, because = and != keep to the
// type of what was written (04 §5.4).
type LiteralKind int

// The forms of a value. Null is null or None without quotes.
const (
	Number LiteralKind = iota
	Text
	Word
	Null
)

// Literal is a value as written: a number in decimal notation of any size, the
// content of a quoted string, a bare word, or null.
type Literal struct {
	Kind LiteralKind // the form in which it was written
	Text string      // without quotes and escapes; "null" for Null
}

// ControlKind names a control (001 §4), in the order in which they take effect.
type ControlKind int

// The controls: @mode, @order, @unique, @limit, @p and @first.
const (
	ControlMode ControlKind = iota
	ControlOrder
	ControlUnique
	ControlLimit
	ControlPage
	ControlFirst
)

// Control changes what happens to the selected nodes (001 §4). N belongs to @limit and @p
// (from 1), Word to @mode (union, latest, reduce) and @order (pre, post, bfs, path,
// turn:asc,pre, turn:desc,pre).
type Control struct {
	Kind ControlKind // which control it is
	N    int         // of @limit and @p, else 0
	Word string      // of @mode and @order, else ""
}

// Position is a path of hops in parentheses (003, 001 §3.8). In a query it
// selects; [ParsePosition] reads one that says where to insert (§3.9).
type Position struct {
	Hops   []Hop     // at least one
	Insert Insertion // NoInsertion in a query
	Maybe  bool      // of (…)?: where nothing is found, the change does nothing (1.0 04 §3.6)
	N      int       // the child of AfterChild and BeforeChild, from 1; else 0
}

// Insertion says where among the children of the last hop a node goes (003,
// 001 §3.9).
type Insertion int

// The places to insert at. A position in a query has NoInsertion.
const (
	NoInsertion Insertion = iota
	AtStart               // a trailing comma
	AtEnd                 // end
	AfterChild            // +N
	BeforeChild           // -N
)

// HopKind tells the hops of a position apart (003, 001 §3.8).
type HopKind int

// The hops.
const (
	// d1 or depth(1): first, the containers at that depth; later a filter, the node itself is one
	HopDepth     HopKind = iota
	HopTurn              // seg or mt: first, every turn; later a filter, the node itself has a depth
	HopContainer         // cont or mc: child containers
	HopOffset            // N: the children at offset N
	HopBlock             // N:block or *:block: child blocks
	HopStep              // ?{…}: matches one level down
	HopDeep              // ??{…}: matches on every level down
)

// Hop is one hop of a position. The fields beside Kind and Attrs belong to the
// kinds named with them.
type Hop struct {
	Kind   HopKind  // which hop it is
	Depth  DepthSet // HopDepth
	Name   string   // HopTurn, HopContainer, HopBlock: the class as it was written
	Any    bool     // HopBlock: at any offset, "*:block"
	Offset int64    // HopOffset, HopBlock unless Any
	Attrs  []Attr   // what the nodes must satisfy besides; *:block.k is kind = 'k'
}
