// Package agents knows the programs that call models: how each is told the address of a proxy, what in its
// settings counts more than that, and what comes when it runs.
package agents
