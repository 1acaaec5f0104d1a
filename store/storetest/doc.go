// Package kvtest is the contract for media as a test suite.
package storetest
