package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestLogIsSyncedBeforeTheAcknowledgement watches the system calls of a process that commits: between the
// write of a commit to the WAL and its acknowledgement, the WAL is synchronised.
func TestLogIsSyncedBeforeTheAcknowledgement(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		if os.Getenv("PACT_REQUIRE_STRACE") == "1" {
			t.Fatal("strace is not installed: apt-get install strace")
		}
		t.Skip("left out: strace is not installed (apt-get install strace)")
	}
	const commits = 25
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	cmd := exec.Command(strace, "-f", "-y", "-e", "trace=fsync,fdatasync,write,pwrite64", "-o", trace, os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+filepath.Join(dir, "pact.db"), childTurns+"="+strconv.Itoa(commits))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(trace)
	must(t, err)
	acknowledged := 0
	written, synced := false, false // since the last acknowledgement
	for _, c := range systemCalls(string(text)) {
		wal := strings.Contains(c.arguments, "/pact.db-wal>")
		switch {
		case c.name == "write" && strings.Contains(c.arguments, `"ack `):
			acknowledged++
			if !written || !synced {
				t.Errorf("commit %d was acknowledged with its WAL written: %v, synchronised after that: %v", acknowledged, written,
					synced)
			}
			written, synced = false, false
		case wal && strings.HasSuffix(c.name, "sync"):
			synced = written && c.result == "0"
		case wal:
			written, synced = true, false
		}
	}
	if acknowledged != commits {
		t.Errorf("%d commits were acknowledged, want %d", acknowledged, commits)
	}
}

type systemCall struct{ name, arguments, result string }

var (
	whole   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (-?\d+)`)
	halted  = regexp.MustCompile(`^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>.* = (-?\d+)`)
)

// systemCalls reads a trace. A call that another thread interrupts in the trace
// counts where it matters: a write where it begins, a synchronisation where it
// has ended.
func systemCalls(trace string) []systemCall {
	var list []systemCall
	open := make(map[string]systemCall) // by thread
	for line := range strings.Lines(trace) {
		line = strings.TrimSuffix(line, "\n")
		if m := whole.FindStringSubmatch(line); m != nil {
			list = append(list, systemCall{m[2], m[3], m[4]})
		} else if m := halted.FindStringSubmatch(line); m != nil {
			c := systemCall{name: m[2], arguments: m[3]}
			open[m[1]] = c
			if !strings.HasSuffix(c.name, "sync") {
				list = append(list, c)
			}
		} else if m := resumed.FindStringSubmatch(line); m != nil {
			if c := open[m[1]]; strings.HasSuffix(c.name, "sync") {
				c.result = m[3]
				list = append(list, c)
			}
		}
	}
	return list
}
