package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/view"
)

// originals ends the name of a context with the originals of blocks that a policy shortened.
const originals = "/originals"

// mayAccess reports whether the tools may look at a context.
func (t *tools) mayAccess(name string) bool {
	return (t.options.Context == "" || name == t.options.Context || strings.HasPrefix(name, t.options.Context+"/")) &&
		(t.options.Covers == nil || t.options.Covers(name))
}

// listed returns the contexts that the tools may look at, the one that changed last first.
func (t *tools) listed(ctx context.Context) ([]history.Info, error) {
	list, err := pact.List(ctx, t.db)
	list = slices.DeleteFunc(list, func(i history.Info) bool { return !t.mayAccess(i.Name) })
	slices.SortStableFunc(list, func(a, b history.Info) int { return cmp.Compare(b.Listed.ChangedNS, a.Listed.ChangedNS) })
	return list, err
}

// conversations leaves out the contexts with originals.
func conversations(list []history.Info) []history.Info {
	return slices.DeleteFunc(list, func(i history.Info) bool { return strings.HasSuffix(i.Name, originals) })
}

// open opens the context that a call names, or the one that it means.
func (t *tools) open(ctx context.Context, name string) (*pact.Context, error) {
	name = cmp.Or(name, t.options.Context)
	if name != "" && t.mayAccess(name) {
		c, err := pact.Open(ctx, t.db, name, nil)
		if fault.CodeOf(err) != fault.ContextNotFound {
			return c, err
		}
	}
	list, err := t.listed(ctx)
	if err != nil {
		return nil, err
	}
	if name == "" {
		if list = conversations(list); len(list) > 0 {
			return pact.Open(ctx, t.db, list[0].Name, nil)
		}
		return nil, fault.New(fault.ContextNotFound, "there is no context yet", "an agent that pact records makes one with its first call")
	}
	const some = 8
	var names []string
	for _, i := range list[:min(some, len(list))] {
		names = append(names, i.Name)
	}
	remedy := "leave it out for the one that changed last"
	if len(names) > 0 {
		remedy += "; there are " + view.Visible(strings.Join(names, ", "))
	}
	return nil, fault.New(fault.ContextNotFound, "there is no context "+view.Visible(name), remedy)
}

// withOriginals returns a context and, if there is one, the context with the originals of blocks that a policy
// shortened in it.
func (t *tools) withOriginals(ctx context.Context, name string) ([]*pact.Context, error) {
	c, err := t.open(ctx, name)
	if err != nil {
		return nil, err
	}
	list := []*pact.Context{c}
	if t.mayAccess(c.Info().Name + originals) {
		kept, err := pact.Open(ctx, t.db, c.Info().Name+originals, nil)
		switch {
		case err == nil:
			list = append(list, kept)
		case fault.CodeOf(err) != fault.ContextNotFound:
			return nil, err
		}
	}
	return list, nil
}
