package server

import (
	"context"
	"net/http"

	"github.com/contexttree/pact/store"
)

// scoped is the store as the token of a request opens it: every operation finds, lists and
// makes contexts here. A method that takes a key needs no check, because a request gets keys
// of these methods alone.
type scoped struct{ store.Complete }

// Contexts implements store.Store. It leaves out the contexts that the token does not open.
func (s scoped) Contexts(ctx context.Context) ([]store.Info, error) {
	list, err := s.Complete.Contexts(ctx)
	return rightOf(ctx).covered(list), err
}

// Find implements store.Store.
func (s scoped) Find(ctx context.Context, name string) (store.Info, error) {
	if err := rightOf(ctx).use(name); err != nil {
		return store.Info{}, err
	}
	return s.Complete.Find(ctx, name)
}

// Create implements store.Store.
func (s scoped) Create(ctx context.Context, g store.Creation) (store.Info, error) {
	if err := rightOf(ctx).use(g.Name); err != nil {
		return store.Info{}, err
	}
	return s.Complete.Create(ctx, g)
}

// Fork implements store.Forker.
func (s scoped) Fork(ctx context.Context, key store.Key, cycle int64, f store.Fork) (store.Info, error) {
	for _, name := range []string{f.Name, f.SupersededName} {
		if name == "" {
			continue
		}
		if err := rightOf(ctx).use(name); err != nil {
			return store.Info{}, err
		}
	}
	return s.Complete.Fork(ctx, key, cycle, f)
}

// Rename implements store.Renamer.
func (s scoped) Rename(ctx context.Context, key store.Key, name string) error {
	if err := rightOf(ctx).use(name); err != nil {
		return err
	}
	return s.Complete.Rename(ctx, key, name)
}

// Erase implements store.Eraser. An erasure also changes the contexts that share history with
// this one, whatever their names are. Asking what earlier ones left to clean up changes nothing.
func (s scoped) Erase(ctx context.Context, key store.Key, e store.Erase) (*store.Erased, error) {
	if right := rightOf(ctx); right.token.Pattern != "" && !(e.DryRun && e.Nothing()) {
		return nil, refuse(http.StatusForbidden, forbidden, "the token does not open every context, and an erasure may "+
			"change all that share history", "use a token without a pattern")
	}
	return s.Complete.Erase(ctx, key, e)
}

// rightOf returns what the request of a context may do; nothing if there is no request.
func rightOf(ctx context.Context) *right {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return &e.right
	}
	return &right{}
}
