package main

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Why a step is above most.
const (
	stampsOfFollowers = "every sibling that must follow gets a stamp: n insertions give n²/2 of them (decision 010)"
	snapshotsPrinted  = "the snapshots that it prints grow by sixteen; --compact does not"
	waiting           = "the work grows as its allocations do; more of it waits for memory"
	storesToCome      = "the goal of the work on stores"
	paths             = "n log n, since each change copies a path, and memory that the processor's cache no longer holds"
)

// rows are the calls that were found to grow faster than their input, and those that belong to them.
var rows = []row{
	{"pact verify of n turns in a file", 500, paths, verify},
	{"inserting in front of all siblings, n times", 250, stampsOfFollowers,
		insert(func(int) string { return "(d0, cont[offset=0], )" })},
	{"inserting in the middle, n times", 250, stampsOfFollowers, insert(func(there int) string {
		if there < 2 {
			return "(d0, cont[offset=0], end)"
		}
		return fmt.Sprintf("(d0, cont[offset=0], +%d)", there/2)
	})},
	{"inserting at the end, n times", 4_000, paths, insert(func(int) string { return "(d0, cont[offset=0], end)" })},
	{"adding n siblings and reordering them once", 4_000, paths, reorder},
	{"pact apply of n adds and commits", 200, snapshotsPrinted, apply()},
	{"… --compact", 200, paths, apply("--compact")},
	{"updating n nodes of one cycle in a file that was just opened, at once", 2_000, paths, reopened(false)},
	{"… one by one", 250, paths, reopened(true)},
	{"20 commits at a limit of n turns", 1_000, storesToCome,
		atLimit(func(n int) lifecycle.Policy { return lifecycle.Policy{MaxTurns: n} })},
	{"20 commits at a limit of the bytes of n turns", 1_000, storesToCome,
		atLimit(func(n int) lifecycle.Policy { return lifecycle.Policy{MaxBytes: 200 * n} })},
	{"pruning n blocks to half under 64 limits", 1_000, waiting, manyParts},
	{"a component for each of n keys, in three cycles", 250, paths, components},
	{"pruning beside a call with n results", 250, waiting, results},
	{"pruning a chain of n mutual references with a pinned end", 250, waiting, chain},
	{"a fork of a fork, n times", 50, "", forking},
	{"… opening the last and rendering its thread", 50, waiting, lastFork(func(b *bench, c *pact.Context) {
		s, err := c.At(b.ctx, pact.Latest())
		must(err)
		_, err = s.Thread(b.ctx)
		must(err)
	})},
	{"… reading the first snapshot in the last", 50, waiting, lastFork(func(b *bench, c *pact.Context) {
		_, err := c.At(b.ctx, pact.Cycle(1))
		must(err)
	})},
	{"… erasing one node out of all", 50, "", lastFork(func(b *bench, c *pact.Context) {
		_, err := c.Erase(b.ctx, pact.Erasure{IDs: []string{"told"}, Reason: "measured", Random: rand.Reader})
		must(err)
	})},
	{"n undos in a row", 50, waiting, undoing(false)},
	{"a commit and its undo, n times", 50, waiting, undoing(true)},
	{"opening a file and asking for a snapshot 30 cycles back, in a window of 60 turns, after n turns", 200, storesToCome,
		window},
}

func verify(b *bench, n int) func() {
	path := b.fill(func(s *pact.DB) { b.turns(b.create(s), n, nil) })
	return func() { b.pact(nil, "verify", "chat", "--db", path) }
}

// insert inserts one by one, each an edit of its own, where position says.
func insert(position func(there int) string) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		c := b.create(pact.NewDB(store.NewMemory()))
		return func() {
			for there := range n {
				b.edit(c, func(x *pact.Batch) error {
					x.Add(position(there), pact.Spec{Role: "user", Content: "one more"})
					return nil
				})
			}
		}
	}
}

func reorder(b *bench, n int) func() {
	c := b.create(pact.NewDB(store.NewMemory()))
	return func() {
		b.edit(c, func(x *pact.Batch) error {
			ids := make([]string, n)
			for i := range ids {
				ids[n-1-i] = x.Add("^ah", pact.Spec{Role: "user", Content: "one more"})
			}
			x.Reorder(ids...)
			return nil
		})
	}
}

func apply(flags ...string) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		var ops strings.Builder
		for i := range n {
			ops.WriteString(`{"op":"add","into":"^ah","node":{"role":"user","content":"Hello ` + strconv.Itoa(i) + `"}}` + "\n" +
				`{"op":"commit"}` + "\n")
		}
		return func() { b.pact([]byte(ops.String()), append([]string{"apply", "-"}, flags...)...) }
	}
}

func reopened(oneByOne bool) func(*bench, int) func() {
	return func(b *bench, n int) func() {
		ids := make([]string, n)
		path := b.fill(func(s *pact.DB) {
			b.edit(b.create(s), func(x *pact.Batch) (err error) {
				for i := range ids {
					ids[i] = x.Add("^sys", pact.Spec{Content: "a rule"})
				}
				return nil
			})
		})
		c, err := pact.Open(b.ctx, b.open(path), "chat", nil)
		must(err)
		step := n
		if oneByOne {
			step = 1
		}
		return func() {
			for at := 0; at < n; at += step {
				b.edit(c, func(x *pact.Batch) error {
					for _, id := range ids[at : at+step] {
						x.Update(id, func(s *pact.Spec) { s.Content = "another rule" })
					}
					return nil
				})
			}
		}
	}
}
