package benchmarks

import "strings"

// asked is a query over one tree: run evaluates it and has its results in
// memory at the end, ids evaluates it and names them.
type asked struct {
	run func() int
	ids func() []string
}

// prepare compiles a query. Where one is set the asker knows that there is one
// result, and a library that can stop at the first does.
type prepare func(text string, one bool) asked

// contestants hold the same tree, each in its own form. The first is ours.
var contestants = []struct {
	name string
	open func(n int) prepare
	text func(row) string
}{
	{"pact", openPact, func(r row) string { return r.pact }},
	{"cascadia", openCascadia, func(r row) string { return r.cascadia }},
	{"gojq", openJQ, func(r row) string { return r.gojq }},
}

// row is one question in every language, "" where a language cannot ask it.
type row struct {
	name                 string
	pact, cascadia, gojq string
	one                  bool
}

// rows ask every contestant in the way that it answers fastest: of several
// spellings of one question the faster one stands here.
var rows = []row{
	{
		name:     "by id",
		pact:     `#'{id}'`,
		cascadia: `[id="{id}"]`,
		gojq:     `nodes | select(.id == "{id}")`,
		one:      true,
	},
	{
		name:     "the user's blocks of the last three turns",
		pact:     `.mt:depth(1-3) .cb[role='user']`,
		cascadia: `mt:nth-last-child(1) cb[role="user"], mt:nth-last-child(2) cb[role="user"], mt:nth-last-child(3) cb[role="user"]`,
		gojq:     `.children[1].children[-3:][] | nodes | select(.nodeType == "cb" and .role == "user")`,
	},
	{
		name:     "all blocks of a role",
		pact:     `.cb[role='user']`,
		cascadia: `cb[role="user"]`,
		gojq:     `nodes | select(.nodeType == "cb" and .role == "user")`,
	},
	{
		name:     "child chain: region, turn, core, block",
		pact:     `^seq > .mt > .mc > .cb`,
		cascadia: `seq > mt > mc > cb, seq > mt > cb[offset="0"]`,
		gojq: `.children[1].children[].children[] | if .nodeType == "mc" then .children[] | select(.nodeType == "cb") ` +
			`else select(.nodeType == "cb" and .offset == 0) end`,
	},
	{
		name:     "child chain: region, turn, block",
		pact:     `^seq > .mt > .cb`,
		cascadia: `seq > mt > cb`,
		gojq:     `.children[1].children[].children[] | select(.nodeType == "cb")`,
	},
	{
		name:     "a number, sparse: ttl at most 2",
		pact:     `.cb[ttl<=2]`,
		cascadia: `cb[ttl="0"], cb[ttl="1"], cb[ttl="2"]`,
		gojq:     `nodes | select(.nodeType == "cb" and .ttl != null and .ttl <= 2)`,
	},
	{
		name:     "a number: priority over 5",
		pact:     `[priority>5]`,
		cascadia: `[priority="6"], [priority="7"], [priority="8"], [priority="9"]`,
		gojq:     `nodes | select(.priority > 5)`,
	},
	{
		name:     "a rare kind",
		pact:     `.cb[kind='` + rareKind + `']`,
		cascadia: `cb[kind="` + rareKind + `"]`,
		gojq:     `nodes | select(.nodeType == "cb" and .kind == "` + rareKind + `")`,
	},
	{
		name:     ":nth, the third block of every parent",
		pact:     `.cb:nth(3)`,
		cascadia: `cb:nth-of-type(3)`,
		gojq:     `nodes | [.children[]? | select(.nodeType == "cb")][2] | values`,
	},
	{
		name:     ":nth, the third child of every turn",
		pact:     `^seq > .mt > *:nth(3)`,
		cascadia: `seq > mt > :nth-child(3)`,
		gojq:     `.children[1].children[].children[2] | values`,
	},
	{
		name:     "a scan that keeps nothing",
		pact:     `[priority<0]`,
		cascadia: `[priority^="-"]`,
		gojq:     `nodes | select(.priority < 0)`,
	},
	{
		name:     "a scan that keeps everything",
		pact:     `[priority>=0]`,
		cascadia: `[priority]`,
		gojq:     `nodes | select(.priority >= 0)`,
	},
}

// ask puts the id that a tree of n nodes is asked for into a query.
func (r row) ask(p prepare, text string, n int) asked {
	if strings.Contains(text, "{id}") {
		text = strings.ReplaceAll(text, "{id}", middleBlock(n))
	}
	return p(text, r.one)
}
