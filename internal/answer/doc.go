// Package answer assembles a provider's answer from its bytes as they pass: a JSON
// body, or a stream of events of one of the four APIs of package api.
//
// An [Assembler] receives a copy of the bytes in pieces of any size; the division
// into pieces does not change the result. It never fails, because the client's own
// reading must not depend on it. The [Answer] says what could not be read.
package answer
