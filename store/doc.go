// Package store is the contract for keeping the histories of contexts, and a store that keeps
// them in memory. The test suite in package storetest says what every store must do.
package store
