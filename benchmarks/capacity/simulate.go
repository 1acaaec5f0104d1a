package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// queue is the outcome of a minute of commits.
type queue struct {
	connections int // in use at once at most, 99 % of the time
	p99         time.Duration
}

// simulate has commits come in at a mean rate a second, at random moments, for a
// minute. Each takes one of the cores for a time that varies about its mean, and
// waits for one where all are busy; above that it takes what it takes alone: the way
// there and the disk. The numbers are the same at each run.
func simulate(rate float64, processor, latency time.Duration, cores int) queue {
	const minute = 60.0
	r := rand.New(rand.NewPCG(1, 2))
	busy := make(ends, cores) // when each core is free again
	alone := max(0, latency.Seconds()-processor.Seconds())
	var took []float64
	var inUse []int
	var open ends
	for at := r.ExpFloat64() / rate; at < minute; at += r.ExpFloat64() / rate {
		begins := max(at, busy[0])
		busy[0] = begins + processor.Seconds()*r.ExpFloat64()
		done := busy[0] + alone
		heap.Fix(&busy, 0)
		took = append(took, done-at)
		for len(open) > 0 && open[0] <= at {
			heap.Pop(&open)
		}
		heap.Push(&open, done)
		inUse = append(inUse, len(open))
	}
	if len(took) == 0 {
		return queue{1, latency}
	}
	slices.Sort(took)
	slices.Sort(inUse)
	high := func(n int) int { return min(n-1, int(math.Ceil(0.99*float64(n)))) }
	return queue{inUse[high(len(inUse))], time.Duration(took[high(len(took))] * float64(time.Second))}
}

// ends is a heap of moments, the earliest first.
type ends []float64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(v any)        { *e = append(*e, v.(float64)) }

func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
