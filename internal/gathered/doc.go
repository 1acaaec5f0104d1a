// Package gathered writes many batches to a store as one. An import makes thousands of small changes, of which
// nobody waits for each to be durable: what one batch puts and a later one replaces or cuts is never written.
package gathered
