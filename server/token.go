package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// tokenAge is how long the server goes without reading the tokens of the store again. A
// revoked token opens nothing once that has passed. For a token that it does not know it reads
// them again at once, but not more often than each unknownAge.
const (
	tokenAge   = time.Second
	unknownAge = 20 * time.Millisecond
)

// NewToken makes a token with a random secret of 256 bits. The caller gives it to the store
// ([AddToken]) and the secret to the user of the server; the token does not reveal
// the secret.
func NewToken(name string, write bool, pattern string, now time.Time) (secret string, t history.AccessToken) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret = "pact_" + base64.RawURLEncoding.EncodeToString(random)
	return secret, history.AccessToken{Name: name, Hash: sha256.Sum256([]byte(sessionOf(secret))), Write: write,
		Pattern: pattern, CreatedNS: now.UnixNano()}
}

// AddToken keeps a token in a store, so that every process that serves the store knows it. It is durable before AddToken
// returns. Errors: E_CONFLICT if there is one with its name, E_DOCUMENT_INVALID for a name or a pattern that no context
// can have.
func AddToken(ctx context.Context, db *pact.DB, t history.AccessToken) error {
	return engine.Of(db).AddToken(ctx, t)
}

// Tokens lists the tokens of a store by name, in the order of their bytes. Cost: one row each.
func Tokens(ctx context.Context, db *pact.DB) ([]history.AccessToken, error) {
	return engine.Of(db).Tokens(ctx)
}

// RevokeToken removes a token from a store. It returns E_NOT_FOUND if there is none with this name.
func RevokeToken(ctx context.Context, db *pact.DB, name string) error {
	return engine.Of(db).RevokeToken(ctx, name)
}

// guarded returns the contexts of a store as a request sees them: those that its right opens.
func guarded(db *pact.DB) *pact.DB {
	may := func(ctx context.Context, name string) error { return rightOf(ctx).use(name) }
	seen := pact.NewDB(engine.Given{Contexts: permitted{engine.Of(db), may}})
	seen.Edition = db.Edition
	return seen
}

// right says what a request may do. The zero value may do nothing.
type right struct {
	all   bool                // the token of the run, or a server without tokens
	token history.AccessToken // else the named token
}

// change refuses a request that changes contexts unless it may.
func (r *right) change() error {
	if r.all || r.token.Write {
		return nil
	}
	return refuse(http.StatusForbidden, forbidden, "the token may only read", "use a token that may write")
}

// use refuses a request that concerns a context unless it may. It does not look whether the
// context exists, so a refusal does not tell.
func (r *right) use(name string) error {
	if r.covers(name) {
		return nil
	}
	return refuse(http.StatusForbidden, forbidden, "the token does not open contexts of this name",
		"use a token whose pattern fits the name")
}

// rightOf returns the right of the request that a context belongs to, the zero right without one.
func rightOf(ctx context.Context) *right {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return &e.right
	}
	return &right{}
}

// erase refuses to erase unless the request may use every context: an erasure also changes those
// that share history with the one that it names.
func (r *right) erase() error {
	if r.all || r.token.Pattern == "" {
		return nil
	}
	return refuse(http.StatusForbidden, forbidden, "the token does not open every context, and an erasure may "+
		"change all that share history", "use a token without a pattern")
}

// useBeginning refuses an import that may make a context of a name and, for the branches of a
// session, NAME-2 and so on, unless it may use all of them: an import that is refused half way
// would leave the contexts that it had made.
func (r *right) useBeginning(name string) error {
	const anyNumber = "\x00" // only the * of a pattern matches it
	if err := r.use(name); err != nil {
		return err
	}
	return r.use(name + "-" + anyNumber)
}

func (r *right) covers(name string) bool {
	return r.all || r.token.Name != "" && (r.token.Pattern == "" || matches(r.token.Pattern, name))
}

// covered returns the contexts that a request may know of.
func (r *right) covered(list []history.Info) []history.Info {
	if r.all {
		return list
	}
	var some []history.Info
	for _, i := range list {
		if r.covers(i.Name) {
			some = append(some, i)
		}
	}
	return some
}

// matches reports whether a name is as a pattern says, in which * stands for any characters,
// also none. Cost: the product of the lengths at most.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part) // the first place leaves most to the parts behind it
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// tokens are the named tokens of the store, as they were when read.
type tokens struct {
	mu   sync.Mutex
	list []history.AccessToken
	read time.Time // by the monotonic clock, zero before the first time
}

// named returns the named tokens of the store, read at a time or later.
func (s *Server) named(ctx context.Context, since time.Time) ([]history.AccessToken, error) {
	k := &s.tokens
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.read.IsZero() && !k.read.Before(since) {
		return k.list, nil
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	list, err := Tokens(ctx, s.all)
	if err != nil {
		return nil, err
	}
	k.list, k.read = list, began
	return list, nil
}

// rightTo returns what a session opens, which follows from the token that a program sends
// and is the cookie of a browser. ok is false for a session of no token.
func (s *Server) rightTo(ctx context.Context, session string) (r right, ok bool, err error) {
	if !s.options.OnlyNamed && equalSecrets(session, s.session) {
		return right{all: true}, true, nil
	}
	asked := time.Now()
	list, err := s.named(ctx, asked.Add(-tokenAge))
	if r, ok = find(list, session); ok || err != nil {
		return r, ok, err
	}
	select { // it may be new
	case <-time.After(unknownAge):
	case <-ctx.Done():
		return r, false, ctx.Err()
	}
	list, err = s.named(ctx, asked)
	r, ok = find(list, session)
	return r, ok, err
}

// find returns what a session opens, if it is that of one of the tokens.
func find(list []history.AccessToken, session string) (r right, ok bool) {
	sum := sha256.Sum256([]byte(session))
	for _, t := range list { // all of them, so that the time does not tell which one it was
		if subtle.ConstantTimeCompare(sum[:], t.Hash[:]) == 1 {
			r, ok = right{token: t}, true
		}
	}
	return r, ok
}

// stillValid returns an error if a right was revoked since.
func (s *Server) stillValid(ctx context.Context, r right) error {
	if r.all {
		return nil
	}
	list, err := s.named(ctx, time.Now().Add(-tokenAge))
	if err != nil {
		return err
	}
	for _, t := range list {
		if t == r.token {
			return nil
		}
	}
	return unknownToken()
}

func unknownToken() *failure {
	return refuse(http.StatusUnauthorized, unauthorized, "the request has no valid token",
		"send the header Authorization: Bearer with the token of the printed address, or with a named one")
}
