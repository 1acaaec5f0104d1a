package pact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// The filters of every hop of an insertion count.
func TestInsertionHopsAreFiltered(t *testing.T) {
	c := create(t, store.NewMemory(), pact.WithEdition(pact.Canonical))
	_, err := c.Commit(background, pact.WithEdit(say("one")))
	must(t, err)
	for position, want := range map[string]pact.Code{
		"(d1[cycle=1], end)": pact.ErrSealed, "(d1, seg{cycle=1}, end)": pact.ErrSealed, // found, and closed
		"(d0[cycle=1], end)": "", "(d1, cont[offset=0][cycle=9], end)": pact.ErrNodeNotFound,
		"(d1[cycle=99], end)": pact.ErrNodeNotFound, "(d0[role=nobody], end)": pact.ErrNodeNotFound, "(d1, seg[cycle=99], end)": pact.ErrNodeNotFound,
		"(d-1[role=nobody], end)": pact.ErrNodeNotFound, "(seg, end)": pact.ErrPlacementInvalid, "(cont, end)": pact.ErrPlacementInvalid,
		"(depth(0,1), end)": pact.ErrPlacementInvalid, "(d7, end)": pact.ErrNodeNotFound,
	} {
		failed := errors.New("no")
		err := c.Edit(background, func(b *pact.Batch) error {
			if _, err := b.Insert(position, pact.Spec{Offset: 1, Content: "x"}); err != nil {
				return err
			}
			return failed // every position is tried on the same state
		})
		if want == "" && err != failed || want != "" && pact.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %q", position, err, want)
		}
	}
}

// A filter on content reads it from the store, where it is not in memory.
func TestInsertionByContentOfAStore(t *testing.T) {
	s, err := sqlite.Open(background, t.TempDir()+"/gap.db")
	must(t, err)
	defer s.Close()
	c := create(t, s, pact.WithEdition(pact.Canonical))
	_, err = c.Commit(background, pact.WithEdit(func(b *pact.Batch) error {
		_, err := b.Add("^ah", pact.Spec{ID: "g", Type: "cont", Offset: 2, Content: strings.Repeat("QQ", 50_000)})
		return err
	}))
	must(t, err)
	again, err := pact.Open(background, s, "c")
	must(t, err)
	must(t, again.Edit(background, func(b *pact.Batch) error {
		_, err := b.Insert("(d1, cont[content~'QQ'], end)", pact.Spec{ID: "k", Content: "x"})
		return err
	}))
	if got := again.Working().Tree().Parent("k"); got != "g" {
		t.Errorf("the node is below %q", got)
	}
}
