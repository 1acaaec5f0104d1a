// Command picture runs pact on the example conversation as a person at a terminal
// would, and writes what the terminal shows as an SVG image for the README. A test
// holds the image to the program.
//
//	go run ./internal/picture > docs/terminal.svg
package main
