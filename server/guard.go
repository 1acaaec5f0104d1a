package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"slices"
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

// protect sets the headers that keep a browser from treating an answer as anything else
// than what it is, or from telling others of it.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// admit returns why a request is refused before anything is read, nil if it is not.
func (s *Server) admit(r *http.Request) *failure {
	if !s.knows(r.Host) {
		return refuse(http.StatusMisdirectedRequest, foreignHost, "this server is not the host of the request",
			"use the address that the server printed")
	}
	if !s.ownPage(r) {
		return refuse(http.StatusForbidden, foreignPage, "a page of another origin sent the request",
			"send it from a program, or from a page of this server")
	}
	if s.options.NoToken || !strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == sessionPath {
		return nil
	}
	if !s.carriesToken(r) {
		return refuse(http.StatusUnauthorized, unauthorized, "the request has no valid token",
			"send the header Authorization: Bearer with the token of the printed address")
	}
	return nil
}

// knows reports whether a value of the header Host names this server. A name that an
// attacker lets resolve to 127.0.0.1 is not among those (DNS rebinding).
func (s *Server) knows(host string) bool {
	if slices.Contains(s.options.Hosts, host) {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == "[::1]"
}

// ownPage reports whether no browser sent the request for a page of another origin. A
// person may still follow a link to a page of this server.
func (s *Server) ownPage(r *http.Request) bool {
	if origin, ok := r.Header["Origin"]; ok {
		u, err := url.Parse(strings.Join(origin, ","))
		if err != nil || u.Host != r.Host || u.Scheme != "http" && u.Scheme != "https" {
			return false
		}
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "" || site == "same-origin" || site == "none" {
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		!strings.HasPrefix(r.URL.Path, "/v1/")
}

// carriesToken reports whether a request has the token as a program sends it, or the
// cookie that a browser got for it.
func (s *Server) carriesToken(r *http.Request) bool {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(token, s.options.Token)
	}
	cookie, err := r.Cookie(s.cookieName())
	return err == nil && same(cookie.Value, s.session)
}

// same compares two secrets in a time that does not depend on where they differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
