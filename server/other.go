package server

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
)

// elsewhere splits the address of a state that may be one of another context: NAME@c5, NAME@t0 or
// NAME@working. name is empty for the context that was asked.
func elsewhere(text string) (name, address string) {
	i := strings.LastIndexByte(text, '@')
	if i < 1 {
		return "", text
	}
	if text[i:] == "@working" {
		return text[:i], "working"
	}
	return text[:i], text[i:]
}

// other reads the state at an address, of c or of the context that the address names.
func (s *Server) other(ctx context.Context, c *openContext, text string) (*pact.Snapshot, error) {
	name, address := elsewhere(text)
	if name != "" {
		var err error
		if c, err = s.read(ctx, name, view.Bytes); err != nil {
			return nil, err
		}
	}
	at, err := c.context.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return c.stateAt(ctx, at)
}
