package server

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
)

// other reads the state at an address, of c or of the context that the address names.
func (s *Server) other(ctx context.Context, c *openContext, text string) (*pact.Snapshot, error) {
	name, address := view.SplitAddress(text)
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
