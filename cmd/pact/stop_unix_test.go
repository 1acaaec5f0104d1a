//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// asPact has the test binary be the program. So the program is built once, and with the race detector
// where the tests are.
const asPact = "PACT_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asPact) != "" {
		main()
	}
	os.Exit(m.Run())
}

// served is a process of the program that serves a new store on loopback.
type served struct {
	t          *testing.T
	db         string
	host       string
	process    *exec.Cmd
	complaints strings.Builder
}

// serve serves a new store until the test ends.
func serve(t *testing.T) *served {
	t.Helper()
	s := &served{t: t, db: filepath.Join(t.TempDir(), "pact.db")}
	s.process = s.pact("serve", "--no-token", "--addr", "127.0.0.1:0")
	s.process.Stderr = &s.complaints
	out, err := s.process.StdoutPipe()
	testrun.Must(t, err)
	testrun.Must(t, s.process.Start())
	t.Cleanup(func() { _ = s.process.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, s.complaints.String())
	}
	at, err := url.Parse(strings.TrimSpace(line))
	testrun.Must(t, err)
	s.host = at.Host
	return s
}

// pact is a command of the program on the store.
func (s *served) pact(args ...string) *exec.Cmd {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(self, append(args, "--db", s.db)...)
	cmd.Env = append(os.Environ(), asPact+"=1")
	return cmd
}

// post sends a body and returns the status of the answer.
func (s *served) post(client *http.Client, path, body string) (int, error) {
	answer, err := client.Post("http://"+s.host+path, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// half sends a request whose body lacks its end, and returns once the server reads that body.
func (s *served) half(request, body string, length int) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"+
		"Content-Length: %d\r\n\r\n", request, length)
	answers := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		if line, err = answers.ReadString('\n'); err != nil || strings.Contains(line, " 4") {
			s.t.Fatal(line, err)
		}
	}
	if _, err := io.WriteString(conn, body); err != nil {
		s.t.Fatal(err)
	}
	return conn, answers
}

// cycles asks the program itself how many cycles a context has.
func (s *served) cycles(name string) int {
	s.t.Helper()
	text, err := s.pact("log", name, "--json").Output()
	if err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return strings.Count(string(text), `"commit"`)
}

// ends waits until the process has ended, which must be in good order.
func (s *served) ends() {
	s.t.Helper()
	if err := s.process.Wait(); err != nil || s.complaints.Len() > 0 {
		s.t.Errorf("the program ended with %v, %s", err, s.complaints.String())
	}
}

// TestSIGTERMEndsStreamsAndFinishesCommits stops the program while others follow a context, commit
// one after another, and have sent half of a commit.
func TestSIGTERMEndsStreamsAndFinishesCommits(t *testing.T) {
	s := serve(t)
	const writers = 4
	for i := range writers {
		if status, err := s.post(http.DefaultClient, "/v1/contexts", fmt.Sprintf(`{"name":"c%d"}`, i)); status != 201 {
			t.Fatal(status, err)
		}
	}
	if status, err := s.post(http.DefaultClient, "/v1/contexts", `{"name":"half"}`); status != 201 {
		t.Fatal(status, err)
	}
	stream, err := http.Get("http://" + s.host + "/v1/events?context=half")
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	defer stream.Body.Close()
	var acknowledged [writers]int
	var load sync.WaitGroup
	enough := make(chan struct{}, writers)
	for i := range writers {
		load.Go(func() {
			client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
			for {
				status, err := s.post(client, fmt.Sprintf("/v1/contexts/c%d/commits", i),
					fmt.Sprintf(`{"cycle":%d}`, acknowledged[i]))
				if err != nil {
					return // the server accepts no more
				}
				if status != http.StatusOK {
					t.Errorf("a commit: %d", status)
					return
				}
				if acknowledged[i]++; acknowledged[i] == 3 {
					enough <- struct{}{}
				}
			}
		})
	}
	for range writers {
		<-enough
	}
	const body = `{"cycle":0}`
	conn, answers := s.half("POST /v1/contexts/half/commits", body[:4], len(body))
	testrun.Must(t, s.process.Process.Signal(syscall.SIGTERM))
	if rest, err := io.ReadAll(stream.Body); err != nil || strings.Contains(string(rest), "failed") {
		t.Errorf("the stream ended with %q, %v", rest, err)
	}
	load.Wait()
	if _, err := io.WriteString(conn, body[4:]); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	testrun.Must(t, err)
	var made struct{ Cycle int }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.Cycle != 1 {
		t.Errorf("half of a commit before the stop: %s, cycle %d, %v", answer.Status, made.Cycle, err)
	}
	s.ends()
	if n := s.cycles("half"); n != 1 {
		t.Errorf("%d commits of the one that was acknowledged", n)
	}
	for i, want := range acknowledged {
		// A request that arrives while the server closes an idle connection may be done and not answered.
		if n := s.cycles(fmt.Sprintf("c%d", i)); n != want && n != want+1 {
			t.Errorf("c%d has %d commits, and %d were acknowledged", i, n, want)
		}
	}
}

// TestSIGTERMWaitsForNobodyForLong stops the program while a client has sent half of a commit and
// sends no more. After ten seconds the program cuts the connection off, and the commit is not made.
func TestSIGTERMWaitsForNobodyForLong(t *testing.T) {
	testrun.Long(t, "waits ten seconds for a client")
	s := serve(t)
	if status, err := s.post(http.DefaultClient, "/v1/contexts", `{"name":"half"}`); status != 201 {
		t.Fatal(status, err)
	}
	http.DefaultClient.CloseIdleConnections()
	_, answers := s.half("POST /v1/contexts/half/commits", `{"cycle":0`, 100)
	testrun.Must(t, s.process.Process.Signal(syscall.SIGTERM))
	s.ends()
	if rest, _ := io.ReadAll(answers); strings.Contains(string(rest), "200 OK") {
		t.Errorf("half of a commit was answered with %q", rest)
	}
	if n := s.cycles("half"); n != 0 {
		t.Errorf("half of a commit made %d", n)
	}
}
