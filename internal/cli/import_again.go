package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// existing looks for a context that already has the name of a part. It counts as the same
// context if its snapshots begin with those that the part would give, or the other way round.
func (a *app) existing(ctx context.Context, s store.Store, in *plan, p part) (imported, error) {
	if p.session != nil {
		return imported{}, nil // the importer goes on with it, or says that it is not one of its own
	}
	if _, err := s.Find(ctx, p.name); err != nil {
		if errors.Is(err, fault.ContextNotFound) {
			return imported{}, store.CheckName(p.name)
		}
		return imported{}, err
	}
	c, err := pact.Open(ctx, s, p.name, nil)
	if err != nil {
		return imported{}, err
	}
	quiet := &app{env: a.env, err: discard{}}
	fresh, err := quiet.make(ctx, store.NewMemory(), in, p, nil)
	if err != nil {
		return imported{}, err
	}
	grows, err := c.Extension(ctx, fresh)
	switch f := factsOf(err); {
	case f.Code != fault.Conflict:
	case f.Node != "":
		err = fault.OnNode(fault.Conflict, f.Node, "the context "+strconv.Quote(p.name)+" has an edit that is not committed "+
			"and that "+in.name+" lacks", "pact remove takes it back; --name imports into another context")
	default:
		err = fault.New(fault.Conflict, "there is a context "+strconv.Quote(p.name)+" in "+a.shown()+
			" already, made of something else", "choose another with --name, or delete it: pact delete "+quote(p.name))
	}
	return imported{context: c, existed: err == nil, grows: grows}, err
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
