package librarytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// secret is the text that is erased in the tests of handles.
const secret = "Jane Doe"

// readings are the calls of a Context that give out what snapshots hold, each as
// text. They fail or give the state of after an erasure by any handle.
var readings = map[string]func(*testing.T, *pact.Context) (string, error){
	"At working": func(t *testing.T, c *pact.Context) (string, error) { return textAt(t, c, pact.Working()) },
	"At latest":  func(t *testing.T, c *pact.Context) (string, error) { return textAt(t, c, pact.Latest()) },
	"At cycle":   func(t *testing.T, c *pact.Context) (string, error) { return textAt(t, c, pact.Cycle(2)) },
	"At before":  func(t *testing.T, c *pact.Context) (string, error) { return textAt(t, c, pact.Back(1)) },
	"History": func(t *testing.T, c *pact.Context) (text string, err error) {
		for s, err := range c.History(background, pact.Cycle(1), pact.Latest()) {
			if err != nil {
				return "", err
			}
			text += textOf(t, s)
		}
		return text, nil
	},
	"Select": func(_ *testing.T, c *pact.Context) (string, error) {
		ids, err := c.Select(background, `@t0 [role='user'][content~'Jane']`, nil)
		return strings.Repeat(secret, len(ids.IDs)), err
	},
	"Find": func(_ *testing.T, c *pact.Context) (string, error) {
		hits, err := c.Find(background, "[role='user']", nil)
		var text strings.Builder
		for _, h := range hits {
			content, failed := h.Node.Text(background)
			err = errors.Join(err, failed)
			fmt.Fprintln(&text, content)
		}
		return text.String(), err
	},
	"Explain": func(_ *testing.T, c *pact.Context) (string, error) {
		x, err := c.Explain(background, `[role='user'][content~'Jane']`, nil)
		if err != nil {
			return "", err
		}
		return strings.Repeat(secret, x.Returned), nil
	},
	"Diff": func(_ *testing.T, c *pact.Context) (string, error) {
		d, err := c.Diff(background, pact.Latest(), pact.Working(), &pact.DiffOptions{
			Select: `[role='user'][content~'Jane']`})
		if err != nil {
			return "", err
		}
		return strings.Repeat(secret, len(d.Added)+len(d.Removed)+len(d.Changed)), nil
	},
	"RichDiff": func(_ *testing.T, c *pact.Context) (string, error) {
		d, err := c.RichDiff(background, pact.Cycle(1), pact.Working(), nil)
		text, failed := json.Marshal(d)
		return string(text), errors.Join(err, failed)
	},
	"RangeDiffLatest": func(_ *testing.T, c *pact.Context) (string, error) {
		d, err := c.RangeDiffLatest(background, "@t-1..@t0 #rule", &pact.RangeOptions{
			Materialize: []string{"content"}, IncludeContent: true})
		text, failed := json.Marshal(d)
		return string(text), errors.Join(err, failed)
	},
	"Export": func(_ *testing.T, c *pact.Context) (string, error) {
		var b bytes.Buffer
		err := c.Export(background, &b)
		return b.String(), err
	},
	"ExportSnapshots": func(_ *testing.T, c *pact.Context) (string, error) {
		var b bytes.Buffer
		err := c.ExportSnapshots(background, &b, pact.Cycle(1), pact.Latest())
		return b.String(), err
	},
	"Copy": func(t *testing.T, c *pact.Context) (string, error) {
		to, err := c.Copy(background, pact.NewDB(store.NewMemory()), "copy")
		if err != nil {
			return "", err
		}
		return textOf(t, to.Working()), nil
	},
	"Prepare": func(t *testing.T, c *pact.Context) (string, error) {
		s, err := c.Prepare(background, nil)
		if err != nil {
			return "", err
		}
		return textOf(t, s.Snapshot), nil
	},
	"Send": func(_ *testing.T, c *pact.Context) (string, error) {
		var b bytes.Buffer
		_, err := c.Send(background, &b, nil)
		return b.String(), err
	},
	"StartAttempt": func(_ *testing.T, c *pact.Context) (string, error) {
		var b bytes.Buffer
		_, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m"}, &b, nil)
		return b.String(), err
	},
	"Fork": func(t *testing.T, c *pact.Context) (string, error) {
		f, err := c.Fork(background, pact.Latest(), "fork of the other", nil)
		if err != nil {
			return "", err
		}
		return textOf(t, f.Working()), nil
	},
	"Refresh": func(t *testing.T, c *pact.Context) (string, error) {
		err := c.Refresh(background)
		return textOf(t, c.Working()), err
	},
}

func textAt(t *testing.T, c *pact.Context, a pact.Address) (string, error) {
	s, err := c.At(background, a)
	if err != nil {
		return "", err
	}
	return textOf(t, s), nil
}

// writings are the calls of a Context that change what it held of before.
var writings = map[string]func(*pact.Context) error{
	"Edit":   func(c *pact.Context) error { return c.Edit(background, say("late"), nil) },
	"Commit": func(c *pact.Context) error { _, err := c.Commit(background, nil); return err },
	"Undo":   func(c *pact.Context) error { _, err := c.Undo(background, nil); return err },
}

// handles open pairs of handles on one empty store: two contexts in one process
// have the same one, two processes have one each.
var handles = map[string]func(*testing.T) [2]*pact.DB{
	"memory": func(*testing.T) [2]*pact.DB {
		s := pact.NewDB(store.NewMemory())
		return [2]*pact.DB{s, s}
	},
	"sqlite": func(t *testing.T) [2]*pact.DB {
		s := opened(t, filepath.Join(t.TempDir(), "pact.db"))
		return [2]*pact.DB{s, s}
	},
	"two of sqlite": func(t *testing.T) [2]*pact.DB {
		path := filepath.Join(t.TempDir(), "pact.db")
		return [2]*pact.DB{opened(t, path), opened(t, path)}
	},
}

func opened(t *testing.T, path string) *pact.DB {
	t.Helper()
	s, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestErasureReachesHandles erases through one handle, with everything that another
// one gives out in its memory, and then makes each call through the other one.
func TestErasureReachesHandles(t *testing.T) {
	for pair, open := range handles {
		stale := func(t *testing.T) (stale *pact.Context, in *pact.DB) {
			on := open(t)
			c := create(t, on[0], pact.CreateOptions{Edition: selector.Canonical})
			_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "be kind"})
				return nil
			}})
			must(t, err)
			_, err = c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				b.Update("rule", func(s *pact.Spec) { s.Content = "be kind to " + secret })
				return say("I am " + secret)(b)
			}})
			must(t, err)
			must(t, c.Edit(background, say(secret+" again"), nil))
			other, err := pact.Open(background, on[1], "c", &pact.OpenOptions{Clock: steps()})
			must(t, err)
			_, err = other.Prepare(background, nil)
			must(t, err)
			for name, read := range readings {
				if name == "Fork" || name == "StartAttempt" { // which change the store
					continue
				}
				if text, err := read(t, other); err != nil || !strings.Contains(text, "Jane") &&
					name != "At before" {
					t.Errorf("%s before the erasure: %q, %v", name, text, err)
				}
			}
			_, err = c.Erase(background, pact.Erasure{Texts: []string{secret}, Reason: "asked for", Random: chance()})
			must(t, err)
			return other, on[1]
		}
		for name, read := range readings {
			t.Run(pair+"/"+name, func(t *testing.T) {
				c, in := stale(t)
				text, err := read(t, c)
				must(t, err)
				if strings.Contains(text, "Jane") {
					t.Errorf("it gives out %s", text)
				}
				if list := verdicts(t, in); len(list) > 0 {
					t.Errorf("verify says %q", list)
				}
			})
		}
		for name, write := range writings {
			t.Run(pair+"/"+name, func(t *testing.T) {
				c, in := stale(t)
				if err := write(c); !errors.Is(err, fault.Conflict) {
					t.Errorf("it changed what it did not know: %v", err)
				}
				if list := verdicts(t, in); len(list) > 0 {
					t.Errorf("verify says %q", list)
				}
			})
		}
	}
}

// TestWhatAsksNobodyAnswersFromWhatWasLoadedLast erases through one handle. The calls of another
// one that ask no store answer as before, until a call that asks has loaded the context again.
func TestWhatAsksNobodyAnswersFromWhatWasLoadedLast(t *testing.T) {
	for pair, open := range handles {
		t.Run(pair, func(t *testing.T) {
			on := open(t)
			c := create(t, on[0])
			_, err := c.Commit(background, &pact.CommitOptions{Edit: say("I am " + secret)})
			must(t, err)
			other, err := pact.Open(background, on[1], "c", &pact.OpenOptions{Clock: steps()})
			must(t, err)
			told := func() string {
				first, last := other.Cycles()
				release, err := other.Retain("cb:1-0")
				must(t, err)
				release()
				return fmt.Sprintln(other.Name(), first, last, other.Revision(), other.Working().Digest())
			}
			before := told()
			must(t, pact.Rename(background, on[0], "c", "d"))
			_, err = c.Erase(background, pact.Erasure{Texts: []string{secret}, Reason: "asked for", Random: chance()})
			must(t, err)
			if strings.Contains(textOf(t, c.Working()), secret) {
				t.Error("the handle that erased has the text")
			}
			if after := told(); after != before {
				t.Errorf("before the erasure %s, after it %s", before, after)
			}
			_, err = other.At(background, pact.Working())
			must(t, err)
			if want := fmt.Sprintln("d", 1, 1, 3, c.Working().Digest()); told() != want {
				t.Errorf("loaded again it is %s, want %s", told(), want)
			}
			if strings.Contains(textOf(t, other.Working()), secret) {
				t.Error("loaded again it has the text")
			}
		})
	}
}

// TestForksDuringErasures forks through one handle while another one erases, again and again, and
// writes to the forks: no fork has the text once the erasure is over.
func TestForksDuringErasures(t *testing.T) {
	for pair, open := range handles {
		t.Run(pair, func(t *testing.T) {
			on := open(t)
			var now atomic.Int64
			clock := pact.OpenOptions{Clock: func() int64 { return now.Add(1) }}
			c := create(t, on[0], pact.CreateOptions{OpenOptions: clock})
			for round := range 8 {
				must(t, c.Edit(background, say(fmt.Sprint("I am ", secret, " ", round)), nil))
				_, err := c.Commit(background, nil)
				must(t, err)
				other, err := pact.Open(background, on[1], "c", &clock)
				must(t, err)
				var forks []*pact.Context
				var forking sync.WaitGroup
				forking.Go(func() {
					for i := range 4 {
						f, err := other.Fork(background, pact.Latest(), fmt.Sprint("fork ", round, " ", i), nil)
						if err != nil {
							t.Error(err)
							return
						}
						forks = append(forks, f)
						again, err := pact.Open(background, on[1], f.Name(), &clock)
						if err != nil {
							t.Error(err)
							return
						}
						forks = append(forks, again)
						for _, x := range []*pact.Context{f, again} {
							err := x.Edit(background, say(fmt.Sprint("written ", i)), nil)
							if err == nil {
								_, err = x.Commit(background, nil)
							}
							if err != nil && !errors.Is(err, fault.Conflict) {
								t.Error(err)
							}
						}
					}
				})
				for {
					_, err = c.Erase(background, pact.Erasure{Texts: []string{secret}, Reason: "asked for", Random: chance()})
					if !errors.Is(err, fault.Conflict) {
						break
					}
				}
				must(t, err)
				forking.Wait()
				// A fork that came about before the erasure is of its family; one that came
				// about later has nothing left to be erased.
				for _, f := range append(forks, other) {
					for _, a := range []pact.Address{pact.Working(), pact.Latest()} {
						if text, err := textAt(t, f, a); err != nil || strings.Contains(text, "Jane") {
							t.Errorf("%s at %v: %s, %v", f.Name(), a, text, err)
						}
					}
				}
			}
			if list := verdicts(t, on[1]); len(list) > 0 {
				t.Errorf("verify says %q", list)
			}
		})
	}
}
