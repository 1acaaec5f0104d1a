package bring

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/postgres"
)

// storeFor opens the store for an import, and makes it if it is missing. A file that may still be refused
// is read before, or imported in memory: so a refused file leaves no store behind.
func storeFor(ctx context.Context, a *command.App, in *plan) (*pact.DB, error) {
	_, err := os.Stat(a.DB)
	begins := !postgres.IsAddress(a.DB) && errors.Is(err, fs.ErrNotExist)
	if begins && in.kind == intake.History {
		if _, _, err := in.CheckHistory(ctx, in.historyOptions()); err != nil {
			return nil, err
		}
	} else if begins && in.kind == intake.Snapshot {
		quiet := &command.App{Screen: screen.Screen{Env: a.Env, Err: command.Discard{}}}
		if _, err := makeContext(ctx, quiet, pact.NewDB(store.NewMemory()), in, in.parts[0], nil); err != nil {
			return nil, err
		}
	}
	return a.OpenStore(ctx)
}

func (in *plan) historyOptions() archive.Options {
	return archive.Options{Edition: selector.Edition(in.edition), Strict: in.strict, Renumber: in.renumber}
}

// rehearse looks into the store, if there is one, for what a dry run must know: which
// names are taken, and which calls are recorded already. It refuses what the import
// would refuse.
func rehearse(ctx context.Context, a *command.App, in *plan) error {
	if !postgres.IsAddress(a.DB) {
		if _, err := os.Stat(a.DB); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range in.parts {
		p := &in.parts[i]
		if p.Session == nil {
			var found command.Imported
			found, err = existing(ctx, a, s, in, *p)
			p.There = found.Existed
			if found.Grows != nil {
				p.Adds = found.Grows.Cycles
			}
		} else {
			p.Stored, err = p.Session.Importer(ctx, s, "")
		}
		if err != nil {
			return command.InFile(err, in.Name, in.Data)
		}
	}
	return nil
}

// refuseLimits returns the error for limits on an import that replays nothing. A log says
// itself what was sent, and so do the snapshots of a history: a pruned snapshot would
// claim another request. flags are the limits as they were typed.
func (in *plan) refuseLimits(flags string) error {
	name := "NAME"
	if len(in.parts) > 0 {
		name = screen.Quote(in.parts[0].Name)
	}
	return fault.New(fault.DocumentInvalid, "limits are for transcripts, whose calls are replayed under them; the "+
		string(in.kind)+" says itself what was sent", "import it without them, then ask what they would take: pact prune "+
		name+flags+" --dry-run")
}
