package pact_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

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
