package query_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// filters draws up to most filters that x passes, unless something goes wrong.
func (d *generator) filters(x *modelNode, most int) string {
	var b strings.Builder
	for range d.IntN(most + 1) {
		b.WriteString(d.filter(x))
	}
	return b.String()
}

func (d *generator) filter(x *modelNode) string {
	if d.wrong() {
		x = d.node()
	}
	switch n := d.IntN(12); {
	case n == 0:
		return [...]string{":pre", ":core", ":post"}[zoneOf(x.node.Offset)]
	case n == 1 && x.placed:
		return ":depth(" + d.depths(x) + ")"
	case n <= 3:
		return pick(d.Rand, ":first", ":first", ":last", ":nth(1)", ":nth(2)")
	case n == 4 && d.later():
		return "+" + d.tagOf(x)
	}
	return d.block(x)
}

// depths draws a set of depths with that of x in it, in some way of writing.
func (d *generator) depths(x *modelNode) string {
	n := x.depth
	if !x.placed {
		n = int64(d.IntN(4) - 1)
	}
	if !d.later() {
		return pick(d.Rand, fmt.Sprint(n), fmt.Sprintf("%d,%d", n, n+2), fmt.Sprintf("%d-%d", n, n+1),
			fmt.Sprintf("%d-%d,7", n-1, n))
	}
	return pick(d.Rand, fmt.Sprint(n), fmt.Sprintf("%d, %d", n, n-1), fmt.Sprintf("%d-%d", n, n+1),
		fmt.Sprintf("%d..%d", n-1, n),
		fmt.Sprintf(">=%d", n), fmt.Sprintf("<=%d", n), fmt.Sprintf(">%d", n-1), fmt.Sprintf("<%d", n+1),
		fmt.Sprintf("{%d,%d}", n, n+2), fmt.Sprintf("{>%d}, %d", n+1, n))
}

func (d *generator) tagOf(x *modelNode) string {
	if has := x.node.Tags; len(has) > 0 {
		return d.quoteName(pick(d.Rand, has...))
	}
	return d.quoteName(pick(d.Rand, tags...))
}

// block draws attributes in brackets or braces.
func (d *generator) block(x *modelNode) string {
	if !d.later() {
		return "[" + d.attr(x) + "]"
	}
	return pick(d.Rand, "["+d.attr(x)+"]", "["+d.attr(x)+"]", "{"+d.attr(x)+"}", "["+d.attr(x)+", "+d.attr(x)+"]",
		"{"+d.attr(x)+","+d.attr(x)+"}")
}

// braces draws the attributes of a search for x.
func (d *generator) braces(x *modelNode) string {
	if one(d.Rand, 4) {
		return "{" + d.attr(x) + ", " + d.attr(x) + "}"
	}
	return "{" + d.attr(x) + "}"
}

var attrNames = []string{
	"role", "role", "kind", "kind", "nodeType", "type", "key", "key", "tag", "tags", "refs", "id", "offset", "ttl",
	"priority", "cycle",
	"created_at_ns", "creation_index", "created_at_iso", "content_hash", "content", "data_x", "my:note", "mime", "pinned",
	"nobody",
}

// attr draws one attribute that x has, unless something goes wrong, in a form
// that the edition takes.
func (d *generator) attr(x *modelNode) string {
	for {
		text := d.anyAttr(x)
		if d.later() {
			return text
		}
		if _, err := selector.Parse("["+text+"]", d.w.edition); err == nil {
			return text
		}
	}
}

func (d *generator) anyAttr(x *modelNode) string {
	if d.wrong() {
		x = d.node()
	}
	if x.elided && one(d.Rand, 2) {
		return pick(d.Rand, "nodeType='mc'", "type=cont", "offset=0", "ttl=null", "role!=user", "id=null", "key=null",
			"content_hash=null")
	}
	name := pick(d.Rand, attrNames...)
	if d.timed && one(d.Rand, 4) {
		name = pick(d.Rand, "born_turn", "age", "depth", "sdepth")
	}
	if name == "ttl" && one(d.Rand, 4) {
		return pick(d.Rand, "ephemeral", "sticky", "ttl<=2")
	}
	asked := name
	if name == "type" {
		asked = "nodeType"
	}
	f := d.w.facet(asked, x)
	switch {
	case f.sort == null:
		return name + pick(d.Rand, "=null", " = None", "!=x", "!='12'")
	case one(d.Rand, 8):
		return name
	case asked == "nodeType":
		return name + d.ofType(x)
	case f.sort == integer:
		return name + d.ofInteger(f.n)
	case f.sort == text:
		return name + d.ofText(f.text)
	case f.sort == list:
		return name + d.ofList(f.list)
	}
	return name + d.ofJSON(f)
}

// ofType draws a comparison that the type of x passes.
func (d *generator) ofType(x *modelNode) string {
	name := x.node.Type
	if !x.class.Region() && one(d.Rand, 2) {
		name = strings.TrimPrefix(d.typeOf(x), ".")
	}
	return pick(d.Rand, "="+d.quote(name), "="+d.quote(name), "=["+d.quote(name)+",mt]", "=[null, "+d.quote(name)+"]",
		"=[null,'x:none']", "!='^root'", "!=cb", "~'.'", ">='"+x.node.Type+"'")
}

func (d *generator) ofInteger(n int64) string {
	s := strconv.FormatInt(n, 10)
	return pick(d.Rand, "="+s, "="+s, "='"+s+"'", "="+s+".0", "=[77,"+s+"]", "=[x, "+s+"]", "=x", "="+s+".5", "!="+s+".5",
		">="+s+".5", ">"+s+".5", "=null", "!=77", "!=x", ">="+s, "<="+s, "<= '"+s+"'", ">"+s+"", "<"+s,
		">"+strconv.FormatInt(n-1, 10), "<"+s+".5", "<=18446744073709551616", ">-99999999999999999999",
		"<-9223372036854775809", "!=18446744073709551616", "~'^"+regexp.QuoteMeta(s)+"$'", "~1", "!=null", "<word",
		"='+"+s+"'")
}

func (d *generator) ofText(s string) string {
	head := s[:min(1, len(s))]
	return pick(d.Rand, "="+d.quote(s), "="+d.quote(s), "="+d.quote(s), "=[other,"+d.quote(s)+"]", "=[null,"+d.quote(s)+
		"]", "=null", "!="+d.quote(s), "!=other", "!=null", "!='null'",
		">="+d.quote(s), "<="+d.quote(s), ">''", "<b", ">5", "~"+d.quote("^"+regexp.QuoteMeta(s)+"$"),
		"~"+d.quote(regexp.QuoteMeta(strings.ToValidUTF8(head, ""))))
}

func (d *generator) ofList(list []string) string {
	s := pick(d.Rand, list...)
	return pick(d.Rand, "="+d.quote(s), "="+d.quote(s), "=[zz,"+d.quote(s)+"]", "!=zz", "!="+d.quote(s), "!=null", "~'.'",
		"~'^[ab]$'", ">''")
}

func (d *generator) ofJSON(f facet) string {
	s := f.plain()
	switch f.json.Kind() {
	case canon.KindNumber:
		if one(d.Rand, 4) {
			return d.oddNumber()
		}
		if strings.ContainsRune(s, 'e') {
			return pick(d.Rand, ">5", "!=5", "~'^1e'", "='"+s+"'", "<=10000000000000000")
		}
		return pick(d.Rand, "="+s, "="+s, "='"+s+"'", ">="+s, "<"+s+"", ">'"+s+"'", "<=zzz", "~'^"+regexp.QuoteMeta(s)+"'",
			"!=0", "=[x,"+s+"]")
	case canon.KindBool:
		return pick(d.Rand, "="+s, "='"+s+"'", "!=x", "=[1,"+s+"]", "~'^"+s+"$'", ">='f'")
	case canon.KindString:
		if _, number := readDecimal(s); number && one(d.Rand, 2) {
			return d.oddNumber()
		}
		return d.ofText(s)
	}
	return pick(d.Rand, "!=5", "~'[a-z]'", "!=null", "=null", "='"+s+"'")
}

// oddNumber draws a comparison with what some ways to read numbers get wrong.
func (d *generator) oddNumber() string {
	return pick(d.Rand, "=", "!=", "<", "<=", ">", ">=") +
		pick(d.Rand, "0.0000001", "100000000000000000000000", "5."+zeros, "5"+zeros, "'5"+zeros+"'", "'1e999'", "'5.'",
			"'.5'", "007", "'1e5'", "5.0", "-0", "'0x5'", "'5 '")
}

var word = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]*(:[a-zA-Z0-9_-]+)*$`)

// quote draws a way to write a text as a value.
func (d *generator) quote(s string) string {
	if word.MatchString(s) && s != "null" && s != "None" && one(d.Rand, 2) {
		return s
	}
	mark := pick(d.Rand, "'", "'", `"`)
	return mark + strings.NewReplacer(`\`, `\\`, mark, `\`+mark).Replace(s) + mark
}

// hash draws "#" and a name, or where the edition has no such name the same as
// an attribute.
func (d *generator) hash(name string) string {
	text := "#" + d.quoteName(name)
	if _, err := selector.Parse(text, d.w.edition); err != nil {
		return "[id=" + d.quote(name) + "]"
	}
	return text
}

// quoteName draws a way to write a name behind "#" or "+".
func (d *generator) quoteName(s string) string {
	bare := word.MatchString(s) && !strings.Contains(s, ":")
	if bare && one(d.Rand, 2) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

// isTurn reports whether x is a turn or the active head.
func isTurn(x *modelNode) bool { return x.class == tree.Turn || x.class == tree.Head }

func isBlock(x *modelNode) bool { return x.class == tree.Block }
