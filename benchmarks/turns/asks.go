package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store/sqlite"
)

// answer is the cost of an answer.
type answer struct {
	wall   time.Duration
	cpu    time.Duration
	memory int64 // bytes that were resident at most
}

// time is how long it took, with what the processors worked of that.
func (a answer) time() figure {
	return figure{float64(a.wall), func(v float64) string {
		return seconds(time.Duration(v)).String() + ", processor " + seconds(a.cpu).String()
	}}
}

const tries = 5

// ask is the work of a process that asks a file one question.
func ask(ctx context.Context, what, file string) error {
	side, question, _ := strings.Cut(what, ":")
	switch side {
	case "start": // what a process costs that asks nothing
		return nil
	case "plain":
		p, err := openPlain(ctx, file)
		if err != nil {
			return err
		}
		n, err := p.ask(ctx, question)
		if err == nil && n == 0 {
			err = errors.New("no rows were found")
		}
		return errors.Join(err, p.db.Close())
	}
	s, err := dbtest.Open(sqlite.Open(ctx, file))
	if err != nil {
		return err
	}
	defer s.Close()
	c, err := pact.Open(ctx, s, "w", nil)
	if err != nil {
		return err
	}
	return askOurs(ctx, c, question)
}

func askOurs(ctx context.Context, c *pact.Context, question string) error {
	cycle := c.Info().Cycle
	found := 0
	read := func(text string) error {
		hits, err := c.Find(ctx, text, nil)
		if err != nil {
			return err
		}
		for _, h := range hits {
			text, err := h.Node.Text(ctx)
			if err != nil {
				return err
			}
			found += len(text)
		}
		return nil
	}
	var err error
	switch question {
	case "node":
		err = read(fmt.Sprintf("[id='block:%d-1']", cycle/2))
	case "key":
		err = read(fmt.Sprintf("#'block:%d-1'", cycle/2))
	case "last":
		err = read("^seq .seg:depth(1-3) .block")
	case "diff":
		d, failed := c.Diff(ctx, pact.Cycle(cycle-1), "latest", nil)
		if err = failed; err == nil {
			found = len(d.Added)
		}
	case "life":
		_, err = c.Timeline(ctx, fmt.Sprintf("block:%d-1", cycle/2))
		found = 1
	case "prefixes":
		for _, failed := range c.Prefixes(ctx, pact.Cycle(1), "latest") {
			err = cmp.Or(err, failed)
			found++
		}
	case "grep":
		_, err = view.Grep(ctx, c, pact.Cycle(1), "latest", "", regexp.MustCompile("no such word"), func(int64) { found++ })
	case "half":
		s, failed := c.At(ctx, pact.Cycle(cycle/2))
		if err = failed; err == nil {
			var thread []byte
			thread, err = s.Thread(ctx)
			found = len(thread)
		}
	}
	if err == nil && found == 0 {
		err = errors.New("nothing was found")
	}
	return err
}

// process runs a process that asks, a few times, and returns the least it took.
func (b *bench) process(what, file string) answer {
	if known, ok := b.asked[what+file]; ok {
		return known
	}
	var best answer
	for try := range tries {
		self, err := os.Executable()
		must(err)
		cmd := exec.CommandContext(b.ctx, self, "-ask", what, "-file", file)
		cmd.Stderr = os.Stderr
		began := time.Now()
		said, err := cmd.Output()
		took := time.Since(began)
		must(err)
		memory, err := strconv.ParseInt(strings.TrimSpace(string(said)), 10, 64)
		must(err)
		worked := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if a := (answer{took, worked, memory}); try == 0 || a.wall < best.wall {
			best = a
		}
		if took > 5*time.Second {
			break
		}
	}
	b.asked[what+file] = best
	return best
}

// above is the cost of a process above one that asks nothing.
func (b *bench) above(what, file string) answer {
	start, a := b.process("start:", ""), b.process(what, file)
	return answer{a.wall - start.wall, max(0, a.cpu-start.cpu), a.memory - start.memory}
}

func asking(question string) func(*bench, int) (ours, plain figure) {
	return func(b *bench, _ int) (ours, plain figure) {
		return b.above("ours:"+question, b.filled()).time(), b.above("plain:"+question, b.plainFilled()).time()
	}
}

func askingOurs(question string) func(*bench, int) (ours, plain figure) {
	return func(b *bench, _ int) (ours, plain figure) {
		return b.above("ours:"+question, b.filled()).time(), figure{}
	}
}

func askingCompacted(b *bench, _ int) (ours, plain figure) {
	return b.above("ours:last", b.compacted()).time(), b.above("plain:last", b.plainFilled()).time()
}

func askingMemory(b *bench, _ int) (ours, plain figure) {
	return size(b.above("ours:node", b.filled()).memory), size(b.above("plain:node", b.plainFilled()).memory)
}

// askingFewAlive asks a file in which all but 50 turns were pruned.
func askingFewAlive(b *bench, _ int) (ours, plain figure) {
	few := b.fill("few.db", &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: 50}})
	return b.above("ours:last", few).time(), figure{}
}
