// Package dbtest opens, fills and asks contexts for tests, and has stores of which a read fails.
package dbtest
