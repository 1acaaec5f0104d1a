package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/storetest"
)

// packer packs everything that is settled after each change, so that there are no
// rows but drafts.
type packer struct{ *postgres.Store }

func (p *packer) Apply(ctx context.Context, key store.Key, g store.Guard, changes ...store.Change) error {
	if err := p.Store.Apply(ctx, key, g, changes...); err != nil {
		return err
	}
	return p.PackAll(ctx)
}

func (p *packer) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	info, err := p.Store.Create(ctx, g)
	if err != nil {
		return info, err
	}
	return info, p.PackAll(ctx)
}

// TestStorePacked holds a store to the contract in which all but drafts is in pages and
// every snapshot is opened through a directory where it can be,
// and the statements that this takes to what all engines have.
func TestStorePacked(t *testing.T) {
	testrun.Long(t, "runs the whole contract once more; package sqlite does so with pages in every run")
	t.Cleanup(postgres.DirectorySoon())
	var addresses sync.Map
	var mu sync.Mutex // guards what follows
	statements, packed, opened := make(map[string]bool), false, false
	through := func(t *testing.T, address string) store.Store {
		s, w := listen(t, address)
		p := &packer{s}
		addresses.Store(p, address)
		t.Cleanup(func() {
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(statements, w.statements)
			packed = packed || len(postgrestest.Exec(t, address, "SELECT number FROM page WHERE number > 5")) > 0
			opened = opened || len(postgrestest.Exec(t, address, "SELECT no FROM directory_run")) > 0
		})
		return p
	}
	storetest.Suite{
		AtOnce: atOnce,
		Seed:   500,
		Open:   func(t *testing.T) store.Store { return through(t, postgrestest.Database(t)) },
		Reopen: func(t *testing.T, s store.Store) store.Store {
			must(t, s.Close())
			address, _ := addresses.Load(s)
			return through(t, address.(string))
		},
	}.Run(t)
	if !packed || !opened {
		t.Errorf("a store had six pages: %v; a directory with runs: %v", packed, opened)
	}
	holdToSubset(t, statements)
}

// TestManyPackAtOnce has three pools commit to contexts of their own and to one that
// they share, and pack all of them at the same time: every row is in a page or in its
// table, once.
func TestManyPackAtOnce(t *testing.T) {
	t.Cleanup(postgres.PackSoon(2, 1))
	address := postgrestest.Database(t)
	_, err := pact.Create(t.Context(), open(t, address), "shared", nil)
	must(t, err)
	var wait sync.WaitGroup
	for i := range 3 {
		s := open(t, address)
		wait.Go(func() {
			own, err := pact.Create(t.Context(), s, fmt.Sprint("own ", i), nil)
			if err != nil {
				t.Error(err)
				return
			}
			for turn := range 12 {
				if _, err := put(t, own, "", fmt.Sprint("turn ", turn)); err != nil {
					t.Error(err)
				}
				shared, err := pact.Open(t.Context(), s, "shared", nil)
				if err == nil {
					_, err = put(t, shared, "", fmt.Sprint("turn ", turn, " of ", i))
				}
				if err != nil && fault.CodeOf(err) != fault.Conflict {
					t.Error(err)
				}
				if err := s.PackAll(t.Context()); err != nil && fault.CodeOf(err) != fault.Busy {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	s := open(t, address)
	all, err := pact.VerifyAll(t.Context(), s, nil)
	must(t, err)
	if !all.Holds() {
		t.Errorf("%+v", all)
	}
	if pages := postgrestest.Exec(t, address, "SELECT number FROM page"); len(pages) < 12 {
		t.Errorf("there are %d pages", len(pages))
	}
}

// A history that is imported has the rows of settled cycles in pages from the beginning,
// and goes on.
func TestImportIsWrittenIntoPages(t *testing.T) {
	t.Cleanup(postgres.PackSoon(2, 1))
	memory, address := store.NewMemory(), postgrestest.Database(t)
	from, err := pact.Create(t.Context(), memory, "chat", nil)
	must(t, err)
	for turn := range 20 {
		commit(t, from, "", turn)
	}
	var backup bytes.Buffer
	must(t, from.Backup(t.Context(), &backup))
	s := open(t, address)
	c, findings, err := pact.ImportHistory(t.Context(), s, "chat", &backup, nil)
	if must(t, err); len(findings) > 0 {
		t.Errorf("%+v", findings)
	}
	if text := thread(t, c, pact.Latest); text != thread(t, from, pact.Latest) {
		t.Errorf("the thread is %s", text)
	}
	commit(t, c, "", 20)
	if all, err := pact.VerifyAll(t.Context(), s, nil); err != nil || !all.Holds() {
		t.Errorf("%+v, %v", all, err)
	}
	if pages := postgrestest.Exec(t, address, "SELECT number FROM page"); len(pages) < 9 {
		t.Errorf("there are %d pages", len(pages))
	}
}
