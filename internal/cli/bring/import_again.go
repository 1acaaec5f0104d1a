package bring

import (
	"context"
	"errors"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// existing looks for a context that already has the name of a part. It counts as the same
// context if its snapshots begin with those that the part would give, or the other way round.
func existing(ctx context.Context, a *command.App, s *pact.DB, in *plan, p command.Part) (command.Imported, error) {
	if p.Session != nil {
		return command.Imported{}, nil // the importer goes on with it, or says that it is not one of its own
	}
	if _, err := s.Find(ctx, p.Name); err != nil {
		if errors.Is(err, fault.ContextNotFound) {
			return command.Imported{}, history.CheckName(p.Name)
		}
		return command.Imported{}, err
	}
	c, err := pact.Open(ctx, s, p.Name, nil)
	if err != nil {
		return command.Imported{}, err
	}
	grows, err := extension(ctx, a, c, in, p)
	switch f := command.FactsOf(err); {
	case f.Code != fault.Conflict:
	case f.Node != "":
		err = fault.OnNode(fault.Conflict, f.Node, "the context "+strconv.Quote(p.Name)+" has an edit that is not committed "+
			"and that "+in.Name+" lacks", "pact remove takes it back; --name imports into another context")
	default:
		err = fault.New(fault.Conflict, "there is a context "+strconv.Quote(p.Name)+" in "+a.Shown()+
			" already, made of something else", "choose another with --name, or delete it: pact delete "+screen.Quote(p.Name))
	}
	return command.Imported{Context: c, Existed: err == nil, Grows: grows}, err
}

// extension returns what a part has beyond a context.
func extension(ctx context.Context, a *command.App, c *pact.Context, in *plan, p command.Part) (*pact.Extension, error) {
	if in.kind == intake.History {
		return in.Extension(ctx, c, pact.HistoryOptions{Edition: selector.Edition(in.edition),
			Strict: in.strict, Renumber: in.renumber})
	}
	quiet := &command.App{Screen: screen.Screen{Env: a.Env, Err: command.Discard{}}}
	fresh, err := makeContext(ctx, quiet, pact.NewDB(store.NewMemory()), in, p, nil)
	if err != nil {
		return nil, err
	}
	return c.Extension(ctx, fresh)
}
