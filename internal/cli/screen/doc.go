// Package screen prints what a command answers: for a person on a terminal, which it fits, or
// for a program as lines or JSON.
package screen
