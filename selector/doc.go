// Package selector reads and writes PACT selectors: it parses a text to a syntax tree and
// prints the tree as one canonical text. It knows no context and no history; package
// internal/query evaluates a [Selector].
//
// Chapter 04 of the specification exists in three versions, called editions
// here (docs/decisions.md): v0.1 (document 000), depth (003) and canonical (001).
// One grammar covers them all. The edition decides which constructs are
// accepted and what a few of them mean; both are tables in edition.go.
//
//	selector  = [ time ] group { "," group } { control | filter }
//	time      = point [ ( ".." | ":" ) point ] | "@*" | "@history"
//	point     = "@t0" | "@t-" N | "@t-*" | "@c" N      after ".." without its "@t" too
//	group     = step { ( space | ">" ) step }
//	step      = head { filter } | name { name } { filter } | filter { filter }
//	head      = "*" | "^" region | "depth(" set ")" | position | hop | search
//	name      = "." type | "#" id | "#'" text "'"
//	filter    = block | "+" tag | ":pre" | ":core" | ":post" | ":first" | ":last"
//	          | ":nth(" N ")" | ":depth(" set ")"
//	block     = "[" attr { "," attr } "]" | "{" attr { "," attr } "}"
//	          | "(" attr { ( "," | space ) attr } ")"  the last right after a type
//	attr      = key [ ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" ) value ]
//	          | key "=" "[" value { "," value } "]"
//	set       = term { "," term } ; term = N | N "-" N | N ".." N | ( "<" | ">" ) [ "=" ] N
//	          | "{" term { "," term } "}"
//	position  = "(" hop { "," hop } ")"                (003, 001 §3.8)
//	hop       = "d" N | "depth(" set ")" | "seg" | "mt" | "cont" | "mc" | N | ( N | "*" ) ":" class
//	          | class | "?" | "??", each with blocks behind it; class = ( "block" | "cb" ) [ "." kind ]
//	search    = ( "?" | "??" | "within(" hop { "," hop } ") ??" ) "{" attr { "," attr } "}"
//	control   = "@order=" word | "@unique" | "@limit=" N | "@p=" N | "@first" | "@mode=" word
//
// Edition 1.0 reads a list of fragments in place of the groups, has no search, and lets a control with
// any name pass (1.0 04 §4, §5.1):
//
//	selector  = [ time ] fragment { "," fragment } { control | filter }
//	fragment  = ( [ scope " " ] group | "(" scope "," group ")" | "(" fragments ")" { filter | step } )
//	          { "??" position }                         between positions
//	scope     = "d" N [ ".." "d" N ]                    also a hop; (d1,0,d2,0) is two positions
//
// A single hop may stand without parentheses where a group begins. A search that
// is not the first step of its group needs no combinator. Space between a step
// and a block, a tag or a control is free; before "[" it may begin a new step,
// which is the one place where the reading depends on the edition (see [Traits]).
//
// The syntax tree is normalised while it is built: blocks of every bracket
// become [Attr] parts, tags and controls are sorted, and what is sugar in §3.5
// and §3.7.1 is spelled out. [Selector.String] prints that tree, so printing what
// was parsed and parsing it again changes nothing.
//
// Parsing costs time proportional to the text, never looks back further than
// one token and keeps to the limits in parse.go. Every error is a
// [fault.Error] with the byte offset and the token where reading stopped.
package selector
