package engine

import (
	"context"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/store"
)

// AddToken implements [Contexts].
func (e *Engine) AddToken(ctx context.Context, t history.AccessToken) error {
	if err := CheckToken(&t); err != nil {
		return err
	}
	k := at(common, tokenPrefix+t.Name)
	return e.write(ctx, func(b *store.Batch) error {
		row, err := e.store.Get(ctx, k)
		if err != nil {
			return err
		}
		if row != nil {
			return tokenTaken(t.Name)
		}
		requireValue(b, k, nil)
		put(b, k, encodeToken(&t))
		return nil
	})
}

// Tokens implements [Contexts].
func (e *Engine) Tokens(ctx context.Context) (list []history.AccessToken, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	for p, err := range e.store.Range(ctx, under(common, tokenPrefix, ""), store.Ascending) {
		if err != nil {
			return nil, err
		}
		t, err := decodeToken(p)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// RevokeToken implements [Contexts].
func (e *Engine) RevokeToken(ctx context.Context, name string) error {
	k := at(common, tokenPrefix+name)
	return e.write(ctx, func(b *store.Batch) error {
		row, err := e.store.Get(ctx, k)
		if err != nil {
			return err
		}
		if row == nil {
			return noToken(name)
		}
		b.Expect = append(b.Expect, store.Expectation{Key: k, State: store.Present})
		remove(b, spanOfKey(k))
		return nil
	})
}

// CheckToken returns E_DOCUMENT_INVALID for a token that no store keeps.
func CheckToken(t *history.AccessToken) error {
	if err := names.Check(t.Name); err != nil {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, t.Name,
			"the name of the token is not 1 to "+strconv.Itoa(history.MaxName)+" bytes of text, or begins with @ or -",
			"choose another name")
	}
	if t.Pattern == "" {
		return nil
	}
	if err := names.Check(t.Pattern); err != nil {
		return fault.At(fault.DocumentInvalid, fault.NoOffset, t.Pattern, "no context has a name like this pattern",
			"write a name of a context, with * for any characters")
	}
	return nil
}

func encodeToken(t *history.AccessToken) []byte {
	var w writer
	w.count(format)
	w.raw(t.Hash[:])
	may := 0
	if t.Write {
		may = 1
	}
	w.count(may)
	w.text(t.Pattern)
	w.signed(t.CreatedNS)
	w.text(t.Name)
	w.sum(0)
	return w.b
}

func decodeToken(p store.Pair) (t history.AccessToken, err error) {
	if !summed(p.Value) {
		return t, damaged("an access token is not as it was written")
	}
	r := reader{rest: string(p.Value[:len(p.Value)-sumSize])}
	version := r.int()
	t = history.AccessToken{Hash: r.digest(), Write: r.int() == 1, Pattern: r.text(),
		CreatedNS: r.signed(), Name: r.text()}
	if version != format {
		return t, otherFormat()
	}
	if r.bad || p.Name != tokenPrefix+t.Name {
		return t, damaged("an access token is in the place of another")
	}
	return t, nil
}
