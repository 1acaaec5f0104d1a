// Package dbtest opens contexts for tests, and stores of which a read fails.
package dbtest
