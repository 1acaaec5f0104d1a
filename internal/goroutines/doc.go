// Goroutines prints the packages among its arguments whose tests can run two goroutines
// at once: only there can the race detector find anything. It says on standard error how
// many packages it leaves out.
//
// A package is left out if neither its tests nor any package that they are built with,
// the standard library aside, starts a goroutine or calls what starts one. What the
// standard library does in goroutines of its own it does for callers that are in the list.
package main
