package main

import (
	"math"
	"testing"
	"time"
)

// One core that is half busy, with times as random as the arrivals, is the queue
// M/M/1: the time that one in a hundred goes beyond is known, s/(1-ρ)·ln 100, and so
// is how many are there at once that often.
func TestSimulateOneCore(t *testing.T) {
	const service = 10 * time.Millisecond
	q := simulate(50, service, service, 1)
	want := service.Seconds() / (1 - 0.5) * math.Log(100)
	if got := q.p99.Seconds(); got < 0.75*want || got > 1.25*want {
		t.Errorf("p99 is %v, in theory %.3f s", q.p99, want)
	}
	// P(n or more) = ρⁿ, and an arrival finds them and is one more.
	if n := 1 + math.Log(0.01)/math.Log(0.5); math.Abs(float64(q.connections)-n) > 2 {
		t.Errorf("%d are there at once, in theory %.1f", q.connections, n)
	}
}

// Where there are more cores than the load needs, no commit waits: what is left is the
// time of the longest one in a hundred, s·ln 100, and what it takes alone.
func TestSimulateWithoutWaiting(t *testing.T) {
	const service, latency = 10 * time.Millisecond, 25 * time.Millisecond
	q := simulate(200, service, latency, 64)
	want := (latency - service).Seconds() + service.Seconds()*math.Log(100)
	if got := q.p99.Seconds(); got < 0.9*want || got > 1.1*want {
		t.Errorf("p99 is %v, in theory %.3f s", q.p99, want)
	}
	if again := simulate(200, service, latency, 64); again != q {
		t.Errorf("another run says %+v, not %+v", again, q)
	}
}

// A load that hardly comes does not wait.
func TestSimulateNothing(t *testing.T) {
	if q := simulate(1e-6, time.Millisecond, 3*time.Millisecond, 1); q != (queue{1, 3 * time.Millisecond}) {
		t.Errorf("got %+v", q)
	}
}
