package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact/tree"
)

const never = tree.Never

// maxGenerated is the largest length of the texts around the numbers of a generated id. An id
// with longer texts is stored as it is.
const maxGenerated = 64

// generated is an id of the form <prefix><cycle>-<index><suffix>, as the program
// generates them; the suffix tells forks apart.
type generated struct {
	prefix, suffix string
	cycle, index   int64
}

// parseID splits an id; it returns false if appendID would not restore the same text.
func parseID(id string) (g generated, ok bool) {
	start := strings.LastIndexByte(id, ':') + 1
	if start == 0 {
		return g, false
	}
	cycle, rest, found := strings.Cut(id[start:], "-")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	if !found {
		return g, false
	}
	g.prefix, g.suffix = id[:start], rest[end:]
	if len(g.prefix)+len(g.suffix) > maxGenerated {
		return g, false
	}
	var one, two bool
	g.cycle, one = decimal(cycle)
	g.index, two = decimal(rest[:end])
	return g, one && two
}

// decimal reads a number that is written as strconv prints it.
func decimal(s string) (n int64, ok bool) {
	if s == "" || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := range len(s) {
		digit := int64(s[i]) - '0'
		if digit < 0 || digit > 9 || n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// appendID restores the id.
func (g *generated) appendID(b []byte) []byte {
	b = append(b, g.prefix...)
	b = append(strconv.AppendInt(b, g.cycle, 10), '-')
	b = strconv.AppendInt(b, g.index, 10)
	return append(b, g.suffix...)
}
