package intake

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/klauspost/compress/zstd"
)

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	return data
}

func TestKindsOfFiles(t *testing.T) {
	for file, want := range map[string]Kind{
		"../../../examples/conversations/weather.json": Log,
		"../../../examples/conversations/repair.jsonl": History,
	} {
		if got, err := kindOf(read(t, file)); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %q", file, got, err, want)
		}
	}
	logs, err := filepath.Glob("../calllog/testdata/*.json*")
	if err != nil || len(logs) < 20 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, file := range logs {
		if got, err := kindOf(read(t, file)); got != Log || err != nil {
			t.Errorf("%s is %q, %v", file, got, err)
		}
	}
	if got, err := kindOf([]byte(`{"root":{}}`)); got != Snapshot || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"", "words", "{", "[1,2]", `{"a":1}`, "{}\n{}"} {
		if kind, err := kindOf([]byte(text)); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%q is %q, %v", text, kind, err)
		}
	}
}

// compressed returns a text compressed with gzip and with Zstandard.
func compressed(t testing.TB, text []byte) (zipped, packed bytes.Buffer) {
	t.Helper()
	g := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&packed)
	must(t, err)
	for _, w := range []io.WriteCloser{g, z} {
		_, err = w.Write(text)
		must(t, err)
		must(t, w.Close())
	}
	return zipped, packed
}

func TestTextsOfCompressedFiles(t *testing.T) {
	want := []byte("[\"some text\"]\n")
	zipped, packed := compressed(t, want)
	for name, data := range map[string][]byte{"plain": want, "gzip": zipped.Bytes(), "zstd": packed.Bytes(),
		"with a byte order mark": append([]byte("\ufeff"), want...)} {
		if got, err := textOf(t, data, MaxText); !bytes.Equal(got, want) || err != nil {
			t.Errorf("%s gives %q, %v", name, got, err)
		}
	}
	for name, data := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": packed.Bytes()} {
		if _, err := textOf(t, data[:len(data)-5], MaxText); fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s that is cut short gives %v", name, err)
		}
	}
}

// FuzzKindOf holds that any bytes are a kind of file or refused with a code of the list.
func FuzzKindOf(f *testing.F) {
	f.Add([]byte(`{"pact_history":1}`))
	f.Add([]byte(`[{"role":"user","content":"x"}]`))
	f.Add([]byte("{\"root\":{}}\n{\"root\":{}}"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add(read(f, "testdata/inspect.eval"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := textOf(t, data, 1<<20)
		if err == nil {
			_, err = kindOf(text)
		}
		if err != nil && fault.CodeOf(err) == "" {
			t.Errorf("an error without a code: %v", err)
		}
	})
}

// textOf returns the text of a file.
func textOf(t testing.TB, file []byte, most int64) ([]byte, error) {
	t.Helper()
	r, err := Open(bytes.NewReader(file), most)
	if err != nil {
		return nil, err
	}
	return Text(t.Context(), r, most)
}
