package selector

import (
	"strings"

	"github.com/contexttree/pact/fault"
)

// Edition names one of the versions of the specification. A context has one edition; every
// query may name another (docs/decisions.md).
type Edition string

// The editions: documents 000, 003 and 001 of chapter 04 in this order, and the PACT/1.0.0
// that the author published, whose chapters are cited as 1.0 04 §5.1.
const (
	V01       Edition = "v0.1"
	Depth     Edition = "depth"
	Canonical Edition = "canonical"
	V1        Edition = "1.0"
)

// Traits are the differences between the editions, for the parser, the
// evaluator and the importer alike.
type Traits struct {
	// TurnType, ContainerType and BlockType are the type names given to new
	// nodes. Both vocabularies are understood in every edition.
	TurnType, ContainerType, BlockType string

	// SpecVersion is the version of the specification that documents name (07 §5.1).
	SpecVersion string

	// DefaultWorking: a query without an address reads the working state;
	// otherwise it reads @t0 (§3.7).
	DefaultWorking bool

	// T0Working: @t0 is the working state and @t-1 the newest snapshot (1.0 05 §2.3);
	// otherwise @t0 is the newest snapshot.
	T0Working bool

	// Bare: the canonical thread and the content hash leave role and kind out (1.0 02 §12.5,
	// 08 §2.1), and a ttl counts down at the commit alone (1.0 03 §3.2).
	Bare bool

	// ParentIDs: documents and diffs name the parent of a node parent_id (1.0 02 §3.1.1).
	ParentIDs bool

	// HashIsKey: #x compares the key facet; otherwise the id (§3.3).
	HashIsKey bool

	// KeyOnly: a node without a key is not found by #x (1.0 04 §3.3).
	KeyOnly bool

	// KindInType: .cb:summary is class cb with kind facet summary, and nodeType
	// compares the same way; otherwise both compare the whole nodeType (§3.2).
	KindInType bool

	// NewestFirst: results that span turns run from the newest turn to the
	// oldest; otherwise from the oldest to the newest (§6.2).
	NewestFirst bool

	// UntimedNewestFirst: an imported ^seq without creation times is listed
	// newest first.
	UntimedNewestFirst bool

	// DepthMeansRegions: :depth(0) is ^ah and :depth(-1) is ^sys; otherwise
	// neither selects anything (§3.4).
	DepthMeansRegions bool

	// KeySets: results for one key come newest first (§3.5.2).
	KeySets bool

	// SpacedFilter: "[" after a space filters what a +tag, or a #key that is
	// the first step, selects; otherwise it begins a descendant step. After a
	// position, a search, "{…}" or a control it filters in every edition.
	SpacedFilter bool

	// Fragments: a list joins fragments in its own order, parentheses group, dN before a chain is
	// a scope, "[" after a space always filters, and ?? stands between positions (1.0 04 §5.1).
	Fragments bool

	// NoLegacy: what 1.0 04 §4.3 and §10 remove is refused.
	NoLegacy bool

	// TypeFacet: .T compares the class or the nodeType without its class, +tag also the role
	// (1.0 04 §3.2, 07 §4.1); the kind is an attribute only.
	TypeFacet bool

	// Extended: the constructs that only the later documents print are
	// accepted (the constructs table).
	Extended bool
}

// editions is the table of differences.
var editions = []struct {
	name   Edition
	traits Traits
}{
	{V01, Traits{
		TurnType: "mt", ContainerType: "mc", BlockType: "cb", SpecVersion: "PACT/0.1.0",
	}},
	{Depth, Traits{
		TurnType: "mt", ContainerType: "mc", BlockType: "cb", SpecVersion: "PACT/0.1.0",
		DefaultWorking: true, KindInType: true, DepthMeansRegions: true,
		KeySets: true, Extended: true,
	}},
	{Canonical, Traits{
		TurnType: "seg", ContainerType: "cont", BlockType: "block", SpecVersion: "PACT/0.1.0",
		DefaultWorking: true, HashIsKey: true, KindInType: true,
		NewestFirst: true, UntimedNewestFirst: true, DepthMeansRegions: true,
		KeySets: true, SpacedFilter: true, Extended: true,
	}},
	{V1, Traits{
		TurnType: "seg", ContainerType: "cont", BlockType: "block", SpecVersion: "PACT/1.0.0",
		DefaultWorking: true, T0Working: true, Bare: true, ParentIDs: true, HashIsKey: true, KeyOnly: true,
		DepthMeansRegions: true, KeySets: true, SpacedFilter: true, Extended: true,
		Fragments: true, NoLegacy: true, TypeFacet: true,
	}},
}

// Editions returns the names of the editions, from the oldest to the newest.
func Editions() []string {
	names := make([]string, len(editions))
	for i := range editions {
		names[i] = string(editions[i].name)
	}
	return names
}

// Traits returns the row of e, or the zero Traits if e is not an edition.
func (e Edition) Traits() Traits {
	for i := range editions {
		if editions[i].name == e {
			return editions[i].traits
		}
	}
	return Traits{}
}

// ParseEdition returns the edition called s. The names are exact: v0.1, depth,
// canonical, 1.0. It returns E_SELECTOR_INVALID for any other.
func ParseEdition(s string) (Edition, error) {
	for i := range editions {
		if string(editions[i].name) == s {
			return editions[i].name, nil
		}
	}
	return "", fault.At(fault.SelectorInvalid, fault.NoOffset, clip(s),
		"there is no such edition", "the editions are "+strings.Join(Editions(), ", "))
}

// construct is a syntactic form that not every edition has.
type construct int

const (
	aPosition construct = iota
	aHop
	aDepthStep
	aDepthExpr
	aGroup
	aBraceBlock
	anAttrList
	aSearch
	aTag
	aControl
	aHistory
	aMatch
	aValueList
	aTTLWord
	aFacet
	aQuotedName
)

// constructs names each construct for error messages. These are the forms that documents
// after 000 introduced. An Extended edition accepts all of them, whichever document
// prints them, because they mean the same everywhere; v0.1 accepts none (000 §7.11).
//
// Everything else is the same in every edition: both vocabularies, type for nodeType, "*"
// with filters, filters in any order, @c3..7 for @c3..@c7, a sign before any number,
// names that begin with "_" and ids that begin with a digit.
var constructs = [...]string{
	aPosition:   "a position in parentheses",                    // 003, 001 §3.8
	aHop:        "a hop as a step",                              // 001 §2.5, §4
	aDepthStep:  "depth(…) as a step",                           // 003, 001 §3.4
	aDepthExpr:  "a comparison, a set or a..b as a depth",       // 003, 001 §3.4
	aGroup:      "a group of attributes in parentheses",         // 003, 001 §3.5.1
	aBraceBlock: "a block of attributes in braces",              // 001 §2.5
	anAttrList:  "a list of attributes in one pair of brackets", // 001 §4
	aSearch:     "a search with ? or ??",                        // 001 §3.6
	aTag:        "a +tag",                                       // 001 §3.10
	aControl:    "a control",                                    // 003 §3.7, 001 §4
	aHistory:    "the whole history, @history or @t-*,",         // 001 §3.7.1
	aMatch:      "the operator ~",                               // 001 §4
	aValueList:  "a list of values",                             // 001 §4
	aTTLWord:    "[ephemeral] or [sticky]",                      // 001 §4
	aFacet:      "a derived facet",                              // 003, 001 §3.5.3
	aQuotedName: "a name in quotes after #",                     // 001 §3.10
}

// need returns an error if the edition does not have the construct at offset.
func (p *parser) need(c construct, offset int, token string) error {
	if p.traits.Extended || p.inserting {
		return nil
	}
	return fault.At(fault.SelectorInvalid, offset, clip(token),
		constructs[c]+" is not part of edition "+string(p.edition),
		"edition depth or canonical has it")
}
