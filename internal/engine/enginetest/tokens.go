package enginetest

import (
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// testTokens adds and revokes tokens, and reads them again after the store was opened again.
func testTokens(t *testing.T, s Suite) {
	in := s.Open(t)
	keeper := in
	list := []history.AccessToken{
		{Name: "Ünïcode ok", Hash: sha256.Sum256([]byte("1")), Write: true, Pattern: "team/*", CreatedNS: 1},
		{Name: "b", Hash: sha256.Sum256([]byte("2")), CreatedNS: 1_800_000_000_000_000_000},
		{Name: "B", Hash: sha256.Sum256([]byte("3")), Pattern: "*"},
		{Name: "a long name " + strings.Repeat("x", 400), Hash: sha256.Sum256([]byte("4")), Write: true},
	}
	for _, a := range list {
		must(t, keeper.AddToken(background, a))
	}
	wantCode(t, keeper.AddToken(background, history.AccessToken{Name: "b", Write: true}), fault.Conflict)
	for _, bad := range []history.AccessToken{{}, {Name: "-x"}, {Name: "a\nb"}, {Name: strings.Repeat("x", history.MaxName+1)},
		{Name: "c", Pattern: "\x00"}, {Name: "c", Pattern: "\xff"}} {
		wantCode(t, keeper.AddToken(background, bad), fault.DocumentInvalid)
	}
	wantCode(t, keeper.RevokeToken(background, "c"), fault.NotFound)
	slices.SortFunc(list, func(a, b history.AccessToken) int { return strings.Compare(a.Name, b.Name) })
	wantTokens(t, keeper, list)
	if s.Reopen != nil {
		in = s.Reopen(t, in)
		keeper = in
		wantTokens(t, keeper, list)
	}
	must(t, keeper.RevokeToken(background, "B"))
	wantTokens(t, keeper, slices.DeleteFunc(list, func(a history.AccessToken) bool { return a.Name == "B" }))
	wantCode(t, keeper.RevokeToken(background, "B"), fault.NotFound)
	onceOfMany(t, keeper)
	must(t, in.Close())
	_, err := keeper.Tokens(background)
	wantCode(t, err, fault.Store)
	wantCode(t, keeper.AddToken(background, history.AccessToken{Name: "late"}), fault.Store)
	wantCode(t, keeper.RevokeToken(background, "b"), fault.Store)
}

// onceOfMany adds tokens of one name at once: one of them is kept, and all others are refused.
func onceOfMany(t *testing.T, keeper engine.Contexts) {
	t.Helper()
	errs := make([]error, 8)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = keeper.AddToken(background, history.AccessToken{Name: "once", CreatedNS: int64(i)}) })
	}
	wait.Wait()
	kept := 0
	for _, err := range errs {
		if err == nil {
			kept++
		} else {
			wantCode(t, err, fault.Conflict)
		}
	}
	if kept != 1 {
		t.Errorf("%d tokens of one name were added", kept)
	}
}

func wantTokens(t *testing.T, keeper engine.Contexts, want []history.AccessToken) {
	t.Helper()
	got, err := keeper.Tokens(background)
	must(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("the tokens\n%+v, want\n%+v", got, want)
	}
}
