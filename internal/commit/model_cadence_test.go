package commit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"pgregory.net/rapid"
)

// instance is a node of a key as the model has it.
type instance struct {
	key            string
	born, ttl, cad int64 // ttl -1 for none, cad 0 for none
	sys, gone      bool
}

// recurring is a naive model of keys, cadences and their overlaps: a list of all that ever came.
type recurring struct {
	cycle int64 // of the commit to come
	all   []*instance
	ended map[string]bool
}

func (m *recurring) newest(key string) (last *instance) {
	for _, i := range m.all {
		if i.key == key {
			last = i
		}
	}
	return last
}

// add reports whether the invariant allows another node of the key.
func (m *recurring) add(n instance) bool {
	for _, i := range m.all {
		if i.key == n.key && !i.gone && i.sys == n.sys && (n.sys || i.born == m.cycle) {
			return false
		}
	}
	if n.sys && n.cad > 0 && (n.ttl < 0 || n.ttl > n.cad) {
		return false
	}
	n.born = m.cycle
	m.all = append(m.all, &n)
	m.ended[n.key] = false
	return true
}

func (m *recurring) commit() {
	for _, key := range []string{"a", "b"} {
		if i := m.newest(key); i != nil && !m.ended[key] && i.cad > 0 && m.cycle >= i.born+i.cad {
			again := *i
			again.born, again.gone = m.cycle, false
			m.all = append(m.all, &again)
		}
	}
	for _, i := range m.all {
		i.gone = i.gone || i.ttl >= 0 && i.born+i.ttl <= m.cycle
	}
	m.cycle++
}

// living returns the cycles that brought the living nodes of a key.
func (m *recurring) living(key string) (born []int64) {
	for _, i := range m.all {
		if i.key == key && !i.gone {
			born = append(born, i.born)
		}
	}
	slices.Sort(born)
	return born
}

// Specification: 1.0 02 §3.6, 1.0 03 §3.4, 1.0 03 §3.5.
func TestCadenceAgreesWithModel(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		ok := func(err error) {
			t.Helper()
			must(t, err)
		}
		db := pact.NewDB(store.NewMemory())
		now := int64(0)
		c, err := pact.Create(ctx, db, "c", &pact.CreateOptions{Edition: selector.V1,
			OpenOptions: pact.OpenOptions{Clock: func() int64 { now++; return now }}})
		ok(err)
		m := &recurring{cycle: 1, ended: map[string]bool{}}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			n := instance{key: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key"), ttl: rapid.Int64Range(-1, 4).Draw(t, "ttl"),
				cad: rapid.Int64Range(0, 4).Draw(t, "cad"), sys: rapid.Bool().Draw(t, "sys")}
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0:
				if n.ttl == 0 { // it would leave before any snapshot has it
					n.ttl = -1
				}
				spec := pact.Spec{Key: n.key, Content: "x"}
				if n.cad > 0 {
					spec.Cad = &n.cad
				}
				if n.ttl > 0 {
					spec.TTL = &n.ttl
				}
				err := c.Edit(ctx, func(b *pact.Batch) error {
					b.Add(map[bool]string{true: "^sys", false: "^ah"}[n.sys], spec)
					return nil
				}, nil)
				if allowed := m.add(n); allowed != (err == nil) || err != nil && !errors.Is(err, fault.OverlapViolatesODI) {
					t.Fatalf("%+v in cycle %d: %v, the model says %v", n, m.cycle, err, allowed)
				}
			case what == 1: // the newest of ^sys goes
				last := m.newest(n.key)
				if last == nil || last.gone || !last.sys || last.born == m.cycle {
					continue
				}
				ids, err := c.Select(ctx, "(^sys #"+n.key+")", nil)
				ok(err)
				ok(c.Edit(ctx, func(b *pact.Batch) error { b.Remove(ids[0]); return nil }, nil))
				last.gone, m.ended[n.key] = true, true
			case what == 2:
				c, err = pact.Open(ctx, db, "c", &pact.OpenOptions{Clock: func() int64 { now++; return now }})
				ok(err)
			default:
				_, err := c.Commit(ctx, nil)
				ok(err)
				m.commit()
				for _, key := range []string{"a", "b"} {
					got, err := c.Select(ctx, "@t-1 #"+key, nil)
					ok(err)
					var born []int64
					for _, id := range got {
						n, err := c.Working().Node(id)
						ok(err)
						born = append(born, n.Cycle)
					}
					slices.Sort(born)
					if want := m.living(key); !slices.Equal(born, want) {
						t.Fatalf("cycle %d, key %s: born %v, want %v", m.cycle-1, key, born, want)
					}
				}
			}
		}
	})
}

// What comes again does so in a history that was read back, in either form, and in a copy and a fork.
func TestCadenceGoesOnElsewhere(t *testing.T) {
	ctx, c := context.Background(), published(t)
	must(t, c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("(d0, end)", "block {key='K', content='Remember.'} [ttl=2, cad=5]")
		b.Add("(d0, +1)", "block {key='B', content='Stay.'} [cad=3]")
		return nil
	}, nil))
	commits := func(c *pact.Context, n int) {
		for range n {
			_, err := c.Commit(ctx, nil)
			must(t, err)
		}
	}
	commits(c, 3)
	for name, made := range map[string]func() (*pact.Context, error){
		"compact": func() (*pact.Context, error) {
			var b bytes.Buffer
			must(t, c.Export(ctx, &b))
			c, _, err := pact.ImportHistory(ctx, pact.NewDB(store.NewMemory()), "c", &b, nil)
			return c, err
		},
		"snapshots": func() (*pact.Context, error) {
			var b bytes.Buffer
			must(t, c.ExportSnapshots(ctx, &b, pact.Cycle(1), "latest"))
			c, _, err := pact.ImportHistory(ctx, pact.NewDB(store.NewMemory()), "c", &b, nil)
			return c, err
		},
		"copy": func() (*pact.Context, error) { return c.Copy(ctx, pact.NewDB(store.NewMemory()), "copy") },
		"fork": func() (*pact.Context, error) { return c.Fork(ctx, "latest", "fork", nil) },
		"document": func() (*pact.Context, error) { // which has only the keys that still live
			var b bytes.Buffer
			must(t, c.Working().Export(ctx, &b))
			c, _, err := pact.Import(ctx, pact.NewDB(store.NewMemory()), "c", b.Bytes(), nil)
			return c, err
		},
	} {
		other, err := made()
		must(t, err)
		commits(other, 3)
		for key, want := range map[string]int{"K": map[bool]int{name == "document": 0, name != "document": 1}[true], "B": 2} {
			if got, err := other.Select(ctx, "@t-1 #"+key, nil); err != nil || len(got) != want {
				t.Errorf("%s: %d nodes of %s in cycle 6, want %d, %v", name, len(got), key, want, err)
			}
		}
	}
	var living []string
	for cycle := int64(4); cycle <= 12; cycle++ {
		commits(c, 1)
		k, err := c.Select(ctx, "@t-1 #K", nil)
		must(t, err)
		b, err := c.Select(ctx, "@t-1 #B", nil)
		must(t, err)
		living = append(living, fmt.Sprint(len(k), len(b)))
	}
	if want := []string{"0 2", "0 2", "1 2", "1 3", "0 3", "0 3", "0 4", "1 4", "1 4"}; !slices.Equal(living, want) {
		t.Errorf("%q, want %q", living, want)
	}
}
