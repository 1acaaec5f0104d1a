// Package command has what the commands of the program share: the run that they belong to, the
// store and the files that they read, flags and completions of several commands, and how an
// error is told.
package command
