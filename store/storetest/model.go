package storetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// model is a medium in two maps.
type model struct {
	pairs map[store.Key]string
	log   map[[2]int64]string // by space and number
}

// write makes the changes of a batch, or reports that it is refused.
func (m *model) write(b *store.Batch) bool {
	pairs, log := maps.Clone(m.pairs), maps.Clone(m.log)
	for _, e := range b.Expect {
		v, here := m.pairs[e.Key]
		if here == (e.State == store.Absent) || e.State == store.Equal && v != string(e.Value) {
			return false
		}
	}
	added := make(map[[2]int64]bool)
	for _, r := range b.Append {
		at, before := [2]int64{int64(r.Space), r.Number}, [2]int64{int64(r.Space), r.Number - 1}
		_, here := m.log[at]
		_, follows := m.log[before]
		if here || r.Number != 1 && !follows && !added[before] && !b.Cuts(r.Space, r.Number-1) {
			return false
		}
		added[at] = true
	}
	for _, r := range b.Replace {
		if _, here := m.log[[2]int64{int64(r.Space), r.Number}]; !here {
			return false
		}
	}
	for _, d := range b.Delete {
		maps.DeleteFunc(pairs, func(k store.Key, _ string) bool { return k.Space == d.Space && k.Name >= d.From && k.Name < d.To })
	}
	for _, r := range b.Append {
		log[[2]int64{int64(r.Space), r.Number}] = string(r.Value)
	}
	for _, c := range b.Cut {
		maps.DeleteFunc(log, func(k [2]int64, _ string) bool {
			return k[0] == int64(c.Space) && k[1] >= c.First && k[1] <= c.Last
		})
	}
	for _, p := range b.Put {
		pairs[p.Key] = string(p.Value)
	}
	for _, r := range b.Replace {
		log[[2]int64{int64(r.Space), r.Number}] = string(r.Value)
	}
	m.pairs, m.log = pairs, log
	return true
}

// testAgreesWithModel writes random batches and compares all that the medium holds.
func testAgreesWithModel(t *testing.T, suite Suite) {
	s := suite.Open(t)
	random := rand.New(rand.NewPCG(1, uint64(testrun.Size(t, 60, 300, 3000))))
	m := &model{map[store.Key]string{}, map[[2]int64]string{}}
	name := func() string { return strings.Repeat(string(rune('a'+random.IntN(3))), 1+random.IntN(3)) }
	space := func() store.Space { return store.Space(random.IntN(3)) }
	for step := range testrun.Size(t, 60, 300, 3000) {
		var b store.Batch
		used := make(map[store.Key]bool)
		for range random.IntN(4) {
			p := pair(space(), name(), fmt.Sprint(step))
			if !used[p.Key] {
				used[p.Key], b.Put = true, append(b.Put, p)
			}
		}
		if random.IntN(3) == 0 {
			e := store.Expectation{Key: key(space(), name()), State: store.State(random.IntN(3))}
			e.Value = []byte(m.pairs[e.Key])
			b.Expect = append(b.Expect, e)
		}
		if random.IntN(4) == 0 {
			b.Delete = append(b.Delete, store.Span{Space: space(), From: name(), To: name()})
		}
		of := space()
		next := int64(1)
		for k := range m.log {
			if k[0] == int64(of) {
				next = max(next, k[1]+1)
			}
		}
		switch random.IntN(5) {
		case 0:
			b.Append = []store.Record{record(of, next, fmt.Sprint("r", step)), record(of, next+1, fmt.Sprint("s", step))}
		case 1:
			b.Append = []store.Record{record(of, max(1, next-int64(random.IntN(3))+1), "a gap or one that is there")}
		case 2:
			b.Replace = []store.Record{record(of, max(1, next-1-int64(random.IntN(2))), fmt.Sprint("t", step))}
		case 3:
			first := 1 + random.Int64N(next)
			b.Cut = []store.Cut{{Space: of, First: first, Last: min(first+random.Int64N(3), next-2)}}
		case 4:
			if next > 1 {
				b.Append = []store.Record{record(of, next, "cut at once"), record(of, next+2, fmt.Sprint("u", step))}
				b.Cut = []store.Cut{{Space: of, First: 1, Last: next + 1 - int64(random.IntN(2))}}
			}
		}
		err := s.Write(t.Context(), &b)
		if took := m.write(&b); took != (err == nil) || err != nil && !errors.Is(err, store.ErrRefused) {
			t.Fatalf("step %d: the model took the batch: %v, the medium: %v\n%+v", step, took, err, b)
		}
		if suite.Reopen != nil && random.IntN(40) == 0 {
			s = suite.Reopen(t, s)
		}
		for of := range store.Space(3) {
			want(t, fmt.Sprint("step ", step, ", pairs"), pairs(t, s, all(of), store.Ascending), m.dump(of))
			want(t, fmt.Sprint("step ", step, ", log"), records(t, s, store.Cut{Space: of, First: 1, Last: store.MaxNumber}, store.Ascending),
				m.dumpLog(of))
		}
	}
}

func (m *model) dump(of store.Space) string {
	var list []string
	for k, v := range m.pairs {
		if k.Space == of {
			list = append(list, k.Name+"="+v)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (m *model) dumpLog(of store.Space) string {
	var list []string
	for _, k := range slices.SortedFunc(maps.Keys(m.log), func(a, b [2]int64) int { return int(a[1] - b[1]) }) {
		if k[0] == int64(of) {
			list = append(list, m.log[k])
		}
	}
	return strings.Join(list, " ")
}
