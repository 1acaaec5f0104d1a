package calllog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/sums"
	"github.com/contexttree/pact/internal/testrun"
)

// sumsOf returns the pairs of the sums that must be equal, by their names.
func sumsOf(s *sums.Sums) map[string]sums.Sum {
	return map[string]sums.Sum{"records": s.Records, "messages": s.Messages, "calls": s.Calls, "results": s.Results,
		"tokens in": s.In, "tokens out": s.Out, "tokens cached": s.Cached, "tokens written": s.Written}
}

// TestEachRecordOfAFileIsSomewhere: of all samples and all real conversations that a reader takes, what the file
// holds was read, or a finding says what was not.
func TestEachRecordOfAFileIsSomewhere(t *testing.T) {
	var files []string
	for name := range samples(t) {
		files = append(files, filepath.Join("testdata", name))
	}
	files = append(files, testrun.FindShared("data", "*.json*", "agents/*/*.json*", "agents/*/*/*/*.jsonl", "cases/*/*.json*", "cases/*/*.traj")...)
	for _, name := range files {
		t.Run(strings.TrimPrefix(name, "testdata/"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			must(t, err)
			log, err := Read(data)
			if err != nil {
				t.Skip("no log: ", err)
			}
			if log.Sums == nil {
				t.Fatalf("a %s is not counted", log.Format)
			}
			differs := 0
			for what, sum := range sumsOf(log.Sums) {
				if sum.File != sum.Read {
					differs++
					t.Logf("%s: %d in the file, %d read", what, sum.File, sum.Read)
				}
			}
			if differs > 0 && len(log.Findings) == 0 {
				t.Error("the counts differ, and no finding says so")
			}
			for _, found := range log.Findings {
				t.Log(found.Message)
			}
			t.Logf("%s: %+v", log.Format, *log.Sums)
		})
	}
}
