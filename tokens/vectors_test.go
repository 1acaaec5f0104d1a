package tokens

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go-loader/assets"

	"github.com/contexttree/pact/internal/testrun"
)

var corpus = flag.String("corpus", "", "more vectors to hold TestVectors against, made by testdata/make_vectors.py")

// The vectors are what OpenAI's own tokenizer made of the texts;
// testdata/make_vectors.py says how.
func TestVectors(t *testing.T) {
	testrun.OneGoroutine(t)
	files := []string{"testdata/vectors.jsonl"}
	if *corpus != "" {
		files = append(files, *corpus)
	}
	for _, file := range files {
		f, err := os.Open(file)
		testrun.Must(t, err)
		defer f.Close()
		n := 0
		lines := bufio.NewReader(f)
		for d := json.NewDecoder(lines); d.More(); n++ {
			var v struct {
				Text   string
				Times  int
				O200k  [2]any `json:"o200k_base"`
				CL100k [2]any `json:"cl100k_base"`
			}
			testrun.Must(t, d.Decode(&v))
			text := strings.Repeat(v.Text, max(v.Times, 1))
			check(t, o200k, text, v.O200k)
			check(t, cl100k, text, v.CL100k)
		}
		if n < 300 {
			t.Errorf("%s has only %d vectors", file, n)
		}
		t.Logf("%s: %d vectors", file, n)
	}
}

func check(t *testing.T, c *Counter, text string, want [2]any) {
	t.Helper()
	shown := text
	if len(shown) > 100 {
		shown = shown[:100] + "…"
	}
	if n := float64(c.Count(text)); n != want[0] {
		t.Errorf("%s: %q has %v tokens, want %v", c.Name(), shown, n, want[0])
	} else if got := digest(ids(c.encoding, text)); got != want[1] {
		t.Errorf("%s: %q has as many tokens as it should, but other ones", c.Name(), shown)
	}
}

func digest(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, " ")))
	return hex.EncodeToString(sum[:8])
}

// ids returns the ids of the tokens that were counted.
func ids(e *encoding, text string) (ids []string) {
	for _, token := range parts(e, text) {
		ids = append(ids, strconv.Itoa(int(e.vocabulary().rank(token))))
	}
	return ids
}

// parts returns the tokens that were counted.
func parts(e *encoding, text string) (tokens []string) {
	e.each(text, func(m *merger, piece string) {
		if m.merge(piece) == 1 {
			tokens = append(tokens, piece)
			return
		}
		for i := int32(0); int(i) < len(piece); i = m.parts[i].next {
			tokens = append(tokens, piece[i:m.parts[i].next])
		}
	})
	return tokens
}

// The sums are those that tiktoken holds its downloads to.
func TestVocabulariesAreThePublishedOnes(t *testing.T) {
	for file, want := range map[string]string{
		"o200k_base.tiktoken":  "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
		"cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
	} {
		data, err := fs.ReadFile(assets.Assets, file)
		testrun.Must(t, err)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has the sum %x", file, sum)
		}
	}
}

// The sum is over a byte for each code point, surrogates included: 1 white
// space, 2 newline, 4 \p{N}, 8 \p{L}, 16 and 32 the first and the second set of
// letters of o200k_base; each asked of tiktoken 0.14 with an encoding of the 256
// bytes that splits by the set alone and so gives no token to any other rune.
func TestRunesAreClassedAsInTheReference(t *testing.T) {
	sum := sha256.New()
	for _, c := range classes() {
		sum.Write([]byte{byte(c)})
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != "ab42129f85a90010f2ae498c06c81a784de31b9eaf00a16af402e67898ee0f92" {
		t.Errorf("the classes of runes have the sum %s: has the standard library another version of Unicode?", got)
	}
}
