package record

import (
	"encoding/json"

	pact "github.com/contexttree/pact"
)

// Source says where the calls of a context come from.
type Source struct {
	// Exact says how the requests relate to what was sent: wire if a recorder or the log has
	// the bodies as they were sent, reported if the program that sent them wrote them down,
	// rebuilt if they are made of a log that lacks parts of them.
	Exact   string   `json:"exact"`
	Format  string   `json:"format,omitempty"`  // of the log, for people; "" for a recorder
	Missing []string `json:"missing,omitempty"` // what rebuilt requests lack, such as "the system prompt"
}

// SourceOf returns where the calls of a context come from, nil for a context that no
// recorder made. A fork has the source of its origin, also where it went on by hand.
func SourceOf(s *pact.Snapshot) *Source {
	root := s.Tree().Root().Node()
	if !root.Has(attrContext) {
		return nil
	}
	of := &Source{Exact: "wire"}
	text := root.Header(attrSource)
	if text == "" {
		return of
	}
	var said Source
	if json.Unmarshal([]byte(text), &said) != nil || said.Exact == "" {
		return of // a program that imports by itself may say what it likes there
	}
	return &said
}
