// Package wire stores the JSON body of a request as two things: its value, and
// notes on how that value was written. Together they restore the same bytes.
//
// The value holds the request in the canonical form of package canon:
// sorted members, one spelling for each number and string. Nodes hold parts of it
// as their contents, and comparisons use it. The notes hold the rest: the order of
// members, white space, escapes, and numbers in other than canonical spelling.
// Clients write JSON in only a few ways, so the notes are short.
//
// If value and notes cannot restore the bytes, the notes hold the body itself,
// compressed ([Notes.Raw]). Read checks its result before it returns, so that a
// failure shows when the body is stored and not when it is read. Kept so are bodies that are no
// JSON (RFC 8259), with numbers beyond a float64 or of more than 4,300 characters, or that nest
// deeper than 512: these have no value; and those with two members of one name, of which the value
// has the last, and with white space in other places than behind commas and colons.
package wire
