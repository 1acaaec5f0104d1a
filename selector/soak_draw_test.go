package selector

// writer writes random texts of the language, in every way of spelling that an
// edition accepts, into one buffer that it uses again. It draws from numbers
// of its own, since a run of it must take less than a microsecond.
type writer struct {
	state   uint64
	buf     []byte
	edition Edition
	all     bool // every construct may be used
	timed   bool
	single  bool // the step before began with "?"
}

// seed makes the writer draw what belongs to the number n.
func (w *writer) seed(n uint64) { w.state = n * 0x9e3779b97f4a7c15 }

func (w *writer) next() uint64 { // splitmix64
	w.state += 0x9e3779b97f4a7c15
	z := w.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n draws from 0 up to but without k.
func (w *writer) n(k int) int { return int(w.next() >> 32 * uint64(k) >> 32) }

// one is true once in k times.
func (w *writer) one(k int) bool { return w.n(k) == 0 }

func (w *writer) put(s string) { w.buf = append(w.buf, s...) }

func (w *writer) from(list []string) { w.put(list[w.n(len(list))]) }

func (w *writer) digits(k int) {
	n := w.n(k)
	if n >= 10 {
		w.buf = append(w.buf, byte('0'+n/10))
	}
	w.buf = append(w.buf, byte('0'+n%10))
}

var gaps = []string{" ", "", "", "", "", "\t", "  ", "\r\n"}

// gap writes space where it is free.
func (w *writer) gap() { w.from(gaps) }

// selector writes a selector in a random edition.
func (w *writer) selector() {
	w.buf = w.buf[:0]
	w.edition = [...]Edition{V01, Depth, Canonical, Canonical}[w.n(4)]
	w.all, w.timed, w.single = w.edition != V01, w.one(3), false
	if w.timed {
		w.time()
		w.put(" ")
	}
	w.group()
	for w.one(6) {
		w.gap()
		w.put(",")
		w.gap()
		w.single = false
		w.group()
	}
	if w.all && w.one(4) {
		w.controls()
	}
}

func (w *writer) time() {
	switch w.n(6) {
	case 0:
		w.put("@*")
	case 1:
		w.point(true, false)
	case 2:
		w.point(false, false)
	case 3:
		if w.all {
			w.put("@history")
			return
		}
		fallthrough
	default:
		t := w.one(2)
		w.point(t, true)
		w.from([]string{"..", ":"})
		if w.one(2) {
			w.point(t, true)
			return
		}
		if t {
			w.from([]string{"-1", "0", "-7", "2", "+1"})
		} else {
			w.digits(50)
		}
	}
}

// point writes an address, counted back or by cycle; the oldest only as the end
// of a range.
func (w *writer) point(back, end bool) {
	switch {
	case !back:
		w.put("@c")
		w.digits(60)
	case end && w.all && w.one(8):
		w.put("@t-*")
	case w.one(2):
		w.put("@t0")
	default:
		w.put("@t-")
		w.digits(30)
	}
}

// group writes a chain of steps.
func (w *writer) group() {
	w.step(true)
	for w.one(2) {
		switch {
		case w.all && w.one(8):
			w.single = w.search(w.single, true)
			w.filters()
		case w.one(3):
			w.gap()
			w.put(">")
			w.gap()
			w.step(false)
		default:
			w.put(" ")
			w.step(false)
		}
	}
}

var names = []string{
	"*", "^sys", "^seq", "^ah", "^root", ".cb", ".mt", ".mc", ".seg", ".cont", ".block", ".cb:summary", ".block:x-1",
	".custom:note:b", ".first", "^seq.mt",
	"^ah#a", "#a", "#5f3c", "#block:12-3-f2", ".cb#x", "#x.cb", "*#a", "#null",
}

var quotedNames = []string{"#'a:first'", `#"hero banner"`, `#'it\'s'`, `#'\n'`, `*.cb#'größe'`}

var types = []string{".cb", ".block:k", ".mt", ".x:y"}

// bareHops are positions of one hop without their parentheses.
var bareHops = []string{"d1", "d-1", "d0{a}", "3[a]", "-1{a=b}", "seg", "seg{a}", "mt", "cont[offset=0]", "mc",
	"*:block", "*:cb.k", "2:cb.text", "-1:block", "block", "cb{a, b}"}

// step writes a compound with its filters.
func (w *writer) step(first bool) {
	single := w.single
	w.single = false
	switch k := w.n(16); {
	case k == 0 && first && w.all:
		w.put("depth(")
		w.depths()
		w.put(")")
	case k == 1 && first && w.all:
		w.from(bareHops)
	case k == 2 && first && w.all:
		w.position()
	case k == 3 && first && w.all:
		w.single = w.search(false, false)
	case k == 4 && w.all: // behind a space it is a filter of the step before
		w.tag()
		w.single = single
	case k == 5:
		w.pseudo()
	case k == 6: // likewise, in some places
		w.attrs()
		w.single = single
	case k <= 8 && w.all:
		w.from(types)
		w.put("(")
		w.list(")")
	case k == 9 && w.all:
		w.from(quotedNames)
	default:
		w.from(names)
	}
	w.filters()
}

func (w *writer) filters() {
	for !w.one(2) {
		switch k := w.n(8); {
		case k < 3:
			w.pseudo()
		case k == 3 && w.all:
			w.gap()
			w.tag()
		case k == 4 && w.all:
			w.gap()
			w.put("{")
			w.list("}")
		default:
			w.attrs()
		}
	}
}

var pseudos = []string{":pre", ":core", ":post", ":first", ":last", ":nth(1)", ":nth( 12 )", ":nth(+3)"}

func (w *writer) pseudo() {
	if w.one(3) {
		w.put(":depth(")
		w.depths()
		w.put(")")
		return
	}
	w.from(pseudos)
}

var tagNames = []string{"+a", "+b:c", "+'to do'", `+"7"`, "+x_1-2", "+'first'", "+a", "+z"}

func (w *writer) tag() { w.from(tagNames) }

// depths writes the terms of a set.
func (w *writer) depths() {
	for {
		w.gap()
		if w.all && w.one(8) {
			w.put("{")
			w.term()
			w.put(",")
			w.term()
			w.put("}")
		} else {
			w.term()
		}
		w.gap()
		if !w.one(4) {
			return
		}
		w.put(",")
	}
}

var comparisons = []string{"<", "<=", ">", ">=", "> ", "<= -"}

func (w *writer) term() {
	switch k := w.n(6); {
	case k == 0 && w.all:
		w.from(comparisons)
		w.digits(20)
	case k == 1:
		n := w.n(8)
		w.buf = append(w.buf, byte('0'+n))
		w.from([]string{"-", " - ", "-"})
		w.buf = append(w.buf, byte('0'+n+w.n(3)))
	case k == 2 && w.all:
		w.from([]string{"-1..0", "1 ..2", "0.. 9", "-4..-4"})
	case k == 3:
		w.from([]string{"-1", "0", "+1"})
	default:
		w.digits(20)
	}
}

var controlTexts = [...][]string{
	{" @mode=union", " @mode=latest", "\t@mode=reduce"},
	{" @order=pre", " @order=post", " @order=bfs", " @order=path", " @order=turn:asc,pre", " @order=turn:desc,pre"},
	{" @unique"},
	{" @limit=0", " @limit=50", "  @limit=7 @p=3", " @p=1 @limit=2"},
	{" @first"},
}

// controls writes some controls in any order, and filters between them.
func (w *writer) controls() {
	var given uint
	for range 1 + w.n(3) {
		k := w.n(len(controlTexts))
		if given&(1<<k) != 0 || k == 0 && !w.timed {
			continue
		}
		given |= 1 << k
		w.from(controlTexts[k])
		if w.one(8) {
			w.put(" ")
			w.attrs()
		}
	}
}
