// Package opened says what is in a file of contexts, in numbers and in words: what each call repeated of
// the call before, what broke, what the run cost and what would have helped.
package opened
