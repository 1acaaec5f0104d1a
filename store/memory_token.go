package store

import (
	"context"
	"slices"
	"strings"
)

// AddToken implements TokenKeeper.
func (m *Memory) AddToken(_ context.Context, t AccessToken) error {
	if err := t.Check(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == nil {
		return Closed()
	}
	at, taken := m.token(t.Name)
	if taken {
		return TokenTaken(t.Name)
	}
	m.tokens = slices.Insert(m.tokens, at, t)
	return nil
}

// Tokens implements TokenKeeper.
func (m *Memory) Tokens(context.Context) ([]AccessToken, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.contexts == nil {
		return nil, Closed()
	}
	return slices.Clone(m.tokens), nil
}

// RevokeToken implements TokenKeeper.
func (m *Memory) RevokeToken(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == nil {
		return Closed()
	}
	at, found := m.token(name)
	if !found {
		return NoToken(name)
	}
	m.tokens = slices.Delete(m.tokens, at, at+1)
	return nil
}

// token returns where the token with a name is, or would be.
func (m *Memory) token(name string) (int, bool) {
	return slices.BinarySearchFunc(m.tokens, name, func(t AccessToken, name string) int {
		return strings.Compare(t.Name, name)
	})
}
