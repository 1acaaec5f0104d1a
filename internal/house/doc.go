// Command house measures a package of this module: its size, its exported names
// and how its files use each other. docs/architecture.md has the numbers of the
// root package.
//
//	go run ./internal/house          # the root package of the module
//	go run ./internal/house -v DIR   # another package, and what is behind the numbers
package main
