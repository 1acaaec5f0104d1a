package record

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/tree"
)

// Source says where the calls of a context come from.
type Source struct {
	// Exact says how the requests relate to what was sent: byte-exact if a recorder or the log has
	// the bodies as they were sent, reported if the program that sent them wrote them down,
	// rebuilt if they are made of a log that lacks parts of them.
	Exact   string   `json:"exact"`
	Format  string   `json:"format,omitempty"`  // of the log, for people; "" for a recorder
	Missing []string `json:"missing,omitempty"` // what rebuilt requests lack, such as "the system prompt"
}

// Rebuilt reports whether the requests are made of a log that lacks parts of them.
func (s *Source) Rebuilt() bool { return s != nil && strings.HasPrefix(s.Exact, "rebuilt") }

// SourceOf returns where the calls of a context come from, nil for a context that no recorder made. It takes a
// snapshot, or the working state of a context in a list. A fork has the source of its origin, also where it went
// on by hand.
func SourceOf[S *pact.Snapshot | history.Listed](of S) *Source {
	if len(attrOf(of, attrContext)) == 0 {
		return nil
	}
	var s Source
	if json.Unmarshal(attrOf(of, attrSource), &s) != nil || s.Exact == "" {
		return &Source{Exact: "byte-exact"} // a program that imports by itself may write anything there
	}
	return &s
}

// BegunBy returns the context and the block whose call of a tool began the conversation of another context, such as
// the call of a sub-agent. block is empty where the log names none, and from is empty if no call began it. It takes
// what [SourceOf] takes.
func BegunBy[S *pact.Snapshot | history.Listed](of S) (from, block string) {
	var begun struct{ Context, Block string }
	if json.Unmarshal(attrOf(of, attrBegun), &begun) != nil {
		return "", ""
	}
	return begun.Context, begun.Block
}

// sourced adds to the attributes of a new context the source of its calls, and the call that began them.
func (r *Recorder) sourced(attrs map[string]any) map[string]any {
	if r.begun != nil && attrs[attrBegun] == nil {
		attrs[attrBegun] = maps.Clone(r.begun)
	}
	if r.source != nil {
		attrs[attrSource] = maps.Clone(r.source)
	}
	return attrs
}

// attrOf returns an attribute of the root, as JSON; none if it lacks it.
func attrOf[S *pact.Snapshot | history.Listed](of S, name string) json.RawMessage {
	switch of := any(of).(type) {
	case *pact.Snapshot:
		return json.RawMessage(tree.Of(of).Root().Node().Header(name))
	case history.Listed:
		return of.Attr(name)
	}
	return nil
}

// Lacking returns a finding about a context that a recorder made and that was imported
// without its attempts, none about any other. Canonical snapshots have no place for them.
func Lacking(ctx context.Context, c *pact.Context) ([]inspect.Finding, error) {
	if !Recorded(c.Working()) {
		return nil, nil
	}
	first, last := c.Info().First, c.Info().Cycle
	attempts, err := c.Attempts(ctx, first, last+1)
	if err != nil || len(attempts) > 0 {
		return nil, err
	}
	return []inspect.Finding{{Code: fault.AttemptNotFound, Message: "the attempts of " + c.Info().Name +
		" are not in this file: its requests, times, tokens and errors; an export in the compact form has them"}}, nil
}
