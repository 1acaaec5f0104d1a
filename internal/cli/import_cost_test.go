package cli_test

import (
	"os"
	"path/filepath"
	"testing"

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
		if err := os.WriteFile(filepath.Join(dir, "log.jsonl"), sessionOf(calls), 0o600); err != nil {
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
