package engine

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/contexttree/pact/store"
)

// Keyed implements [Contexts].
func (e *Engine) Keyed(ctx context.Context, text string) (string, error) {
	secret, err := e.secret(ctx)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text)) // a hash never fails to take bytes
	return hex.EncodeToString(h.Sum(nil)), nil
}

// secret returns the secret of the store, which the first call makes. No output has it.
func (e *Engine) secret(ctx context.Context) (secret []byte, err error) {
	if known := e.known.Load(); known != nil {
		return *known, nil
	}
	if err := e.usable(); err != nil {
		return nil, err
	}
	k := at(common, secretKey)
	if secret, err = e.store.Get(ctx, k); err == nil && secret == nil {
		err = e.write(ctx, func(b *store.Batch) error {
			if secret, err = e.store.Get(ctx, k); err != nil || secret != nil { // another process was faster
				return err
			}
			w := writer{b: make([]byte, SaltSize)}
			rand.Read(w.b) // it never fails
			w.sum(0)
			secret = w.b
			requireValue(b, k, nil)
			put(b, k, secret)
			return nil
		})
	}
	switch {
	case err != nil:
		return nil, err
	case !summed(secret):
		return nil, damaged("the secret of the store is not as it was written")
	}
	e.known.Store(&secret)
	return secret, nil
}
