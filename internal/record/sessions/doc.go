// Package sessions finds the sessions that coding agents keep on this machine, in the folders where
// the agents themselves look for them. It only reads, and asks nothing of a network.
package sessions
