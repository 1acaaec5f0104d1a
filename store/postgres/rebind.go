package postgres

import (
	"strconv"
	"strings"
)

// rebind numbers the placeholders of a statement. No statement has a question mark elsewhere.
func rebind(query string) string {
	var b strings.Builder
	for i := 1; ; i++ {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("$" + strconv.Itoa(i))
		query = after
	}
}
