package conformance

import (
	"slices"
	"strings"
)

// Origin says where a case, a check or a demand of form comes from: [Printed], [Derived], or "house 020", a reading of
// ours with the number of its decision, which is no sentence of the documents.
type Origin string

// These are the origins that the documents have; every other one begins with "house ".
const (
	Printed Origin = "printed" // the documents print the question with its answer
	Derived Origin = "derived" // the answer follows from the sentences that the sources name
)

const house = "house "

// House reports whether nothing but a decision of ours demands the answer.
func (o Origin) House() bool { return strings.HasPrefix(string(o), house) }

// Decision returns the number of the decision, "" if the documents demand the answer.
func (o Origin) Decision() string {
	decision, _ := strings.CutPrefix(string(o), house)
	if !o.House() {
		return ""
	}
	return decision
}

// Shortfall is the error of a case whose answers give what the documents demand in meaning. Form says that the first that
// did not please was right but for its form: a refusal with another code, a JSON text with other bytes. Origin is that of
// the demand it fell short of, "" for that of the case.
type Shortfall struct {
	error
	Form   bool
	Origin Origin
}

// falls notes a shortfall, the first, but one of the documents before one of a house rule.
func (r *runner) falls(s Shortfall) error {
	if !r.fell || r.short.Origin.House() && !s.Origin.House() {
		r.short, r.fell = s, true
	}
	return nil
}

// These demands of form are ours wherever they are made.
const (
	codesOfOurs  Origin = house + "040"
	threadOfOurs Origin = house + "017"
	fieldsOfOurs Origin = house + "023"
)

// printedCodes are the codes that the documents print: four in 06 §7, and those of edition 1.0.
var printedCodes = strings.Fields(`E_SELECTOR_INVALID E_SNAPSHOT_RANGE_KIND_MISMATCH E_SNAPSHOT_RANGE_WILDCARD
	E_SNAPSHOT_RANGE_LIMIT E_SNAPSHOT_RANGE_PREFIX_MISMATCH E_SELECTOR_LEGACY E_SELECTOR_AMBIGUOUS
	E_SELECTOR_TOO_MANY_FRAGMENTS E_DEPTH_NEGATIVE E_DEPTH_RANGE_INVALID E_DEPTH_NOT_INT INVALID_PARENT PARENT_NOT_CONTAINER
	CYCLE_DETECTED DUPLICATE_CONTAINER PARENT_ID_MISSING AmbiguousKey MismatchError OverlapWouldViolateODI`)

// ofCodes is the origin of a demand for one of the codes, "" for that of the case.
func ofCodes(codes Codes) Origin {
	if slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(printedCodes, code) }) {
		return ""
	}
	return codesOfOurs
}

// OriginCount counts the cases of one origin, and those that failed by it: a case of the documents that fails by a house
// rule alone is counted there.
type OriginCount struct {
	Origin string `json:"origin"` // printed, derived or house
	Cases  int    `json:"cases"`
	Failed int    `json:"failed"`
}

// byOrigin counts the cases by origin, printed ones first.
func (r *Report) byOrigin() []OriginCount {
	list := []OriginCount{{Origin: string(Printed)}, {Origin: string(Derived)}, {Origin: strings.TrimSpace(house)}}
	at := func(o Origin) *OriginCount {
		if o.House() {
			return &list[2]
		}
		return &list[slices.IndexFunc(list, func(n OriginCount) bool { return n.Origin == string(o) })]
	}
	for _, c := range r.Cases {
		if !c.ran() {
			continue
		}
		at(c.of).Cases++
		if c.failed() {
			at(c.Origin).Failed++
		}
	}
	return list
}

// inMeaning is the verdict of a case on what the documents demand: one that fails by a house rule passed, and one that a
// house rule alone demands says nothing.
func (r Result) inMeaning() Verdict {
	switch {
	case r.of.House():
		return ""
	case r.failed() && r.Origin.House():
		return Passed
	}
	return r.Verdict
}
