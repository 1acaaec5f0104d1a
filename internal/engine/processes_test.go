package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// shared is a medium that several engines use, as the processes of one machine do.
type shared struct{ store.Store }

func (shared) Close() error { return nil }

// TestProcessesLoseNothing lets three engines on one medium commit, join, fork and erase at once.
// Every turn that was acknowledged is there in the end, once, and what was erased is nowhere.
func TestProcessesLoseNothing(t *testing.T) {
	medium := store.NewMemory()
	defer medium.Close()
	var engines []*engine.Engine
	for range 3 {
		e := engine.NewHasty(shared{medium}, zstd.Packing)
		defer e.Close()
		engines = append(engines, e)
	}
	key := begin(t, engines[0], "one").key
	const each = 40
	var wait sync.WaitGroup
	for i, e := range engines {
		wait.Go(func() {
			w := &writer{T: t, e: e, key: key}
			for n := range each {
				for {
					err := w.commit(fmt.Sprintf("engine %d turn %d.", i, n), "SECRET draft")
					if err == nil {
						break
					}
					if !errors.Is(err, fault.Conflict) {
						t.Errorf("engine %d, turn %d: %v", i, n, err)
						return
					}
				}
				if n%8 == 7 {
					erase(t, e, key, "SECRET")
				}
				if n%16 == 5 {
					info, err := e.Info(background, key)
					must(t, err)
					_, err = e.Fork(background, key, info.Cycle, engine.Fork{Name: fmt.Sprint("fork ", i, n)})
					must(t, err)
				}
			}
		})
	}
	wait.Wait()
	erase(t, engines[1], key, "SECRET")
	last := engine.New(shared{medium}, zstd.Packing)
	defer last.Close()
	list, err := threads(last, key)
	must(t, err)
	end := list[len(list)-1]
	for i := range engines {
		for n := range each {
			if c := strings.Count(end, fmt.Sprintf("engine %d turn %d.", i, n)); c != 1 {
				t.Errorf("turn %d of engine %d is there %d times", n, i, c)
			}
		}
	}
	infos, err := last.List(background)
	must(t, err)
	for _, info := range infos {
		list, err := threads(last, info.Key)
		must(t, err)
		if strings.Contains(fmt.Sprint(list), "SECRET") {
			t.Errorf("%s still has what was erased", info.Name)
		}
		if d, err := last.Check(background, info.Key); d != nil || err != nil {
			t.Errorf("%s: %v, %v", info.Name, d, err)
		}
	}
	if d, err := last.CheckAll(background); d != nil || err != nil {
		t.Error(d, err)
	}
}

// erase erases a text, again and again until no other writer comes between.
func erase(t *testing.T, e *engine.Engine, key history.Key, text string) {
	t.Helper()
	for {
		info, err := e.Info(background, key)
		must(t, err)
		_, err = e.Erase(background, key, engine.Erase{Texts: []string{text}, Salt: make([]byte, engine.SaltSize),
			Entry: history.Entry{Message: "asked for"}, Guard: engine.Guard{Cycle: info.Cycle, Revision: info.Revision}})
		if err == nil {
			return
		}
		if !errors.Is(err, fault.Conflict) {
			t.Errorf("erasing: %v", err)
			return
		}
	}
}

// TestADeletedCopyLeavesItsName begins a copy again after an unfinished one was deleted.
func TestADeletedCopyLeavesItsName(t *testing.T) {
	e := engine.New(store.NewMemory(), zstd.Packing)
	defer e.Close()
	w := begin(t, e, "chat")
	branches, err := e.Branches(background)
	must(t, err)
	part, err := e.Part(background, w.key, 1, 1)
	must(t, err)
	for range 2 {
		key, err := e.BeginCopy(background, branches[0], part)
		must(t, err)
		must(t, e.Delete(background, key))
	}
}

// TestWhatForksDoNotShareGoesWithItsOrigin deletes an origin that shares its first turns with a fork: what it said
// later is nowhere, also where it was joined with what they share.
func TestWhatForksDoNotShareGoesWithItsOrigin(t *testing.T) {
	medium := store.NewMemory()
	e := engine.NewHasty(medium, store.Packing{})
	w := begin(t, e, "origin")
	for i := range 20 {
		must(t, w.commit(said(i)))
	}
	_, err := e.Fork(background, w.key, 10, engine.Fork{Name: "fork"})
	must(t, err)
	must(t, e.SettleAll(background))
	must(t, e.Delete(background, w.key))
	text := ""
	for p, err := range medium.Range(background, store.Span{Space: 1, To: "\xff"}, store.Ascending) {
		must(t, err)
		text += string(p.Value)
	}
	for i := range 20 {
		if strings.Contains(text, said(i)) != (i < 10) {
			t.Errorf("%q is there: %v", said(i), i >= 10)
		}
	}
	must(t, e.Close())
}

// meddled is a medium on which something happens before the second reading.
type meddled struct {
	store.Store
	views  int
	before func()
}

func (m *meddled) View(ctx context.Context, f func(store.Reader) error) error {
	if m.views++; m.views == 2 {
		m.before()
	}
	return m.Store.View(ctx, f)
}

// TestAJoinThatComesTooLateIsTriedAgain joins cycles while another process, which went on, has
// just joined all of them.
func TestAJoinThatComesTooLateIsTriedAgain(t *testing.T) {
	medium := store.NewMemory()
	defer medium.Close()
	other := engine.NewHasty(shared{medium}, zstd.Packing)
	defer other.Close()
	slow := engine.New(shared{medium}, zstd.Packing)
	w := begin(t, slow, "chat")
	for n := range 5 {
		must(t, w.commit(fmt.Sprint("turn ", n)))
	}
	must(t, slow.Close())
	late := engine.NewHasty(&meddled{Store: shared{medium}, before: func() {
		faster := &writer{T: t, e: other, key: w.key, clock: w.clock}
		for n := range 9 {
			must(t, faster.commit(fmt.Sprint("faster turn ", n)))
		}
		must(t, other.Settle(background, w.key))
	}}, zstd.Packing)
	defer late.Close()
	must(t, late.Settle(background, w.key))
	if d, err := late.Check(background, w.key); d != nil || err != nil {
		t.Error(d, err)
	}
}

// A request that another process carried out is seen when its token is looked up.
func TestATokenIsLookedUpInWhatOthersWrote(t *testing.T) {
	medium := store.NewMemory()
	defer medium.Close()
	here, there := engine.New(shared{medium}, zstd.Packing), engine.New(shared{medium}, zstd.Packing)
	defer here.Close()
	defer there.Close()
	key := begin(t, here, "chat").key
	if entry, err := here.Request(background, key, "token"); entry != nil || err != nil {
		t.Fatalf("of a request that nobody made: %+v, %v", entry, err)
	}
	w := &writer{T: t, e: there, key: key}
	g, list, err := w.change("asked")
	must(t, err)
	list[len(list)-1].Entry.Request = "token"
	must(t, there.Apply(background, key, g, list...))
	if entry, err := here.Request(background, key, "token"); err != nil || entry == nil || entry.Request != "token" {
		t.Errorf("of a request to another process: %+v, %v", entry, err)
	}
}
