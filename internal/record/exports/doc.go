// Package exports writes a context in the forms of other programs: whole runs as trajectories and spans, and a thread as
// a session with which an agent goes on. Each writer says what its form cannot carry.
package exports
