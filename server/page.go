package server

import (
	"context"
	"net/http"

	"github.com/contexttree/pact/inspector"
)

// sessionPath is where a browser exchanges the token for a cookie.
const sessionPath = "/v1/session"

// page adds the inspector, which the printed address opens, and the exchange of its token for
// a cookie. The token is in the fragment of the address, which browsers do not send.
func (s *Server) page() {
	inspector.Register(s.mux)
	type out struct {
		Cookie http.Cookie `header:"Set-Cookie"`
	}
	add(s, operation{method: "POST", path: sessionPath, id: "create-session", status: http.StatusNoContent,
		open: true, summary: "Exchange the token for a cookie, as the page of the printed address does", body: signIn{}},
		func(ctx context.Context, _ *empty) (*out, error) {
			given, err := readJSON[signIn](ctx)
			if err != nil {
				return nil, err
			}
			session := sessionOf(given.Token)
			_, ok, err := s.rightTo(ctx, session)
			if err == nil && !ok {
				err = unknownToken()
			}
			if err != nil {
				return nil, err
			}
			return &out{s.cookie(ctx, session)}, nil
		})
	add(s, operation{method: "DELETE", path: sessionPath, id: "delete-session", status: http.StatusNoContent,
		open: true, summary: "Take the cookie away, as the page does to sign out"},
		func(ctx context.Context, _ *empty) (*out, error) {
			gone := s.cookie(ctx, "")
			gone.MaxAge = -1
			return &out{gone}, nil
		})
}

// cookie returns the cookie for a session.
func (s *Server) cookie(ctx context.Context, session string) http.Cookie {
	return http.Cookie{Name: s.cookieName(), Value: session, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: s.secure(exchangeOf(ctx).request)}
}

type signIn struct {
	Token string `json:"token" doc:"The token of the printed address"`
}
