package cli_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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
		must(t, os.WriteFile(filepath.Join(dir, "log.jsonl"), dbtest.Session(calls), 0o600))
		took := peak(t, dir, "import", "log.jsonl", "--db", "pact.db")
		if i == 0 {
			least = took
			continue
		}
		info, err := os.Stat(filepath.Join(dir, "pact.db"))
		must(t, err)
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
	must(t, err)
	program := filepath.Join(dir, "pact") // TestMain goes by the name
	must(t, os.Symlink(self, program))
	for size := range strings.SplitSeq(sizes, ",") {
		calls, err := strconv.Atoi(size)
		must(t, err)
		text := dbtest.Session(calls)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write(text)
		w.Close()
		log, rows := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "rows.db")
		for name, data := range map[string][]byte{log: text, log + ".gz": packed.Bytes()} {
			must(t, os.WriteFile(name, data, 0o600))
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

// manyTools is an MCP server with 40 tools, which agents start.
func manyTools() {
	s := mcp.NewServer(&mcp.Implementation{Name: "many", Version: "1"}, nil)
	for i := range 40 {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("look_%02d", i), Description: strings.Repeat("Looks something up, as its manual says. ", 20),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}}}`)}, nil)
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{}) // it ends with its agent
}

// The budget of memory (docs/architecture.md): what a command has over one with
// an input of a few bytes is held to a multiple of its input, to a cost for each
// node, or to a bound that no length moves.
func TestMemoryKeepsToItsBudget(t *testing.T) {
	if testrun.Raced || testing.Short() {
		t.Skip("left out: memory is measured without the race detector, which needs some of its own, and not with -short")
	}
	dir := t.TempDir()
	write := func(name string, fill func(w *bufio.Writer)) int64 {
		t.Helper()
		f, err := os.Create(filepath.Join(dir, name))
		must(t, err)
		w := bufio.NewWriter(f)
		fill(w)
		must(t, w.Flush())
		info, err := f.Stat()
		must(t, err)
		must(t, f.Close())
		return info.Size()
	}
	content := func(fill func(w *bufio.Writer)) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			fmt.Fprint(w, `{"cycle":1,"root":{"children":[{"nodeType":"^sys","children":[{"id":"b","content":`)
			fill(w)
			fmt.Fprint(w, `}]}]}}`)
		}
	}
	const fixed = 24 << 20
	var least int64
	within := func(what string, budget int64, args ...string) {
		t.Helper()
		got := peak(t, dir, args...) - least
		t.Logf("%s: %d KiB of %d", what, got>>10, budget>>10)
		if got > budget {
			t.Errorf("%s takes %d KiB more than an input of a few bytes, its budget is %d", what, got>>10, budget>>10)
		}
	}
	write("tiny.json", content(func(w *bufio.Writer) { fmt.Fprint(w, `"x"`) }))
	least = peak(t, dir, "import", "tiny.json")

	zeros := write("zeros.json", content(func(w *bufio.Writer) { fmt.Fprint(w, "["+strings.Repeat("0,", 4<<20)+"0]") }))
	within("importing an array of zeros", 6*zeros+fixed, "import", "zeros.json")
	within("verifying it", 4*zeros+fixed, "verify", "zeros")
	text := write("text.json", content(func(w *bufio.Writer) { fmt.Fprint(w, `"`+strings.Repeat("x", 32<<20)+`"`) }))
	within("importing a long text", 6*text+fixed, "import", "text.json")
	within("verifying it", 4*text+fixed, "verify", "text")

	const turns, blocks = 6000, 8
	write("nodes.json", func(w *bufio.Writer) {
		fmt.Fprint(w, `{"cycle":1,"root":{"children":[{"nodeType":"^seq","children":[`)
		for i := range turns {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, `{"id":"t%d","nodeType":"mt","children":[{"id":"c%d","nodeType":"mc","children":[`, i, i)
			for k := range blocks {
				if k > 0 {
					fmt.Fprint(w, ",")
				}
				fmt.Fprintf(w, `{"id":"b%d-%d","nodeType":"cb","role":"user","content":"text %d"}`, i, k, k)
			}
			fmt.Fprint(w, `]}]}`)
		}
		fmt.Fprint(w, `]}]}}`)
	})
	const nodes = turns * (blocks + 2)
	within("importing many nodes", nodes*3584+fixed, "import", "nodes.json")
	within("verifying them", nodes*3584+fixed, "verify", "nodes")

	const cycles, message = 3000, 16 << 10
	write("long.jsonl", func(w *bufio.Writer) {
		node := func(id string) string {
			parent := "root"
			if id == parent {
				parent = ""
			}
			return `{"node":{"id":"` + id + `","nodeType":"^` + id + `"},"parent":"` + parent + `"}`
		}
		fmt.Fprintln(w, `{"edition":"v0.1","pact_history":1,"spec_version":"PACT/0.1.0"}`)
		born := strings.Join([]string{node("root"), node("sys"), node("seq"), node("ah")}, ",")
		for i := range cycles {
			fmt.Fprintf(w, `{"born":[%s],"cycle":%d,"died":[],"entry":{"message":"%s","time_ns":%d}}`+"\n", born, i+1,
				strings.Repeat("m", message), i)
			born = ""
		}
	})
	peak(t, dir, "import", "long.jsonl")
	within("a log of 48 MB", 2*fixed, "log", "long")
	within("the same as JSON", 2*fixed, "log", "long", "--json")
	within("verifying what has it", 2*fixed, "verify", "long")
}
