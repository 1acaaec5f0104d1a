// Package address says which state of a context an address names: it reads the text, writes it in an edition, and
// finds the cycles. It knows the numbers of a context and reads no snapshot.
//
// Specification: 02 §8.4, 05 §2.3.
package address
