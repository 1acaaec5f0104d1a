package engine

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// List implements [Contexts].
func (e *Engine) List(ctx context.Context) (list []Info, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		list = nil
		var names []store.Pair
		var keys []history.Key
		for p, err := range r.Range(ctx, under(common, namePrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			key, err := number(p.Value)
			if err != nil {
				return err
			}
			names, keys = append(names, p), append(keys, history.Key(key))
		}
		known, err := ahead(ctx, r, keys...)
		if err != nil {
			return err
		}
		for _, p := range names {
			l, err := e.named(ctx, known, p.Name[len(namePrefix):], p.Value)
			if err != nil {
				return err
			}
			list = append(list, l.info())
		}
		return nil
	})
	return list, err
}

// named returns the branch that the row of a name leads to.
func (e *Engine) named(ctx context.Context, r store.Reader, name string, row []byte) (*branch, error) {
	key, err := number(row)
	if err != nil {
		return nil, err
	}
	l, err := e.findBranch(ctx, r, history.Key(key))
	if fault.CodeOf(err) == fault.ContextNotFound || err == nil && l.name != name {
		err = damaged("its name leads to another context, or to none")
	}
	if d, _ := damageOrError(err); d != nil {
		of := *d
		of.What = "the context " + strconv.Quote(name) + " is damaged: " + d.What
		err = DamageErr(&of)
	}
	return l, err
}

// Find implements [Contexts].
func (e *Engine) Find(ctx context.Context, name string) (info Info, err error) {
	if err := e.usable(); err != nil {
		return info, err
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		row, err := r.Get(ctx, at(common, namePrefix+name))
		if err != nil {
			return err
		}
		if row == nil {
			return NoContext(name)
		}
		key, err := number(row)
		if err != nil {
			return err
		}
		known, err := ahead(ctx, r, history.Key(key))
		if err != nil {
			return err
		}
		l, err := e.named(ctx, known, name, row)
		if err == nil {
			info = l.info()
		}
		return err
	})
	return info, err
}

// Info implements [Contexts].
func (e *Engine) Info(ctx context.Context, key history.Key) (Info, error) {
	l, err := e.branch(ctx, key)
	if err != nil {
		return Info{}, err
	}
	return l.info(), nil
}

// claimName gives a free name to a context.
func (e *Engine) claimName(ctx context.Context, b *store.Batch, name string, key history.Key) error {
	k := at(common, namePrefix+name)
	row, err := e.store.Get(ctx, k)
	if err != nil {
		return err
	}
	if row != nil {
		return names.Taken(name)
	}
	requireValue(b, k, nil)
	put(b, k, []byte(ordered(int64(key))))
	return nil
}

// rename gives a branch another name, which may be the one that it has.
func (e *Engine) rename(ctx context.Context, b *store.Batch, l *branch, name string) error {
	if name == l.name {
		return nil
	}
	if err := e.claimName(ctx, b, name, l.key); err != nil {
		return err
	}
	remove(b, spanOfKey(at(common, namePrefix+l.name)))
	l.name = name
	return nil
}

// Rename implements [Contexts].
func (e *Engine) Rename(ctx context.Context, key history.Key, name string) error {
	if err := names.Check(name); err != nil {
		return err
	}
	return e.write(ctx, func(b *store.Batch) error {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		if err := e.rename(ctx, b, l, name); err != nil {
			return err
		}
		l.replace(b)
		return nil
	})
}

// replace writes the row of a branch anew, if no other writer did.
func (l *branch) replace(b *store.Batch) {
	k := in(l.key, aboutKey)
	requireValue(b, k, l.raw)
	l.raw = l.encode()
	put(b, k, l.raw)
}

// firstListed returns what lists show of a context that begins with a snapshot, or with an empty tree.
func firstListed(t *tree.Tree, timeNS int64, imported bool) history.Listed {
	l := history.Listed{ChangedNS: timeNS, Attrs: attrsOf(t)}
	if imported {
		_, l.Bytes = t.ThreadSize()
	}
	return l
}

// ListedAfter returns what lists show after a change of a context whose oldest snapshot has the cycle
// first. Cost: O(1), and reading the root where the change has another one.
func ListedAfter(l history.Listed, c *Change, first int64) history.Listed {
	l.ChangedNS = c.Entry.TimeNS
	if c.Before.Root().Node() != c.After.Root().Node() {
		l.Attrs = attrsOf(c.After)
	}
	if c.Sealed != nil {
		_, l.Bytes = c.Sealed.ThreadSize()
		l.Cuts = l.Cuts.WithCall(c.Sealed.Cycle()-first+1, c.Entry.Anew, l.Bytes)
	}
	return l
}

func attrsOf(t *tree.Tree) string {
	attrs, left := map[string]json.RawMessage{}, history.MaxListedAttrs
	for _, h := range t.Root().Node().Headers {
		if size := len(h.Name) + len(h.Value); len(h.Value) <= history.MaxListedAttr && size <= left {
			attrs[h.Name] = json.RawMessage(h.Value)
			left -= size
		}
	}
	if len(attrs) == 0 {
		return ""
	}
	text, _ := json.Marshal(attrs) // headers are JSON
	return string(text)
}
