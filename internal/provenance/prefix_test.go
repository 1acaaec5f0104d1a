package provenance_test

import (
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

func TestPrefixesAgreeWithModel(t *testing.T) {
	kinds := map[diff.Kind]int{}
	for seed := range uint64(60) {
		s := genRecordedHistory(t, seed, 8)
		pages := s.states[:len(s.states)-1]
		i := int(seed % 4) // the first cycle of the run: it is compared with the one before
		for p, err := range s.context.Prefixes(background, pact.Cycle(int64(i)+1), "latest") {
			must(t, err)
			now := pages[i]
			if want := now.tokens(t, len(now.blocks)); p.Tokens == nil || *p.Tokens != *want {
				t.Fatalf("seed %d: %+v of cycle %d with %d tokens", seed, p, now.cycle, *want)
			}
			if p.Cycle != now.cycle || p.Blocks != len(now.blocks) || p.Bytes != int64(len(now.thread)) ||
				(p.Shared == nil) != (i == 0) {
				t.Fatalf("seed %d: %+v of cycle %d with %d blocks, %d bytes", seed, p, now.cycle, len(now.blocks), len(now.thread))
			}
			i++
			if p.Shared == nil {
				continue
			}
			was := pages[i-2]
			blocks, size := modelPrefix(was, now)
			want := &inspect.SharedPrefix{Blocks: blocks, OfBlocks: len(was.blocks), Bytes: size,
				OfBytes: int64(len(was.thread)), Tokens: now.tokens(t, blocks), OfTokens: was.tokens(t, len(was.blocks)),
				Complete: blocks == len(was.blocks)}
			if !want.Complete {
				want.Older = was.blocks[blocks]
				if blocks < len(now.blocks) {
					want.Newer = now.blocks[blocks]
				}
			}
			if !reflect.DeepEqual(p.Shared, want) || (p.Break == nil) != want.Complete {
				t.Fatalf("seed %d, cycle %d: %+v, want %+v", seed, p.Cycle, p.Shared, want)
			}
			if p.Break == nil {
				continue
			}
			kind, node := s.modelBreak(t, was, now, want)
			if p.Break.Cause.Kind != kind || p.Break.Node != node || p.Break.Cause.Cycle != now.cycle {
				t.Fatalf("seed %d, cycle %d: broken by %+v, want %s of %s", seed, p.Cycle, p.Break, kind, node)
			}
			was.checkRange(t, node, p.Break.Previous)
			now.checkRange(t, node, p.Break.New)
			kinds[kind]++
		}
		if i != len(pages) {
			t.Fatalf("seed %d: %d of %d cycles", seed, i, len(pages))
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByPruning, diff.ByEdit, diff.ByInsertion, diff.ByReordering} {
		if kinds[kind] < 5 {
			t.Errorf("%d prefixes broken by %s", kinds[kind], kind)
		}
	}
}

func TestEveryContentIsCountedOnce(t *testing.T) {
	asked := spy{new(atomic.Int64)}
	c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{OpenOptions: pact.OpenOptions{Counter: asked}})
	const cycles = 300
	for range cycles {
		must(t, c.Edit(background, say("one"), nil))
		must(t, c.Edit(background, say("two"), nil))
		_, err := c.Commit(background,
			&pact.CommitOptions{Pruning: &pact.Pruning{Policy: lifecycle.Policy{MaxNodes: 100_000}}})
		must(t, err)
	}
	c, err := c.Copy(background, pact.NewDB(store.NewMemory()), "copy")
	must(t, err)
	if n := asked.asked.Load(); n != 0 {
		t.Errorf("%d contents were counted, for nobody", n)
	}
	var last inspect.Prefix
	for p, err := range c.Prefixes(background, pact.Cycle(1), "latest") {
		must(t, err)
		last = p
	}
	if n := asked.asked.Load(); n != 2*cycles || *last.Tokens != n || *last.Shared.Tokens != n-2 {
		t.Errorf("%d contents were counted for %d blocks, of which %d tokens", n, 2*cycles, *last.Tokens)
	}
	latest, err := c.At(background, "latest")
	must(t, err)
	for range 2 { // another reader than the walk counts for itself, once
		if n, err := latest.Tokens(background, asked); err != nil || n != 2*cycles || asked.asked.Load() != 2*n {
			t.Errorf("%d tokens with the sums kept, %v; %d were counted", n, err, asked.asked.Load())
		}
	}
}

func TestBlameAgreesWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	versions, authors := 0, 0
	for seed := range uint64(20) {
		s := genRecordedHistory(t, seed, 8)
		for i, p := range s.states {
			got, err := s.context.Blame(background, s.address(i))
			must(t, err)
			var blocks []string
			for _, b := range got {
				blocks = append(blocks, b.ID)
				born, version := int64(0), int64(0)
				for k, past := range s.states[:i+1] {
					switch {
					case past.headers[b.ID] == nil:
					case born == 0:
						born = past.cycle
					case !reflect.DeepEqual(versionHeaders(past.headers[b.ID]), versionHeaders(s.states[k-1].headers[b.ID])):
						version = past.cycle
					}
				}
				if b.Cycle != born || (b.Version == nil) != (version == 0) || b.Version != nil && b.Version.Cycle != version {
					t.Fatalf("seed %d, cycle %d: %+v, want cycle %d, version %d", seed, p.cycle, b, born, version)
				}
				if version != 0 {
					versions++
				}
				if actor := s.actors[b.ID]; actor != "" {
					authors++
					if b.By.Actor != actor {
						t.Fatalf("seed %d, cycle %d: %s is by %+v, want %s", seed, p.cycle, b.ID, b.By, actor)
					}
				}
				p.checkRange(t, b.ID, &b.Range)
			}
			if !slices.Equal(blocks, p.blocks) {
				t.Fatalf("blocks %q, want %q", blocks, p.blocks)
			}
		}
	}
	if versions < 20 || authors < 200 {
		t.Errorf("%d versions, %d authors", versions, authors)
	}
}
