//go:build unix

package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
)

// The load of TestSoak.
const (
	soakContexts = 1000
	soakWriters  = 200
	soakStreams  = 20
	soakReaders  = 20
)

// soak is pact serve under load, in one process or two. The first is killed and started again at the
// same address.
type soak struct {
	t           *testing.T
	program, db string
	at          []string // the address of each process
	process     []*exec.Cmd
	client      *http.Client
	ended       context.Context

	mu        sync.Mutex
	latencies []time.Duration
	cycles    [soakContexts]int // acknowledged commits of each context

	events, reads, repeated atomic.Int64
}

// TestSoak commits to 1,000 contexts over 200 connections while 20 streams of events are read and
// 20 readers ask what an inspector asks. Half way the server is killed with SIGKILL and started
// again. Each context must then have exactly the commits that were acknowledged. Of two processes on
// one PostgreSQL one is killed, and each client goes on at the other until both tell the same of
// each context.
func TestSoak(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("PACT_SOAK_SECONDS"))
	if err != nil {
		t.Skip("left out: PACT_SOAK_SECONDS=60 runs it")
	}
	program := filepath.Join(t.TempDir(), "pact")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/pact").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "soak.db")
	for _, load := range []struct {
		name, db  string
		processes int
	}{{"sqlite", file, 1}, {"postgres", postgrestest.Database(t), 1}, {"two on postgres", postgrestest.Database(t), 2}} {
		t.Run(load.name, func(t *testing.T) {
			s := &soak{t: t, program: program, db: load.db, process: make([]*exec.Cmd, load.processes),
				client: &http.Client{Transport: &http.Transport{
					MaxConnsPerHost: soakWriters + soakStreams + soakReaders, MaxIdleConnsPerHost: soakWriters}}}
			for range load.processes {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				must(t, err)
				s.at = append(s.at, listener.Addr().String())
				listener.Close()
			}
			s.run(time.Duration(seconds) * time.Second)
		})
	}
}

// start starts process i and waits until it serves.
func (s *soak) start(i int) {
	s.t.Helper()
	process := exec.Command(s.program, "serve", "--addr", s.at[i], "--no-token", "--db", s.db)
	process.Stderr = os.Stderr
	s.process[i] = process
	s.t.Cleanup(func() { // a second kill of a process that ended does nothing
		_ = process.Process.Kill()
	})
	out, err := process.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
}

// send sends a request to process i until it is answered, for a minute at most, as a client does that
// knows no better than to try the next process.
func (s *soak) send(i int, method, path, key, body string) (int, []byte) {
	for until := time.Now().Add(time.Minute); ; i++ {
		if time.Now().After(until) {
			s.t.Errorf("%s %s was not answered for a minute", method, path)
			return 0, nil
		}
		q, err := http.NewRequest(method, "http://"+s.at[i%len(s.at)]+path, strings.NewReader(body))
		if err != nil {
			s.t.Error(err)
			return 0, nil
		}
		if body != "" {
			q.Header.Set("Content-Type", "application/json")
		}
		if key != "" {
			q.Header.Set("Idempotency-Key", key)
		}
		answer, err := s.client.Do(q)
		if err == nil {
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err == nil && answer.StatusCode != http.StatusServiceUnavailable &&
				answer.StatusCode != http.StatusTooManyRequests {
				return answer.StatusCode, text
			}
		}
		s.repeated.Add(1)
		time.Sleep(20 * time.Millisecond)
	}
}

func (s *soak) run(length time.Duration) {
	for i := range s.process {
		s.start(i)
	}
	for i := range soakContexts {
		status, text := s.send(i, "POST", "/v1/contexts", "", fmt.Sprintf(`{"name":"c%d"}`, i))
		if status != http.StatusCreated {
			s.t.Fatalf("%d %s", status, text)
		}
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), length)
	defer cancel()
	s.ended = ctx
	var load sync.WaitGroup
	for w := range soakWriters {
		load.Go(func() { s.write(w) })
	}
	for i := range soakStreams {
		load.Go(func() { s.follow(i) })
	}
	for i := range soakReaders {
		load.Go(func() { s.ask(i) })
	}
	time.Sleep(length / 2)
	memory := s.memory()
	if err := s.process[0].Process.Kill(); err != nil {
		s.t.Error(err)
	}
	_ = s.process[0].Wait()
	s.start(0)
	load.Wait()
	memory = max(memory, s.memory())
	if memory > 1<<30 {
		s.t.Errorf("the server took %d MB", memory>>20)
	}
	commits := 0
	for i, want := range s.cycles {
		var said []string
		for process := range s.process {
			var got struct{ Cycles int }
			path := fmt.Sprintf("/v1/contexts/c%d", i)
			_, text := s.send(process, "GET", path, "", "")
			if json.Unmarshal(text, &got) != nil || got.Cycles != want {
				s.t.Errorf("c%d has %d cycles, and %d commits were acknowledged: %s", i, got.Cycles, want, text)
			}
			_, log := s.send(process, "GET", path+"/log", "", "")
			said = append(said, string(text)+string(log))
		}
		if said[0] != said[len(said)-1] {
			s.t.Errorf("the processes tell of c%d\n%s\nand\n%s", i, said[0], said[len(said)-1])
		}
		commits += want
	}
	for _, process := range s.process {
		_ = process.Process.Signal(os.Interrupt)
		if err := process.Wait(); err != nil {
			s.t.Errorf("the server did not end in good order: %v", err)
		}
	}
	slices.Sort(s.latencies)
	at := func(share float64) time.Duration { return s.latencies[int(share*float64(len(s.latencies)-1))] }
	s.t.Logf("%v: %.0f commits a second, p50 %v, p99 %v, %d events, %d reads, %d requests repeated, at most %d MB",
		length, float64(commits)/length.Seconds(), at(0.5).Round(time.Millisecond/10), at(0.99).Round(time.Millisecond),
		s.events.Load(), s.reads.Load(), s.repeated.Load(), memory>>20)
}

// write commits to the contexts of one writer, one after another.
func (s *soak) write(w int) {
	for n := 0; s.ended.Err() == nil; n++ {
		i := w + soakWriters*(n%(soakContexts/soakWriters))
		body := fmt.Sprintf(`{"cycle":%d,"edits":[{"op":"add","into":"^ah","node":{"role":"user","content":%q}}]}`,
			s.cycles[i], strings.Repeat("some words of a turn ", 20))
		began := time.Now()
		status, text := s.send(w+n, "POST", fmt.Sprintf("/v1/contexts/c%d/commits", i), fmt.Sprintf("%d-%d", w, n), body)
		if status != http.StatusOK {
			s.t.Errorf("c%d: %d %s", i, status, text)
			return
		}
		s.cycles[i]++
		s.mu.Lock()
		s.latencies = append(s.latencies, time.Since(began))
		s.mu.Unlock()
	}
}

// follow reads the events of a context, and when the server is gone connects again, to the next
// process if there is one, and goes on after the last event that it had. No event is lacking, and none comes twice.
func (s *soak) follow(i int) {
	last := 0
	for n := i; s.ended.Err() == nil; n++ {
		q, err := http.NewRequestWithContext(s.ended, "GET",
			fmt.Sprintf("http://%s/v1/events?context=c%d", s.at[n%len(s.at)], i), nil)
		if err != nil {
			s.t.Error(err)
			return
		}
		q.Header.Set("Last-Event-ID", strconv.Itoa(last))
		if answer, err := s.client.Do(q); err == nil {
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				text, ok := strings.CutPrefix(lines.Text(), "id:")
				if id, err := strconv.Atoi(strings.TrimSpace(text)); ok && err == nil {
					if id != last+1 {
						s.t.Errorf("c%d: event %d follows %d", i, id, last)
					}
					last = id
					s.events.Add(1)
				}
			}
			answer.Body.Close()
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ask asks process i what an inspector asks.
func (s *soak) ask(i int) {
	for s.ended.Err() == nil {
		context := fmt.Sprintf("/v1/contexts/c%d/", rand.IntN(soakContexts))
		for _, path := range []string{"calls", "strata", "blocks", "select?q=.block", "thread"} {
			status, text := s.send(i, "GET", context+path, "", "")
			if status != http.StatusOK && status != http.StatusNotFound { // there is no snapshot yet
				s.t.Errorf("%s: %d %s", path, status, text)
			}
			s.reads.Add(1)
		}
	}
}

// memory returns the most memory that one of the processes had resident, in bytes; 0 where the system
// does not say.
func (s *soak) memory() (most int64) {
	for _, process := range s.process {
		most = max(most, testrun.PeakOf(process.Process.Pid))
	}
	return most
}
