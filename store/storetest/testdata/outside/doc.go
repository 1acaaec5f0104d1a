// Package outside is a store as somebody writes one who has only the public packages of this
// project: the core of the contract, in memory, with the working state as rows.
package outside
