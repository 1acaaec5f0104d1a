// Package storetest is the contract of a store, which keeps bytes, as a test suite. Every
// implementation of store.Store runs it, also one outside of this module.
package storetest
