package calllog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

// readFile reads a text as a file that stays where it is.
func readFile(t testing.TB, text []byte) (*Log, error) {
	spool := func() (Spool, error) { return os.CreateTemp(t.TempDir(), "spool") }
	return ReadFile(bytes.NewReader(text), int64(len(text)), FileOptions{Spool: spool, Check: func(*Call) error { return nil },
		Hold: func(int64) error { return nil }})
}

// TestALogThatStaysInItsFileSaysWhatOneInMemorySays: of all samples and all real conversations that stay in their file,
// whole, without a line, and with a line damaged or at another place.
func TestALogThatStaysInItsFileSaysWhatOneInMemorySays(t *testing.T) {
	var files []string
	for name := range samples(t) {
		files = append(files, filepath.Join("testdata", name))
	}
	files = append(files, testrun.FindShared("data", "*.jsonl", "agents/*/*.jsonl", "agents/*/*/*/*.jsonl", "cases/*/*.jsonl")...)
	stayed := map[string]int{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		must(t, err)
		lines := bytes.SplitAfter(data, []byte("\n"))
		texts := [][]byte{data}
		if n := len(lines) / 2; n > 2 && len(data) < 1<<20 {
			texts = append(texts, bytes.Join(append(append([][]byte{}, lines[:n]...), lines[n+1:]...), nil),
				bytes.Join(append(append([][]byte{}, lines[:n]...), append([][]byte{lines[n][:len(lines[n])/2], []byte("\n")}, lines[n+1:]...)...), nil),
				bytes.Join(append(append([][]byte{}, lines[n:]...), lines[:n]...), nil))
		}
		for i, text := range texts {
			file, err := readFile(t, text)
			if file == nil && err == nil {
				continue // it has a form that is read in memory
			}
			memory, wantErr := Read(text)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s, %d: %v, in memory %v", name, i, err, wantErr)
			}
			if err != nil {
				continue
			}
			stayed[file.Format]++
			if file.Format != memory.Format || !reflect.DeepEqual(file.Findings, memory.Findings) || !reflect.DeepEqual(file.Sums, memory.Sums) {
				t.Errorf("%s, %d: %s, %v, %+v, in memory %s, %v, %+v", name, i, file.Format, file.Findings, file.Sums,
					memory.Format, memory.Findings, memory.Sums)
			}
			if len(file.Sessions) != len(memory.Sessions) {
				t.Fatalf("%s, %d: %d sessions, in memory %d", name, i, len(file.Sessions), len(memory.Sessions))
			}
			for n := range file.Sessions {
				sameSession(t, fmt.Sprint(name, ", ", i), &file.Sessions[n], &memory.Sessions[n])
			}
		}
	}
	if t.Logf("files that stayed: %v", stayed); stayed[ClaudeCode] == 0 || stayed["Codex rollout"] == 0 || stayed["log of requests"] == 0 {
		t.Error("of a format none stayed in its file")
	}
}

// fullSpool has no room.
type fullSpool struct{ Spool }

func (fullSpool) WriteAt([]byte, int64) (int, error) { return 0, syscall.ENOSPC }

// TestAFileThatFailsWhileItIsReadIsNoLog: a full disk and too little memory end the import, with what to do.
func TestAFileThatFailsWhileItIsReadIsNoLog(t *testing.T) {
	text := dbtest.Session(1000)
	o := FileOptions{Spool: func() (Spool, error) { return fullSpool{}, nil }, Hold: func(int64) error { return nil }}
	if _, err := ReadFile(bytes.NewReader(text), int64(len(text)), o); fault.CodeOf(err) != fault.Store || !strings.Contains(fmt.Sprint(err), "TMPDIR") {
		t.Errorf("a full disk: %v", err)
	}
	o.Spool = func() (Spool, error) { return os.CreateTemp(t.TempDir(), "spool") }
	o.Hold = func(int64) error { return fault.New(fault.Limit, "no more memory", "") }
	if _, err := ReadFile(bytes.NewReader(text), int64(len(text)), o); fault.CodeOf(err) != fault.Limit {
		t.Errorf("without memory: %v", err)
	}
}

// sameSession compares a session that stayed in its file with one in memory.
func sameSession(t *testing.T, name string, file, memory *Session) {
	t.Helper()
	if file.Name != memory.Name || file.Exact != memory.Exact || !reflect.DeepEqual(file.Missing, memory.Missing) ||
		len(file.Calls) != len(memory.Calls) || file.HasUnsent() != memory.HasUnsent() {
		t.Fatalf("%s: %d calls, %s without %v, in memory %d, %s without %v", name, len(file.Calls), file.Exact, file.Missing,
			len(memory.Calls), memory.Exact, memory.Missing)
	}
	var before *Call
	for i := range file.Calls {
		got, err := file.Calls[i].Load()
		must(t, err)
		body, err := got.Whole()
		must(t, err)
		want, _ := memory.Calls[i].Load()
		wantBody, _ := want.Whole()
		if !bytes.Equal(body, wantBody) || !bytes.Equal(got.Answer, want.Answer) || !reflect.DeepEqual(got.Attrs, want.Attrs) {
			t.Errorf("%s: call %d is\n%s\n%s\n%v\nin memory\n%s\n%s\n%v", name, i, body, got.Answer, got.Attrs, wantBody, want.Answer, want.Attrs)
		}
		if got.ID != want.ID || got.API != want.API || got.Path != want.Path || got.Status != want.Status || got.Started != want.Started ||
			got.Ended != want.Ended || got.Rewrites != want.Rewrites || got.Line != want.Line {
			t.Errorf("%s: call %d is %+v, in memory %+v", name, i, got, want)
		}
		if i > 0 {
			more, is, err := got.Continues(before)
			wantMore, wantIs, _ := want.Continues(&memory.Calls[i-1])
			if err != nil || is != wantIs || is && more.Value() != wantMore.Value() {
				t.Errorf("%s: call %d continues %t with %s, %v, in memory %t with %s", name, i, is, more.Value(), err, wantIs, wantMore.Value())
			}
		}
		before = &got
	}
	got, err := file.UnsentBody()
	want, _ := memory.UnsentBody()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: unsent is %s, %v, in memory %s", name, got, err, want)
	}
}
