//go:build !unix

package postgrestest

import "errors"

// Server is a temporary server, which there is on Unix alone.
type Server struct{}

// Start says that there is none.
func Start() (*Server, error) {
	return nil, errors.New("a temporary PostgreSQL needs Unix, and PACT_TEST_POSTGRES names no server")
}

// Stop ends the server.
func (s *Server) Stop() error { return nil }

// URL is the address of a database of the server.
func (s *Server) URL(string) string { return "" }
