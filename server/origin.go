package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/origin"
)

// inspectorPage reports whether no browser sent the request for a page of another origin, but for
// those that the options name. A person may still follow a link to a page of this server.
func (s *Server) inspectorPage(r *http.Request) bool {
	if s.namedOrigin(r) != "" || !origin.Foreign(r) {
		return true
	}
	_, sent := r.Header["Origin"] // not with a link
	return !sent && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		!strings.HasPrefix(r.URL.Path, "/v1/")
}

// namedOrigin returns the origin of a request if the options name it, else "".
func (s *Server) namedOrigin(r *http.Request) string {
	if origin := r.Header["Origin"]; len(origin) == 1 && slices.Contains(s.options.Origins, origin[0]) {
		return origin[0]
	}
	return ""
}

// share lets pages of a named origin read an answer (CORS). They send a token; no cookie
// comes along. share reports whether the request only asked for leave, which is the answer.
func (s *Server) share(h http.Header, r *http.Request) (done bool) {
	if len(s.options.Origins) == 0 {
		return false
	}
	h.Add("Vary", "Origin")
	origin := s.namedOrigin(r)
	if origin == "" {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Location, Content-Range, Pact-Left-Out, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range")
	h.Set("Access-Control-Max-Age", "600")
	return true
}
