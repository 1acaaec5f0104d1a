package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/store"
)

// testLatest compares what a medium tells at once of many spaces with what it tells of each.
func testLatest(t *testing.T, suite Suite) {
	s := suite.Open(t)
	many, ok := s.(store.Latester)
	if !ok {
		t.Skip("the medium is no Latester")
	}
	const last = 150
	b := store.Batch{Put: []store.Pair{pair(1, "j", "another key"), pair(store.MaxSpace, "i", "the last space")}}
	spaces := []store.Space{1, store.MaxSpace}
	for n := store.Space(2); n <= last; n++ {
		spaces, b.Put = append(spaces, n), append(b.Put, pair(n, "i", fmt.Sprint("of ", n)))
		for i := range int64(n % 3) { // some logs are empty, and stand beside the logs of others
			b.Append = append(b.Append, record(n, i+1, fmt.Sprint(i+1, " of ", n)))
		}
	}
	b.Append = append(b.Append, store.Record{Space: store.MaxSpace, Number: 1, Value: []byte("the last log"), Rest: []byte("x")})
	const long, longest = 4, 7 // with a record of just as many bytes as are told ahead, and with one byte more
	b.Append = append(b.Append, record(long, 2, strings.Repeat("x", store.MostAhead)),
		record(longest, 2, strings.Repeat("x", store.MostAhead+1)))
	write(t, s, b)
	for _, asked := range [][]store.Space{nil, {1}, {7}, {6}, {2, 3}, spaces} {
		got, err := many.Latest(t.Context(), "i", asked...)
		must(t, err)
		for _, n := range asked {
			x, ok := got[n]
			if v := value(t, s, key(n, "i")); ok != (v != "-") || ok && string(x.Value) != v {
				t.Errorf("space %d has %q, not %q", n, v, x.Value)
			}
			want := store.Record{}
			for r, err := range s.Log(t.Context(), store.Cut{Space: n, First: 1, Last: store.MaxNumber, Heads: true}, store.Descending) {
				must(t, err)
				want = r
				break
			}
			if len(want.Value) > store.MostAhead {
				want.Value = nil
			}
			if x.Long != (n == longest) {
				t.Errorf("the last record of space %d is long: %v", n, x.Long)
			}
			if ok && (x.Last.Space != want.Space || x.Last.Number != want.Number || string(x.Last.Value) != string(want.Value) ||
				x.Last.Rest != nil) {
				t.Errorf("the last record of space %d is %+v, not %+v", n, want, x.Last)
			}
			delete(got, n)
		}
		if len(got) > 0 {
			t.Errorf("asked for %v it tells of %v too", asked, got)
		}
	}
}
