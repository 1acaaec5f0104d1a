package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
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
	root := tree.Of(s).Root().Node()
	return sourceOf(root.Has(attrContext), []byte(root.Header(attrSource)))
}

// ListedSource is [SourceOf] for the working state of a context in a list.
func ListedSource(l history.Listed) *Source {
	return sourceOf(l.Attr(attrContext) != nil, l.Attr(attrSource))
}

func sourceOf(recorded bool, text []byte) *Source {
	if !recorded {
		return nil
	}
	of := &Source{Exact: "wire"}
	if len(text) == 0 {
		return of
	}
	var said Source
	if json.Unmarshal(text, &said) != nil || said.Exact == "" {
		return of // a program that imports by itself may say what it likes there
	}
	return &said
}

// Lacking returns a finding about a context that a recorder made and that was imported
// without its attempts, none about any other. Canonical snapshots have no place for them.
func Lacking(ctx context.Context, c *pact.Context) ([]inspect.Finding, error) {
	if !Recorded(c.Working()) {
		return nil, nil
	}
	first, last := c.Cycles()
	attempts, err := c.Attempts(ctx, first, last+1)
	if err != nil || len(attempts) > 0 {
		return nil, err
	}
	return []inspect.Finding{{Code: fault.AttemptNotFound, Message: "the attempts of " + c.Name() +
		" are not in this file: its requests, times, tokens and errors; an export in the compact form has them"}}, nil
}
