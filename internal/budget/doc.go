// Package budget limits how much a query may look at, and how much memory a call may hold. The
// limits go along with the context of a call, so that they hold for everything that the call leads
// to. A call without them is not limited.
package budget
