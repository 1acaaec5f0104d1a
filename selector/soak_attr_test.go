package selector

// attrs writes attributes in brackets.
func (w *writer) attrs() {
	w.put("[")
	if w.all && w.one(4) {
		w.list("]")
		return
	}
	w.attr()
	w.put("]")
}

// list writes attributes up to a closing bracket of any kind.
func (w *writer) list(closing string) {
	w.gap()
	w.attr()
	for w.one(3) {
		if closing == ")" && w.one(2) {
			w.put(" ")
		} else {
			w.gap()
			w.put(",")
			w.gap()
		}
		w.attr()
	}
	w.gap()
	w.put(closing)
}

var attrNames = []string{
	"role", "role", "kind", "nodeType", "type", "ttl", "offset", "tag", "tags", "refs", "key", "id", "priority", "cycle",
	"created_at_ns", "created_at_iso",
	"creation_index", "content_hash", "content", "data_x", "my:own-name", "a", "A_1",
}

var facetNames = []string{"born_turn", "age", "depth", "sdepth"}

var equalities = []string{"=", "=", "=", "!=", " = ", "= ", " !="}

var orderings = []string{"<", "<=", ">", ">=", " < ", " >=", "<= "}

var patterns = []string{"~a", "~'^x$'", `~"\d+"`, "~'(a|b)*'", " ~ it", `~'it\'s'`, "~''", "~'é'"}

// attr writes one attribute.
func (w *writer) attr() {
	switch k := w.n(24); {
	case k == 0 && w.all:
		w.put("ephemeral")
		return
	case k == 1 && w.all:
		w.put("sticky")
		return
	case k < 4 && w.timed && w.all:
		w.from(facetNames)
	default:
		w.from(attrNames)
	}
	switch k := w.n(32); {
	case k < 4:
	case k == 4 && w.all: // dear: the parser reads the pattern
		w.from(patterns)
	case k < 8 && w.all:
		w.put("=[")
		w.value(true)
		for w.one(2) {
			w.gap()
			w.put(",")
			w.gap()
			w.value(true)
		}
		w.put("]")
	case k < 14:
		w.from(orderings)
		w.value(false)
	default:
		w.from(equalities)
		w.value(true)
	}
}

var values = []string{
	"user", "text", "true", "nullable", "a:b-c", "None_", "call", "'user'", `"user"`, "''", "'a b'", `'it\'s'`, `"\""`,
	`'\\'`, `'\n'`, "'größe'", "'}'", "'null'", "'5'",
	"0", "5", "-12", "+7", "3.50", "-0.25", "18446744073709551616", "007",
}

func (w *writer) value(nullToo bool) {
	if nullToo && w.one(8) {
		w.from([]string{"null", "None"})
		return
	}
	w.from(values)
}

// search writes "? {…}", "?? {…}" or, at the start of a group, within(…), and
// reports whether it was a single "?", which must not follow another one.
func (w *writer) search(single, behind bool) bool {
	if behind {
		w.gap()
	}
	if !behind && w.one(3) {
		w.put("within(")
		w.hops()
		w.put(")")
		w.gap()
		single = true
	}
	if single = !single && w.one(2); single {
		w.put("?")
	} else {
		w.put("??")
	}
	w.gap()
	w.put("{")
	w.list("}")
	return single
}

func (w *writer) depthHop() {
	if w.one(3) {
		w.put("depth(")
		w.depths()
		w.put(")")
		return
	}
	w.from([]string{"d0", "d1", "d-1", "d12", "d+2"})
}

var hopHeads = []string{
	"seg", "mt", "cont", "mc", "0", "-1", "+2", "0:block", "-1:cb", "*:block", "*:cb", "*:block.summary", "0:cb.x-1",
	"block", "cb", "cb.text", "cont[offset=0]",
}

// hops writes what stands between the parentheses of a position.
func (w *writer) hops() {
	w.gap()
	if w.one(5) {
		w.hop()
	} else {
		w.depthHop()
		w.hopAttrs()
	}
	for !w.one(3) {
		w.gap()
		w.put(",")
		w.gap()
		w.hop()
	}
	w.gap()
}

func (w *writer) hop() {
	if w.one(12) {
		w.depthHop()
		w.hopAttrs()
		return
	}
	if w.one(8) {
		w.from([]string{"?", "??", "? ", "?? "})
		w.put("{")
		w.list("}")
		return
	}
	w.from(hopHeads)
	w.hopAttrs()
}

// hopAttrs writes the filters of a hop.
func (w *writer) hopAttrs() {
	for w.one(4) {
		w.gap()
		switch w.n(3) {
		case 0:
			w.put("{")
			w.list("}")
		case 1:
			w.put("(")
			w.list(")")
		default:
			w.attrs()
		}
	}
}

func (w *writer) position() {
	w.put("(")
	w.hops()
	w.put(")")
}

var insertMarks = []string{",)", ", )", ",end)", ", end )", ", +1)", ",-12)", " , +3 )"}

// target writes a position to insert at.
func (w *writer) target() {
	w.buf = w.buf[:0]
	w.all, w.timed = true, false
	w.put("(")
	w.hops()
	w.from(insertMarks)
}
