package server

import "time"

// CallsAtOnce lowers how many calls the server lists in one answer for a page, and returns what it was.
func CallsAtOnce(n int64) int64 {
	was := callsAtOnce
	callsAtOnce = n
	return was
}

// LimitTo lowers limits that a test cannot reach: nodes that selectors visit, snapshots that
// they ask, the time for a client to send a body or to take a piece of an answer, and for an
// import to wait. Without a
// token it has a third of that for a body, so that the refusal can still be written.
func (s *Server) LimitTo(visits, reads int64, patience time.Duration) {
	s.limits = limits{visits, reads, patience, patience / 3, patience, patience}
}
