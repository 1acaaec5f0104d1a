package care

import (
	"context"
	"os"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// compactStore packs the store of --db and reclaims space.
func compactStore(ctx context.Context, a *command.App) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if postgres.IsAddress(a.DB) {
		return compactDatabase(ctx, a, s)
	}
	before := command.SizeOf(a.DB)
	remains, err := compact(ctx, a, s, before)
	if err != nil {
		return err
	}
	after := command.SizeOf(a.DB)
	a.Failed = remains != ""
	facts, text := map[string]any{"file": a.DB, "before": before, "after": after}, ""
	if remains != "" {
		facts["remains"], text = remains, "\n"+remains+": pact copy --compact finishes it"
	}
	return a.Answer(a.DB+": "+view.Size(before)+" before, "+view.Size(after)+" now"+text, facts)
}

// compactDatabase compacts a store in a database, which reports no progress.
func compactDatabase(ctx context.Context, a *command.App, s *pact.DB) error {
	if _, err := s.Compact(ctx); err != nil {
		return err
	}
	return a.Answer(a.Shown()+": packed, and its tables are written anew", map[string]any{"store": a.Shown()})
}

// compact compacts a store and shows progress by the size of the log beside the
// file: SQLite writes there before it moves the rows into the file.
func compact(ctx context.Context, a *command.App, s *pact.DB, before int64) (remains string, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		remains, err = s.Compact(ctx)
	}()
	m := a.Meter("compacting")
	defer m.End()
	tick := time.NewTicker(screen.Patience / 10)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return remains, err
		case <-tick.C:
			m.At(int(min(command.SizeOf(a.DB+"-wal"), before)), int(before))
		}
	}
}

// backup copies the file of the store of --db, while others use it.
func backup(ctx context.Context, a *command.App, to string) error {
	if postgres.IsAddress(a.DB) {
		return fault.New(fault.Store, "the store is a database, and no file",
			"pg_dump copies it; pact copy --to copies contexts into a file")
	}
	if err := command.StoreExists(a.DB); err != nil {
		return err
	}
	file, err := sqlite.Open(ctx, a.DB)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Backup(ctx, to); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return err
	}
	return a.Answer(to+": "+view.Size(info.Size()), map[string]any{"file": to, "bytes": info.Size()})
}
