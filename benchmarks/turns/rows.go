package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/benchmarks/talk"
)

// measured is how many turns are measured after those that are there.
const measured = 200

func durableTurn(of func(cost) figure) func(*bench, int) (ours, plain figure) {
	return func(b *bench, n int) (ours, plain figure) {
		s, c := b.context()
		defer s.Close()
		p := b.plainContext()
		defer p.db.Close()
		list, texts := make([]func(*pact.Batch) error, measured), make([][4]string, measured)
		for i := range list {
			list[i], texts[i] = talk.Say(n+i), talk.Messages(n+i)
		}
		_, err := c.Commit(b.ctx, &pact.CommitOptions{Edit: list[0]}) // the first one after opening looks things up
		must(err)
		both := inTurns(measured, func(i int) {
			_, err := c.Commit(b.ctx, &pact.CommitOptions{Edit: list[i]})
			must(err)
		}, func(i int) { must(p.add(b.ctx, n+i, texts[i])) })
		return of(both[0]), of(both[1])
	}
}

// heap is the memory in use after a collection.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func heapOfNode(b *bench, _ int) (ours, plain figure) {
	file := b.filled()
	before := heap()
	s := b.open(file)
	defer s.Close()
	c, err := pact.Open(b.ctx, s, "w", nil)
	must(err)
	after := heap()
	nodes := c.Working().Len()
	runtime.KeepAlive(c)
	return size((after - before) / int64(nodes)), figure{}
}

// heapOfWriter is the memory of a process that wrote all turns and still has the
// context.
func heapOfWriter(b *bench, n int) (ours, plain figure) {
	before := heap()
	s := b.open(filepath.Join(b.dir, "written.db"))
	defer s.Close()
	c, err := pact.Create(b.ctx, s, "w", nil)
	must(err)
	for turn := range n {
		_, err := c.Commit(b.ctx, &pact.CommitOptions{Edit: talk.Say(turn)})
		must(err)
	}
	after := heap()
	runtime.KeepAlive(c)
	return size(after - before), figure{}
}

// heapOfSnapshot is the memory of each further snapshot that a caller holds; the first one brings
// the whole tree into memory, which the others share.
func heapOfSnapshot(b *bench, n int) (ours, plain figure) {
	s := b.open(b.filled())
	defer s.Close()
	c, err := pact.Open(b.ctx, s, "w", nil)
	must(err)
	const many = 200
	inUse := func(held int) int64 {
		var list []*pact.Snapshot
		for snapshot, err := range c.History(b.ctx, pact.Cycle(int64(n-many+1)), "latest") {
			must(err)
			list = append(list[max(0, len(list)-held+1):], snapshot)
		}
		defer runtime.KeepAlive(list)
		return heap()
	}
	one, all := inUse(1), inUse(many)
	return size((all - one) / (many - 1)), figure{}
}

func onDisk(b *bench, _ int) (ours, plain figure) {
	return b.sizeOf(b.filled()), b.sizeOf(b.plainFilled())
}

func onDiskCompacted(b *bench, _ int) (ours, plain figure) { return b.sizeOf(b.compacted()), figure{} }

// sizeOf is the size of a file as a multiple of the contents.
func (b *bench) sizeOf(path string) figure {
	info, err := os.Stat(path)
	must(err)
	return ratio(float64(info.Size()) / (float64(b.turns) * talk.TurnBytes))
}

// rate is bytes a second.
func rate(bytes int, c cost) figure {
	return figure{float64(bytes) / c.cpu.Seconds(), func(v float64) string { return size(int64(v)).String() }}
}

// importing imports the compact form of the history into a file.
func importing(b *bench, _ int) (ours, plain figure) {
	s := b.open(b.filled())
	c, err := pact.Open(b.ctx, s, "w", nil)
	must(err)
	var text bytes.Buffer
	must(c.Export(b.ctx, &text))
	must(s.Close())
	path := filepath.Join(b.dir, "imported.db")
	must(os.RemoveAll(path))
	to := b.open(path)
	defer to.Close()
	took := rounds(1, func(int) {
		_, _, err := pact.ImportHistory(b.ctx, to, "w", bytes.NewReader(text.Bytes()), nil)
		must(err)
	})
	return rate(text.Len(), took), figure{}
}

func verifying(b *bench, n int) (ours, plain figure) {
	s := b.open(b.filled())
	defer s.Close()
	took := rounds(1, func(int) {
		found, err := pact.Verify(b.ctx, s, "w", nil)
		must(err)
		if !found.Holds() {
			must(failure{os.ErrInvalid})
		}
	})
	return rate(n*talk.TurnBytes, took), figure{}
}

func erasing(cycle func(n int) int) func(*bench, int) (figure, figure) {
	return func(b *bench, n int) (ours, plain figure) {
		s, c := b.context()
		defer s.Close()
		took := rounds(1, func(int) {
			id := fmt.Sprintf("block:%d-1", cycle(n))
			_, err := c.Erase(b.ctx, pact.Erasure{IDs: []string{id}, Reason: "measured", Random: rand.Reader})
			must(err)
		})
		return answer{wall: took.wall, cpu: took.cpu}.time(), figure{}
	}
}
