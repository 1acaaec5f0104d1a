package intake

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
)

// opened returns what Open and its reader give of a file that arrives byte by byte.
func opened(data []byte, most int64) (text []byte, compact bool, err error) {
	r, err := Open(iotest.OneByteReader(bytes.NewReader(data)), most)
	if err != nil {
		return nil, false, err
	}
	compact = IsCompact(r)
	text, err = io.ReadAll(r)
	return text, compact, err
}

func TestOpenReadsWhatArrives(t *testing.T) {
	compact := read(t, "../../../examples/conversations/repair.jsonl")
	header := compact[:bytes.IndexByte(compact, '\n')]
	for name, text := range map[string][]byte{"compact": compact, "snapshots": []byte("{\"root\":{}}\n{\"root\":{}}\n"),
		"no whole line": header, "empty": {}, "short": []byte("{")} {
		zipped, packed := compressed(t, text)
		for how, data := range map[string][]byte{"plain": text, "gzip": zipped.Bytes(), "zstd": packed.Bytes(),
			"with a byte order mark": append([]byte("\ufeff"), text...)} {
			got, is, err := opened(data, int64(len(text)))
			if !bytes.Equal(got, text) || err != nil || is != (name == "compact") {
				t.Errorf("%s, %s: %d bytes of %d, compact: %v, %v", name, how, len(got), len(text), is, err)
			}
		}
	}
}

func TestOpenRefusesWhatItCannotRead(t *testing.T) {
	testrun.OneGoroutine(t)
	bomb, packedBomb := compressed(t, make([]byte, 64<<20))
	twice, _ := compressed(t, bomb.Bytes())
	_, whole := compressed(t, read(t, "../../../examples/conversations/repair.jsonl"))
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"a bomb":                 {bomb.Bytes(), fault.Limit},
		"a bomb of Zstandard":    {packedBomb.Bytes(), fault.Limit},
		"compressed twice":       {twice.Bytes(), fault.DocumentInvalid},
		"gzip cut short":         {bomb.Bytes()[:1000], fault.DocumentInvalid},
		"Zstandard cut short":    {whole.Bytes()[:1000], fault.DocumentInvalid},
		"only the mark of gzip":  {[]byte("\x1f\x8b\x08"), fault.DocumentInvalid},
		"no gzip after the mark": {[]byte("\x1f\x8b" + strings.Repeat("x", 100)), fault.DocumentInvalid},
	} {
		text, _, err := opened(c.data, 1<<20)
		if fault.CodeOf(err) != c.code || len(text) > 1<<20 {
			t.Errorf("%s: %d bytes, %v; want %s", name, len(text), err, c.code)
		}
	}
	broken := errors.New("the connection broke")
	r, err := Open(io.MultiReader(bytes.NewReader(bomb.Bytes()[:1000]), iotest.ErrReader(broken)), 1<<30)
	must(t, err)
	if _, err := io.ReadAll(r); !errors.Is(err, broken) {
		t.Errorf("%v does not tell what the reader met", err)
	}
}

// FuzzOpen holds that what arrives in pieces is the text that Text returns of the whole.
func FuzzOpen(f *testing.F) {
	zipped, packed := compressed(f, []byte(`{"pact_history":1}`+"\n"))
	f.Add(zipped.Bytes())
	f.Add(packed.Bytes())
	f.Add([]byte("\ufeff[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _, err := opened(data, 1<<20)
		if err != nil && fault.CodeOf(err) == "" {
			t.Errorf("an error without a code: %v", err)
		}
		if err != nil {
			return
		}
		if want, failed := textOf(t, data, MaxText); failed == nil && !bytes.Equal(got, want) {
			t.Errorf("%q, but the whole gives %q", got, want)
		}
	})
}
