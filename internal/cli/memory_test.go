package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

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
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		fill(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
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
	// A garbage collector that comes late on a busy machine only adds: a command that takes more than
	// its budget is run again, an import into a store of its own.
	within := func(what string, budget int64, args ...string) {
		t.Helper()
		got := peak(t, dir, args...) - least
		for tries := 1; got > budget && tries < 3; tries++ {
			again := args
			if args[0] == "import" {
				again = append([]string{"--db", filepath.Join(t.TempDir(), "again.db")}, args...)
			}
			got = min(got, peak(t, dir, again...)-least)
		}
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
