//go:build !unix

package postgrestest

import "errors"

// Server is a temporary server. Only Unix has one.
type Server struct{}

// Start fails: this system has no temporary server.
func Start() (*Server, error) {
	return nil, errors.New("a temporary PostgreSQL needs Unix, and PACT_TEST_POSTGRES names no server")
}

// Stop ends the server.
func (s *Server) Stop() error { return nil }

// Create returns the statement that makes an empty database.
func (s *Server) Create(name string) string { return create(name) }

// URL returns the address of a database on the server.
func (s *Server) URL(string) string { return "" }
