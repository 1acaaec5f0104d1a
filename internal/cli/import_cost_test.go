package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// An import of a session of four times the calls takes four times the memory at most, beside that of a few calls, and
// leaves four times the bytes on the disk, without a compaction: not their square.
func TestMemoryAndDiskOfAnImportGrowAsItsLogDoes(t *testing.T) {
	if testrun.Raced || testing.Short() {
		t.Skip("left out: memory is measured without the race detector, which needs some of its own, and not with -short")
	}
	var memory, disk [2]int64
	var least int64
	for i, calls := range [...]int{10, 1000, 4000} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "log.jsonl"), toolSessionOf(calls), 0o600); err != nil {
			t.Fatal(err)
		}
		took := peak(t, dir, "import", "log.jsonl", "--db", "pact.db")
		if i == 0 {
			least = took
			continue
		}
		info, err := os.Stat(filepath.Join(dir, "pact.db"))
		if err != nil {
			t.Fatal(err)
		}
		memory[i-1], disk[i-1] = took-least, info.Size()
		t.Logf("%d calls: %d KiB of memory, %d KiB on the disk", calls, memory[i-1]>>10, disk[i-1]>>10)
	}
	if memory[1] > memory[0]*9/2 {
		t.Errorf("4 times the calls take %d bytes of memory instead of %d", memory[1], memory[0])
	}
	if disk[1] > disk[0]*4*11/10 {
		t.Errorf("4 times the calls leave %d bytes on the disk instead of %d", disk[1], disk[0])
	}
}

// TestImportTable measures imports of sessions of so many calls as PACT_IMPORT_CALLS says, beside jq and rows in SQLite,
// for the table of docs/benchmarks.md.
func TestImportTable(t *testing.T) {
	sizes := os.Getenv("PACT_IMPORT_CALLS")
	if sizes == "" {
		t.Skip("left out: it is a measurement; PACT_IMPORT_CALLS=520,20000 takes it")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "pact") // TestMain goes by the name
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	for size := range strings.SplitSeq(sizes, ",") {
		calls, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		text := toolSessionOf(calls)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(text)
		w.Close()
		log, rows := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "rows.db")
		for name, data := range map[string][]byte{log: text, log + ".gz": packed.Bytes()} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%d calls, %.1f MB", calls, float64(len(text))/1e6)
		for _, row := range [][]string{
			{"import", program, "import", log, "--db", filepath.Join(dir, size+".db")},
			{"import, gzip", program, "import", log + ".gz", "--db", filepath.Join(dir, size+"-gz.db")},
			{"jq", "jq", "-c", ".type", log},
			{"rows in SQLite", "sqlite3", rows, "CREATE TABLE r(line)", ".mode ascii", `.separator "\001" "\n"`, ".import " + log + " r"},
		} {
			cmd, status := exec.Command(row[1], row[2:]...), filepath.Join(t.TempDir(), "status")
			cmd.Env = append(os.Environ(), statusFile+"="+status)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Logf("%-15s %v %.300s", row[0], err, out)
				continue
			}
			left := int64(0)
			for _, name := range row[2:] {
				if info, err := os.Stat(name); err == nil && strings.HasSuffix(name, ".db") {
					left = info.Size()
				}
			}
			most := int64(0) // of other programs nothing says it
			if row[1] == program {
				most = peakIn(t, status)
			}
			t.Logf("%-15s %6.2f s of processor, %4d MB of memory, %.2f times the log on the disk", row[0],
				(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), most>>20, float64(left)/float64(len(text)))
		}
		os.Remove(rows)
	}
}

// toolSessionOf is a session of Claude Code of drawn words, in which three of four answers call a tool.
func toolSessionOf(calls int) []byte {
	random := rand.New(rand.NewPCG(7, 7))
	words := make([]string, 3000)
	for i := range words {
		b := make([]byte, 2+random.IntN(8))
		for k := range b {
			b[k] = byte('a' + random.IntN(26))
		}
		words[i] = string(b)
	}
	text := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = words[random.IntN(len(words))]
		}
		return strings.Join(list, " ")
	}
	type object = map[string]any
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	line := func(kind, id string, parent any, at int, message object) {
		out.Encode(object{"type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "requestId": "r" + id[1:], "cwd": "/home/me/project",
			"version": "2.0.1", "timestamp": time.Unix(1_790_000_000+int64(at), 0).UTC().Format(time.RFC3339), "message": message})
	}
	var parent any
	for i := range calls {
		var asked any = text(60)
		if i%4 != 0 {
			asked = []object{{"type": "tool_result", "tool_use_id": fmt.Sprint("toolu_", i-1), "content": text(100)}}
		}
		id := fmt.Sprint("u", i)
		line("user", id, parent, 2*i, object{"role": "user", "content": asked})
		said, why := []object{{"type": "text", "text": text(40)}}, "end_turn"
		if i%4 != 3 {
			why = "tool_use"
			said = append(said, object{"type": "tool_use", "id": fmt.Sprint("toolu_", i), "name": "Bash",
				"input": object{"command": text(12), "description": text(5)}})
		}
		answer := fmt.Sprint("a", i)
		line("assistant", answer, id, 2*i+1, object{"id": fmt.Sprint("m", i), "type": "message", "role": "assistant",
			"model": "claude-sonnet-4-5-20250929", "content": said, "stop_reason": why,
			"usage": object{"input_tokens": 4, "cache_read_input_tokens": 100 * i, "cache_creation_input_tokens": 100, "output_tokens": 60}})
		parent = answer
	}
	return b.Bytes()
}
