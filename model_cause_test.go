package pact_test

import (
	"encoding/json"
	"reflect"

	"github.com/contexttree/pact/diff"
)

// modelCause says why a node differs between two states, by what commits said
// when they were made and by the documents between the two.
func (s *recordedHistory) modelCause(id string, older, newer int) diff.Cause {
	was, is := s.states[older].headers[id], s.states[newer].headers[id]
	cause := diff.Cause{Kind: diff.ByEdit}
	sealedKind := func(n map[string]any, p *modelState) bool {
		kind, parent := n["nodeType"].(string), n["parent"].(string)
		if kind == "mc" && p.headers[parent]["nodeType"] == "mt" && n["offset"] == json.Number("0") && s.actors[id] == "" {
			return true
		}
		return kind == "mt" || kind == "^ah"
	}
	for i := older + 1; i <= newer; i++ {
		last, now := s.states[i-1].headers[id], s.states[i].headers[id]
		switch {
		case was == nil && last == nil && now != nil, is == nil && last != nil && now == nil:
			cause.Cycle = s.states[i].cycle
		case was != nil && is != nil && !reflect.DeepEqual(withoutTTL(last), withoutTTL(now)):
			cause.Cycle = s.states[i].cycle
		}
	}
	switch {
	case is == nil && s.removed[id].Kind != "":
		return s.removed[id]
	case is == nil && sealedKind(was, s.states[older]), was == nil && sealedKind(is, s.states[newer]):
		cause.Kind = diff.BySeal
	case was != nil && is != nil && reflect.DeepEqual(withoutTTL(was), withoutTTL(is)):
		return diff.Cause{Kind: diff.ByTTL, Cycle: s.states[newer].cycle}
	}
	return cause
}
