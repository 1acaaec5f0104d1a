package fault

// The codes that edition 1.0 adds. Each says more exactly what another code says too, which
// [Code.General] returns: so errors.Is(err, fault.SelectorInvalid) holds for all that concern
// a selector. Editions before 1.0 do not use them.
//
// Specification: 1.0 04 §7, 1.0 04 §11, 1.0 06 §7.
const (
	SelectorAmbiguous   Code = "E_SELECTOR_AMBIGUOUS"             // a fragment of a list needs parentheses
	SelectorLegacy      Code = "E_SELECTOR_LEGACY"                // a form that the edition removed
	TooManyFragments    Code = "E_SELECTOR_TOO_MANY_FRAGMENTS"    // a list has more than 256
	DepthNegative       Code = "E_DEPTH_NEGATIVE"                 // a depth is below -1
	DepthRangeInvalid   Code = "E_DEPTH_RANGE_INVALID"            // a range of depths descends
	DepthNotInt         Code = "E_DEPTH_NOT_INT"                  // a depth is no whole number
	RangePrefixMismatch Code = "E_SNAPSHOT_RANGE_PREFIX_MISMATCH" // a range mixes @t and @c
	InvalidParent       Code = "INVALID_PARENT"                   // the parent is not there, or another one
	ParentNotContainer  Code = "PARENT_NOT_CONTAINER"             // the parent is a block
	CycleDetected       Code = "CYCLE_DETECTED"                   // the parent lies below the node
	DuplicateContainer  Code = "DUPLICATE_CONTAINER"              // a turn would have a second core
	ParentMissing       Code = "PARENT_ID_MISSING"                // a new node names no parent and no place
	AmbiguousKey        Code = "AmbiguousKey"                     // a change names a node by a key that several have
	Mismatch            Code = "MismatchError"                    // a change names a node by an id and the key of another
	OverlapViolatesODI  Code = "OverlapWouldViolateODI"           // a node of the key stands at no greater depth
)

var general = map[Code]Code{
	SelectorAmbiguous: SelectorInvalid, SelectorLegacy: SelectorInvalid, TooManyFragments: SelectorInvalid,
	DepthNegative: SelectorInvalid, DepthRangeInvalid: SelectorInvalid, DepthNotInt: SelectorInvalid,
	RangePrefixMismatch: RangeKindMismatch,
	InvalidParent:       PlacementInvalid, DuplicateContainer: PlacementInvalid,
	ParentNotContainer: PlacementInvalid, CycleDetected: PlacementInvalid, OverlapViolatesODI: PlacementInvalid,
	ParentMissing: NodeNotFound, AmbiguousKey: SelectorInvalid, Mismatch: SelectorInvalid,
}

// General returns the code that the editions before 1.0 give for the same failure, c itself
// for all other codes.
func (c Code) General() Code {
	if g, ok := general[c]; ok {
		return g
	}
	return c
}
