// Package archive turns contexts into bytes and bytes into contexts (05 §3.2, chapter 07). It
// writes histories in two forms, reads them, repairs what other tools get wrong about them,
// checks the rules for sealed nodes, and compares what it read with what it writes. It takes
// readers, writers, a store and a state as values. A reader returns an [engine.Creation], from which the
// caller makes a context in one durable step. It knows no open context.
//
// The form for exchange has one canonical snapshot document a line, oldest first. The compact
// form has a head, then a line for each cycle with the nodes that it added, the ids that it
// removed and its attempts, and a last line for uncommitted edits.
package archive
