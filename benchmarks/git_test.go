package benchmarks

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
)

// repository is a bare git repository that holds snapshots as commits.
type repository struct{ dir string }

// commit makes a repository of snapshots, packed as git packs it.
func commit(tb testing.TB, l layout, snapshots []*tree.Tree) repository {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	r := repository{tb.TempDir()}
	r.run(tb, nil, "init", "-q", "--bare", "-b", "main")
	in := r.command("fast-import", "--quiet")
	pipe, err := in.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	in.Stderr = os.Stderr
	if err := in.Start(); err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriterSize(pipe, 1<<16)
	l.write(tb, w, snapshots)
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	pipe.Close()
	if err := in.Wait(); err != nil {
		tb.Fatal(err)
	}
	r.run(tb, nil, "repack", "-a", "-d", "-q")
	r.run(tb, nil, "commit-graph", "write", "--reachable", "--no-progress")
	return r
}

// command is git without the settings of this machine.
func (r repository) command(args ...string) *exec.Cmd {
	c := exec.Command("git", args...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_DIR="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	return c
}

func (r repository) run(tb testing.TB, in []byte, args ...string) []byte {
	tb.Helper()
	c := r.command(args...)
	c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
	out, err := c.Output()
	if err != nil {
		tb.Fatalf("git %s: %v", args[0], err)
	}
	return out
}

// log is the raw difference of the newest commits, newest first.
func (r repository) log(tb testing.TB, commits int) []byte {
	return r.run(tb, nil, "log", "--raw", "--no-renames", "--format=format:commit", fmt.Sprint("-", commits))
}

// The two say the same before they are timed: files that came, went and
// changed are the blocks that did.
func TestGitAgrees(t *testing.T) {
	const turns = 120
	c := talked(t, turns)
	for _, l := range layouts {
		r := commit(t, l, newest(t, c, turns))
		steps := strings.Split(string(r.log(t, turns-1)), "commit\n")[1:]
		diffs := ranged(t, c, turns).Diffs
		if len(steps) != turns-1 || len(diffs) != turns-1 {
			t.Fatalf("%d steps in git, %d in the range, want %d", len(steps), len(diffs), turns-1)
		}
		for i, d := range diffs {
			var want []string
			for kind, ids := range map[string][]string{"A": d.AddedIDs, "D": d.RemovedIDs} {
				for _, id := range ids {
					want = append(want, kind+" "+id)
				}
			}
			for _, n := range d.Changed {
				want = append(want, "M "+n.ID)
			}
			slices.Sort(want)
			if got := files(steps[i]); !slices.Equal(got, want) || len(got) < 3 {
				t.Fatalf("%s, %s: git has %q, the range %q", l.name, d.From.Label, got, want)
			}
		}
	}
}

// files reads raw differences: what happened to which file, sorted.
func files(raw string) []string {
	var list []string
	for line := range strings.Lines(raw) {
		if head, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			list = append(list, head[len(head)-1:]+" "+path.Base(name))
		}
	}
	slices.Sort(list)
	return list
}

// BenchmarkGit puts adjacent differences beside those that git finds between
// commits of the same content: as one process for each, and as one process for
// a thousand. Everybody takes turns; the medians are given, by pair of
// snapshots, ours with writing the answer as JSON. Ours are in memory, git reads
// files that the system has at hand.
func BenchmarkGit(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if !testing.Short() {
		sizes = append(sizes, 100_000)
	}
	for _, turns := range sizes {
		c := talked(b, turns)
		trees := newest(b, c, window)
		for _, l := range layouts {
			if turns > 10_000 && l.name == "flat" {
				continue // minutes, since every commit writes a directory of all turns
			}
			b.Run(fmt.Sprintf("turns=%d/%s", turns, l.name), func(b *testing.B) {
				against(b, c, commit(b, l, trees))
			})
		}
	}
}

func against(b *testing.B, c *pact.Context, r repository) {
	pairs := r.run(b, nil, "rev-list", "HEAD", fmt.Sprint("-", window-1))
	contestants := []struct {
		name  string
		pairs int
		run   func() int // the bytes of the answer
	}{
		{"pact-diff", window - 1, func() int { return neighbours(b, c) }},
		{"pact-range", window - 1, func() int { return encoded(b, ranged(b, c, window)) }},
		{"git-diff", 1, func() int { return len(r.run(b, nil, "diff", "--raw", "--no-renames", "HEAD~1", "HEAD")) }},
		{"git-log", window - 1, func() int { return len(r.log(b, window-1)) }},
		{"git-diff-tree", window - 1, func() int {
			return len(r.run(b, pairs, "diff-tree", "--stdin", "-r", "--raw",
				"--no-renames"))
		}},
		{"git-version", 1, func() int { return len(r.run(b, nil, "version")) }}, // what a process costs
	}
	times := make([][]time.Duration, len(contestants))
	for b.Loop() {
		for i, it := range contestants {
			start := time.Now()
			if it.run() == 0 {
				b.Fatal(it.name + " finds nothing")
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	for i, it := range contestants {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/float64(it.pairs), it.name+"-ns/pair")
	}
}

// neighbours asks for each adjacent difference on its own.
func neighbours(b *testing.B, c *pact.Context) int {
	n := 0
	for k := range int64(window - 1) {
		d, err := c.Diff(context.Background(), pact.Back(k+1), pact.Back(k), nil)
		if err != nil {
			b.Fatal(err)
		}
		n += encoded(b, d)
	}
	return n
}

func encoded(b *testing.B, v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	return len(text)
}
