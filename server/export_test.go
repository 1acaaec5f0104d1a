package server

import "time"

// LimitTo lowers limits that a test cannot reach: nodes that selectors visit, snapshots that
// they ask, and the time for a client to send a body or to take a piece of an answer.
func (s *Server) LimitTo(visits, reads int64, patience time.Duration) {
	s.limits = limits{visits, reads, patience, patience}
}
