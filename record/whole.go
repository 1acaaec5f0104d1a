package record

import (
	"cmp"
	"context"
	"slices"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// FindWhole finds the whole text that a note of managing names: the context that keeps it and the id of its block there.
// No context but those with originals has such an id. It looks first in those of the conversation near, "" for none,
// then in those that changed last; within says which contexts may be looked at, nil for all. E_NODE_NOT_FOUND if none
// has it. Cost: a look-up in each of them.
func FindWhole(ctx context.Context, s *pact.DB, near string, within func(name string) bool, id string) (*pact.Context,
	string, error) {
	return findWhole(ctx, s, near, within, func(t *tree.Tree) (*tree.Node, error) { return t.Node(id) }, id)
}

// WholeOf finds the whole text of a block of a conversation that was sent in another form: as [FindWhole] does, by the
// call and the content of the block. Cost: the blocks of the contexts with originals of that conversation.
func WholeOf(ctx context.Context, s *pact.DB, conversation string, n pact.Node) (*pact.Context, string, error) {
	call, _ := n.Attrs[attrCall].(string)
	content, err := n.JSON(ctx)
	if err != nil {
		return nil, "", err
	}
	within := func(name string) bool { return keepsFor(name, conversation) }
	return findWhole(ctx, s, conversation, within, func(t *tree.Tree) (*tree.Node, error) {
		for at, err := range t.Blocks(0) {
			if err != nil {
				return nil, err
			}
			b := at.Node()
			if of, _ := b.Header(attrCall).Text(); of != call || call == "" || !b.Has(attrWhat) && !b.Has(attrSince) {
				continue
			}
			if says, err := contentOf(ctx, b); err != nil || string(says) == string(content) {
				return b, err
			}
		}
		return nil, nil
	}, n.ID)
}

func findWhole(ctx context.Context, s *pact.DB, near string, within func(name string) bool,
	find func(t *tree.Tree) (*tree.Node, error), id string) (*pact.Context, string, error) {
	list, err := pact.List(ctx, s)
	if err != nil {
		return nil, "", err
	}
	list = slices.DeleteFunc(list, func(i history.Info) bool {
		return !strings.HasSuffix(i.Name, originalsOf("")) || within != nil && !within(i.Name)
	})
	far := func(i *history.Info) int {
		if near != "" && keepsFor(i.Name, near) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b history.Info) int {
		return cmp.Or(cmp.Compare(far(&a), far(&b)), cmp.Compare(b.Listed.ChangedNS, a.Listed.ChangedNS))
	})
	for _, i := range list {
		c, err := pact.Open(ctx, s, i.Name, nil)
		if err != nil {
			return nil, "", err
		}
		t := tree.Of(c.Working())
		n, err := find(t)
		if err != nil {
			return nil, "", err
		}
		for n != nil && (n.Has(attrWhat) || n.Has(attrSince)) && len(n.Refs) > 0 { // a decision leads to its original
			if n, err = t.Node(n.Refs[0]); err != nil {
				return nil, "", err
			}
		}
		if n != nil {
			return c, n.ID, nil
		}
	}
	return nil, "", fault.At(fault.NodeNotFound, fault.NoOffset, id, "no context with originals keeps a whole text of "+id,
		"pact.List lists the contexts")
}
