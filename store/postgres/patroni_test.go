//go:build linux

package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/jackc/pgx/v5/pgconn"
)

// team is three machines as packaging/team sets them up, each with an address of its own on this one.
type team struct {
	t     *testing.T
	nodes []*node
}

// node is a machine: etcd, Patroni with PostgreSQL, and PgBouncer.
type node struct {
	t       *testing.T
	number  int // from 1
	at      *postgrestest.Server
	running map[string]*exec.Cmd
}

// newTeam writes the files of packaging/team for three machines and starts them. Only names, addresses and directories differ.
func newTeam(t *testing.T) *team {
	t.Helper()
	for _, program := range []string{"patroni", "etcd", "/usr/sbin/pgbouncer"} {
		if _, err := exec.LookPath(program); err != nil {
			postgrestest.LeaveOut(t, fmt.Errorf("%s is not installed: apt-get install patroni etcd-server pgbouncer libfaketime", program))
		}
	}
	c := &team{t: t}
	for number := 1; number <= 3; number++ {
		at, err := postgrestest.Alone()
		if err != nil {
			postgrestest.LeaveOut(t, err)
		}
		n := &node{t: t, number: number, at: at, running: make(map[string]*exec.Cmd)}
		c.nodes = append(c.nodes, n)
		t.Cleanup(func() {
			n.kill()
			must(t, os.RemoveAll(at.Dir))
		})
		own := strings.NewReplacer("10.0.0.0/24", "127.0.0.0/8", "10.0.0.", "127.0.35.", "/var/lib/etcd", filepath.Join(at.Dir, "etcd-data"), "/var/lib/postgresql/15",
			at.Dir, "/var/run/postgresql", at.Dir, "/etc/pgbouncer", at.Dir, "/usr/lib/postgresql/15/bin", filepath.Join(at.Dir, "bin"))
		for _, name := range []string{"etcd", "config.yml", "pgbouncer.ini"} {
			text, err := os.ReadFile(filepath.Join("../../packaging/team", name))
			must(t, err)
			mine := strings.NewReplacer("=db1\n", fmt.Sprintf("=db%d\n", number), "name: db1\n", fmt.Sprintf("name: db%d\n", number))
			lines := strings.Split(mine.Replace(string(text)), "\n")
			for i, line := range lines {
				if !strings.Contains(line, "10.0.0.2") { // a list of all machines
					lines[i] = strings.ReplaceAll(line, "10.0.0.1", fmt.Sprint("10.0.0.", number))
				}
			}
			must(t, os.WriteFile(filepath.Join(at.Dir, name), []byte(own.Replace(strings.Join(lines, "\n"))), 0o644))
		}
		must(t, os.WriteFile(filepath.Join(at.Dir, "userlist.txt"), []byte(`"pact" "secret4"`), 0o644))
		n.fakeClock()
		n.start()
	}
	return c
}

// fakeClock has PostgreSQL see the clock that setClock sets.
func (n *node) fakeClock() {
	const from = "/usr/lib/postgresql/15/bin"
	to, clock := filepath.Join(n.at.Dir, "bin"), filepath.Join(n.at.Dir, "clock")
	must(n.t, os.WriteFile(clock, []byte("+0"), 0o644))
	must(n.t, os.Mkdir(to, 0o755))
	programs, err := os.ReadDir(from)
	must(n.t, err)
	for _, program := range programs {
		if program.Name() != "postgres" {
			must(n.t, os.Symlink(filepath.Join(from, program.Name()), filepath.Join(to, program.Name())))
		}
	}
	must(n.t, os.WriteFile(filepath.Join(to, "postgres"), fmt.Appendf(nil, `#!/bin/sh
export LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1
export FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_NO_CACHE=1 FAKETIME_TIMESTAMP_FILE=%s
exec %s/postgres "$@"
`, clock, from), 0o755))
}

// start starts what runs on a machine.
func (n *node) start() {
	environment, err := os.ReadFile(filepath.Join(n.at.Dir, "etcd"))
	must(n.t, err)
	// etcd's times are for machines that do nothing else.
	n.run(append(strings.Fields(string(environment)), "ETCD_HEARTBEAT_INTERVAL=500", "ETCD_ELECTION_TIMEOUT=5000"), "etcd")
	n.run(nil, "/usr/bin/patroni", filepath.Join(n.at.Dir, "config.yml"))
	n.run(nil, "/usr/sbin/pgbouncer", filepath.Join(n.at.Dir, "pgbouncer.ini"))
}

func (n *node) run(environment []string, program string, args ...string) {
	log, err := os.OpenFile(filepath.Join(n.at.Dir, filepath.Base(program)+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(n.t, err)
	defer log.Close()
	cmd := n.at.Command(program, args...)
	cmd.Env = append(append(os.Environ(), "HOME="+n.at.Dir), environment...)
	cmd.Stdout, cmd.Stderr = log, log
	must(n.t, cmd.Start())
	n.running[program] = cmd
}

// kill ends everything on a machine with SIGKILL.
func (n *node) kill() {
	n.signal(syscall.SIGSTOP) // nobody sees another one die
	n.signal(syscall.SIGKILL)
	for program, cmd := range n.running {
		_ = cmd.Wait() // it was killed
		delete(n.running, program)
	}
}

// signal sends a signal to every process of a machine.
func (n *node) signal(s syscall.Signal) {
	for _, cmd := range n.running {
		_ = cmd.Process.Signal(s)
	}
	text, err := os.ReadFile(filepath.Join(n.at.Dir, "pact", "postmaster.pid"))
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", postmaster)); err != nil || !strings.HasPrefix(string(name), "postgres") {
		return
	}
	for _, pid := range append([]int{postmaster}, childrenOf(postmaster)...) {
		_ = syscall.Kill(pid, s)
	}
}

func childrenOf(pid int) (list []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, name := range found {
		text, _ := os.ReadFile(name)
		_, after, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			list = append(list, child)
		}
	}
	return list
}

// member is what Patroni says of a machine.
type member struct{ Name, Role, State string }

// members asks whichever machine answers.
func (c *team) members() (list []member) {
	client := http.Client{Timeout: 3 * time.Second}
	for i := range c.nodes {
		answer, err := client.Get(fmt.Sprintf("http://127.0.35.%d:8008/cluster", i+1))
		if err != nil {
			continue
		}
		var said struct{ Members []member }
		err = json.NewDecoder(answer.Body).Decode(&said)
		answer.Body.Close()
		if err == nil {
			return said.Members
		}
	}
	return nil
}

// await waits until there is a leader, a synchronous standby and a third one that run, and returns the leader.
func (c *team) await() *node {
	c.t.Helper()
	for until := time.Now().Add(3 * time.Minute); time.Now().Before(until); time.Sleep(500 * time.Millisecond) {
		var leader *node
		var sync bool
		ready := 0
		for _, m := range c.members() {
			number, _ := strconv.Atoi(strings.TrimPrefix(m.Name, "db"))
			switch {
			case number < 1 || m.State != "running" && m.State != "streaming":
				continue
			case m.Role == "leader":
				leader = c.nodes[number-1]
			case m.Role == "sync_standby":
				sync = true
			}
			ready++
		}
		if leader != nil && sync && ready == len(c.nodes) {
			return leader
		}
	}
	for _, n := range c.nodes {
		text, _ := os.ReadFile(filepath.Join(n.at.Dir, "patroni.log"))
		c.t.Logf("db%d: %s", n.number, text[max(0, len(text)-2000):])
	}
	c.t.Fatalf("the machines do not come together: %+v", c.members())
	return nil
}

// address is that of a database on whichever machine takes changes, directly or through PgBouncer.
func (c *team) address(user, port string) string {
	at := func(i int) string { return fmt.Sprintf("127.0.35.%d:%s", i, port) }
	return "postgres://" + user + "@" + at(1) + "," + at(2) + "," + at(3) + "/pact?target_session_attrs=read-write&connect_timeout=3"
}

// exec runs a statement as the superuser, once a machine takes it.
func (c *team) exec(database, sql string) {
	c.t.Helper()
	address := strings.Replace(c.address("postgres:secret1", "5432"), "/pact?", "/"+database+"?", 1)
	var err error
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(time.Second) {
		var conn *pgconn.PgConn
		if conn, err = pgconn.Connect(context.Background(), address); err == nil {
			_, err = conn.Exec(context.Background(), sql).ReadAll()
			_ = conn.Close(context.Background())
			if err == nil {
				return
			}
		}
	}
	c.t.Fatal(sql, err)
}

// TestPatroni kills the leader of three machines ten times, with everything on it, while eight writers and a server
// commit, half of the time through PgBouncer. Meanwhile clocks jump back by an hour, one leader freezes, and
// one hands over as before an upgrade. Nothing that was acknowledged is missing, and nothing is there twice.
func TestPatroni(t *testing.T) {
	kills := testrun.Size(t, 0, 0, 10)
	if kills == 0 {
		t.Skip("left out: PACT_THOROUGH=1 runs it, 15 minutes")
	}
	program := filepath.Join(t.TempDir(), "pact")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/pact").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := newTeam(t)
	c.await()
	c.exec("postgres", "CREATE ROLE pact LOGIN PASSWORD 'secret4'")
	c.exec("postgres", "CREATE DATABASE pact OWNER pact")
	time.Sleep(10 * time.Second) // until each machine has it: the client asks one after another, and takes a no for an answer
	direct := c.address("pact:secret4", "5432")
	for i, port := range []string{"5432", "6432"} {
		name := map[string]string{"5432": "direct", "6432": "through PgBouncer"}[port]
		t.Run(name, func(t *testing.T) {
			if i > 0 {
				c.exec("pact", "TRUNCATE pair, log")
			}
			s := serveTo(t, program, c.address("pact:secret4", port))
			defer s.end()
			load(t, c.address("pact:secret4", port), direct, func() {
				for n := range kills / 2 {
					c.setClock([]string{"+0", "-3600s"}[n%2])
					c.failover(s, "is killed")
				}
				c.failover(s, "freezes")
				c.failover(s, "hands over")
			})
		})
	}
}

// failover takes the leader away, waits until the server's client goes on, and brings the machine back.
func (c *team) failover(s *served, how string) {
	leader := c.await()
	before, began := s.acknowledged.Load(), time.Now()
	switch how {
	case "is killed":
		leader.kill()
	case "freezes": // connections to it stay open and say nothing
		leader.signal(syscall.SIGSTOP)
	case "hands over": // PgBouncer keeps the connections to it
		answer, err := http.Post(fmt.Sprintf("http://127.0.35.%d:8008/switchover", leader.number), "application/json",
			strings.NewReader(fmt.Sprintf(`{"leader":"db%d"}`, leader.number)))
		must(c.t, err)
		answer.Body.Close()
	}
	for s.acknowledged.Load() < before+3 {
		if time.Since(began) > 2*time.Minute {
			c.t.Errorf("nobody goes on after two minutes: %+v", c.members())
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.t.Logf("db%d %s; the server's client went on after %.1f s", leader.number, how, time.Since(began).Seconds())
	time.Sleep(2 * time.Second)
	if how != "hands over" {
		leader.kill()
		leader.start()
	}
}

// setClock sets the clocks of all machines, as PostgreSQL sees them.
func (c *team) setClock(by string) {
	for _, n := range c.nodes {
		must(c.t, os.WriteFile(filepath.Join(n.at.Dir, "clock"), []byte(by), 0o644))
	}
	time.Sleep(2 * time.Second) // commits go on
}

// served is pact serve, with a client that commits to a context of its own, each turn with a key, until it is taken.
type served struct {
	t            *testing.T
	cmd          *exec.Cmd
	at           string
	acknowledged atomic.Int64
	over         atomic.Bool
	done         chan struct{}
}

func serveTo(t *testing.T, program, address string) *served {
	t.Helper()
	s := &served{t: t, cmd: exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--no-token", "--db", address),
		done: make(chan struct{})}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	must(t, err)
	must(t, s.cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	_, rest, _ := strings.Cut(line, "http://")
	s.at = "http://" + strings.Fields(strings.NewReplacer("/", " ", ",", " ").Replace(rest))[0]
	if status, text := s.post("/v1/contexts", "", `{"name":"served"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	go func() {
		defer close(s.done)
		for n := 0; !s.over.Load(); {
			body := fmt.Sprintf(`{"cycle":%d,"edits":[{"op":"add","into":"^ah","node":{"role":"user","content":"turn %[1]d"}}]}`, n)
			switch status, text := s.post("/v1/contexts/served/commits", fmt.Sprint("key-", n), body); {
			case status == http.StatusOK:
				n++
				s.acknowledged.Add(1)
			case status > 0 && status < 500 && status != http.StatusTooManyRequests:
				t.Errorf("turn %d: %d %s", n, status, text)
				return
			default:
				time.Sleep(200 * time.Millisecond)
			}
		}
	}()
	return s
}

// post returns the answer to a request, status 0 for none.
func (s *served) post(path, key, body string) (status int, text []byte) {
	q, err := http.NewRequest("POST", s.at+path, strings.NewReader(body))
	must(s.t, err)
	q.Header.Set("Content-Type", "application/json")
	if key != "" {
		q.Header.Set("Idempotency-Key", key)
	}
	client := http.Client{Timeout: 90 * time.Second}
	answer, err := client.Do(q)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	text, _ = io.ReadAll(answer.Body)
	return answer.StatusCode, text
}

// end compares what the server has with what it acknowledged.
func (s *served) end() {
	s.over.Store(true)
	<-s.done
	answer, err := http.Get(s.at + "/v1/contexts/served")
	must(s.t, err)
	defer answer.Body.Close()
	var got struct{ Cycles int64 }
	must(s.t, json.NewDecoder(answer.Body).Decode(&got))
	if got.Cycles != s.acknowledged.Load() {
		s.t.Errorf("the server acknowledged %d commits and has %d", s.acknowledged.Load(), got.Cycles)
	}
	s.t.Logf("the server's client: %d commits", got.Cycles)
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait() // what it did is compared
}
