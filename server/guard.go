package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

// cookieName is the name of the cookie that a browser gets for the token. Browsers send
// cookies to all ports of a host, so the name tells servers apart.
func (s *Server) cookieName() string { return "pact-" + sessionOf("name of " + s.options.Token)[:12] }

// sessionOf returns the value of the cookie. The token cannot be found from it.
func sessionOf(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("pact session"))
	return hex.EncodeToString(mac.Sum(nil))
}

// secure reports whether browsers reach the server with TLS alone, its own or that of a proxy.
func (s *Server) secure(r *http.Request) bool { return s.options.OnlyNamed || r.TLS != nil }

// protect sets the headers that keep a browser from guessing the type of an answer and from
// telling others its address.
func (s *Server) protect(h http.Header, r *http.Request) {
	if s.secure(r) && !isLoopback(hostOf(r.Host)) { // localhost belongs to all programs of the machine
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// admit returns what a request may do, or why it is refused before anything is read.
func (s *Server) admit(r *http.Request) (right, *failure) {
	if !s.knows(r.Host) {
		return right{}, refuse(http.StatusMisdirectedRequest, foreignHost, "this server is not the host of the request",
			"use the address that the server printed, or another of its names")
	}
	if !s.inspectorPage(r) {
		return right{}, refuse(http.StatusForbidden, foreignPage, "a page of another origin sent the request",
			"send it from a program, or from a page of this server")
	}
	if !strings.HasPrefix(r.URL.Path, "/v1/") && r.URL.Path != metricsPath || r.URL.Path == sessionPath {
		return right{}, nil
	}
	if s.options.NoToken {
		return right{all: true}, nil
	}
	session, ok := s.sessionIn(r)
	if !ok {
		return right{}, unknownToken()
	}
	opens, ok, err := s.rightTo(r.Context(), session)
	switch {
	case err != nil:
		return right{}, failureOf(err)
	case !ok:
		return right{}, unknownToken()
	case r.URL.Path == metricsPath && !opens.all && opens.token.Pattern != "":
		return right{}, refuse(http.StatusForbidden, forbidden, "the metrics are about all contexts",
			"use a token that opens all contexts")
	}
	return opens, nil
}

// knows reports whether a value of the header Host names this server. A name that an
// attacker lets resolve to 127.0.0.1 is not among those (DNS rebinding).
func (s *Server) knows(host string) bool {
	name := hostOf(host)
	for _, known := range s.options.Hosts {
		if strings.EqualFold(known, host) || strings.EqualFold(known, name) {
			return true
		}
	}
	return isLoopback(name)
}

// hostOf returns a value of the header Host without the port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

func isLoopback(name string) bool {
	return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == "[::1]"
}

// sessionIn returns the session of a request: of the token that a program sends, or of the
// cookie that a browser got for it.
func (s *Server) sessionIn(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") {
		return sessionOf(strings.TrimLeft(token, " ")), true
	}
	cookie, err := r.Cookie(s.cookieName())
	if err != nil || s.namedOrigin(r) != "" { // a page elsewhere must not use what the browser got here
		return "", false
	}
	return cookie.Value, true
}

// equalSecrets compares two secrets in a time that does not depend on where they differ.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
