package intake

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/sqlite"
)

// growing writes a log of requests in JSON Lines: calls of one conversation, whose first message has so
// many bytes. Every second line comes later than the one behind it.
func growing(calls, size int) []byte {
	var b bytes.Buffer
	b.WriteString("{\"level\":\"info\",\"msg\":\"begun\"}\n\n")
	messages := fmt.Sprintf(`{"role":"user","content":"%s"}`, strings.Repeat("word ", size/5))
	for n := range calls {
		fmt.Fprintf(&b, `{"id":"c%d","started":"2026-05-04T09:%02d:%02dZ","headers":{"x-a":"b"},"user":"me",`+
			`"url":"https://api.openai.com/v1/chat/completions","request":{"model":"m","messages":[%s]},`+
			`"response":{"id":"a%d","choices":[{"message":{"role":"assistant","content":"%d\n"},"finish_reason":"stop"}]}}`,
			n, (n^1)/60, (n^1)%60, messages, n, n)
		b.WriteByte('\n')
		messages += fmt.Sprintf(`,{"role":"assistant","content":"%d\n"},{"role":"user","content":"go on"}`, n)
	}
	return b.Bytes()
}

// onDisk returns a file with this text, open to be read.
func onDisk(t *testing.T, text []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	must(t, os.WriteFile(path, text, 0o600))
	file, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// TestALogThatStaysInItsFileSaysTheSame: whether it is on disk, compressed or standard input, a large log
// of requests gives the calls that it gives when it is read as a whole.
func TestALogThatStaysInItsFileSaysTheSame(t *testing.T) {
	testrun.OneGoroutine(t)
	text := growing(30, 300_000)
	text = append(text, "{\"cut short"...)
	want, err := calllog.Read(text)
	must(t, err)
	zipped, packed := compressed(t, text)
	for name, from := range map[string]io.Reader{"on disk": onDisk(t, text), "gzip": onDisk(t, zipped.Bytes()),
		"zstd": onDisk(t, packed.Bytes()), "with a mark": onDisk(t, append([]byte(bomMark), text...)),
		"piped": bytes.NewReader(text)} {
		file, err := Read(t.Context(), from, MaxText)
		if err != nil || file.log == nil {
			t.Fatalf("%s: %v, in memory", name, err)
		}
		got := *file.log
		session := got.Sessions[0]
		var calls []calllog.Call
		for i := range session.Calls {
			if session.Calls[i].Body != nil || session.Calls[i].Refused != nil {
				t.Fatalf("%s: call %d is in memory, or refused: %v", name, i, session.Calls[i].Refused)
			}
			c, err := session.Calls[i].Load()
			must(t, err)
			calls = append(calls, c)
		}
		session.Calls = calls
		got.Sessions = []calllog.Session{session}
		if !reflect.DeepEqual(&got, want) {
			t.Errorf("%s: the log says something else: %d calls, %v, %v", name, len(calls), got.Findings, session.Exact)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "pact-import-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q stay behind, %v", left, err)
	}
}

// TestOtherFilesAreReadIntoMemory: a large file of another form, or of one line, is read as before.
func TestOtherFilesAreReadIntoMemory(t *testing.T) {
	testrun.OneGoroutine(t)
	lines := bytes.Split(bytes.TrimSpace(growing(30, 300_000)), []byte("\n"))[2:]
	list := append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']')
	chat := []byte("[" + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 200_000)+`"},`, 9) +
		`{"role":"user","content":"a"}]`)
	for name, text := range map[string][]byte{"a list": list, "a transcript": chat,
		"a broken first line": append([]byte("{\n"), bytes.Join(lines, []byte("\n"))...)} {
		file, err := Read(t.Context(), onDisk(t, text), MaxText)
		if err != nil || file.log != nil || !bytes.Equal(file.Data, text) {
			t.Errorf("%s: %v, left in its file", name, err)
		}
	}
}

// TestALineThatIsWrongIsNamed: a line that is no JSON is named with its number and offset, wherever the log stays; a
// strict import refuses it. A call that no importer takes is refused before the first call is recorded.
func TestALineThatIsWrongIsNamed(t *testing.T) {
	testrun.OneGoroutine(t)
	text := growing(30, 300_000)
	broken := bytes.Replace(text, []byte(`{"id":"c20"`), []byte(`{"id" "c20"`), 1)
	inFile, err := Read(t.Context(), onDisk(t, broken), MaxText)
	must(t, err)
	inMemory, err := calllog.Read(broken)
	must(t, err)
	if got, want := fmt.Sprint(inFile.log.Findings), fmt.Sprint(inMemory.Findings); got != want || !strings.Contains(got, "line 23: ") {
		t.Errorf("the findings are %s, want %s, with line 23", got, want)
	}
	_, err = PlanLog(t.Context(), inFile.log, Options{ImportOptions: pact.ImportOptions{Strict: true}})
	_, want := PlanLog(t.Context(), inMemory, Options{ImportOptions: pact.ImportOptions{Strict: true}})
	if fault.CodeOf(want) != fault.DocumentInvalid || fmt.Sprint(err) != fmt.Sprint(want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
	refused := bytes.Replace(text, []byte(`"request":{`), []byte(`"request":{"temperature":NaN,`), 3)
	whole, err := calllog.Read(refused)
	must(t, err)
	_, want = sessionsOf(t.Context(), whole, "a")
	file, err := Read(t.Context(), onDisk(t, refused), MaxText)
	must(t, err)
	if _, err := sessionsOf(t.Context(), file.log, "a"); fault.CodeOf(want) != fault.DocumentInvalid || fmt.Sprint(err) != fmt.Sprint(want) {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

// TestTheMemoryOfAnImportDoesNotFollowTheFile: of four times as many calls of the same size, an import
// holds what the store knows of each, and not their bodies.
func TestTheMemoryOfAnImportDoesNotFollowTheFile(t *testing.T) {
	testrun.CountsAllocations(t)
	const size = 300_000
	held := func(calls int) (most uint64) {
		from := onDisk(t, growing(calls, size))
		s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
		must(t, err)
		defer s.Close()
		look := func() {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		look()
		before := most
		file, err := Read(t.Context(), from, MaxText)
		must(t, err)
		sessions, err := sessionsOf(t.Context(), file.log, "a")
		must(t, err)
		look()
		_, _, _, err = sessions[0].Record(t.Context(), s, "", nil, func(done int) {
			if done%10 == 0 {
				look()
			}
		})
		must(t, err)
		return most - before
	}
	const few, many = 30, 120
	if less, more := held(few), held(many); more > less+(many-few)*size/8 || less > few*size/2 {
		t.Errorf("%d calls hold %d bytes, %d calls %d", few, less, many, more)
	}
}
