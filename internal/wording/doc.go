// Package wording puts what the library answers into plain English: numbers, sizes, causes,
// and the sentence that says what a call repeats of the call before it. The command line and
// the server say the same in the same words because both take them from here.
package wording
