package tokens

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"o200k_base": "o200k_base", "cl100k_base": "cl100k_base", "approx:o200k_base": "approx:o200k_base",
		"approx:bytes/4": "approx:bytes/4",
		"gpt-4o":         "o200k_base", "gpt-4o-mini-2024-07-18": "o200k_base",
		"gpt-4.1-nano": "o200k_base", "gpt-5": "o200k_base",
		"gpt-5.1": "o200k_base",
		"o1":      "o200k_base", "o3-mini": "o200k_base", "gpt-oss-120b": "o200k_base",
		"gpt-4": "cl100k_base", "gpt-4-turbo": "cl100k_base", "gpt-3.5-turbo-0125": "cl100k_base",
		"claude-sonnet-4": "approx:o200k_base", "gemini-2.5-pro": "approx:o200k_base", "llama3.1:70b": "approx:o200k_base",
		"mistral-large": "approx:o200k_base",
	} {
		c, err := Named(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Name() != want {
			t.Errorf("%s is counted by %s; want %s", name, c.Name(), want)
		}
	}
	for _, name := range []string{"", "gpt", "gpt-6", "gpt-4x", "o1x", "o200k", "o200k_base ", "approx:cl100k_base",
		"GPT-4o", "p50k_base"} {
		_, err := Named(name)
		if e, ok := err.(*fault.Error); !ok || e.Code != fault.DocumentInvalid || !strings.Contains(e.Remedy, "cl100k_base") {
			t.Errorf("%q: %v, want E_DOCUMENT_INVALID with the names", name, err)
		}
	}
}

func TestEveryNameIsKnown(t *testing.T) {
	for _, name := range Names() {
		c, err := Named(name)
		if err != nil {
			t.Error(err)
		} else if again, err := Named(c.Name()); err != nil || again != c {
			t.Errorf("the counter of %s is not known by its own name %s", name, c.Name())
		}
	}
}

// No family hides another: each that begins with an earlier one would never be found.
func TestFamiliesCanBeReached(t *testing.T) {
	for i, f := range families {
		for _, earlier := range families[:i] {
			if rest, found := strings.CutPrefix(f.name, earlier.name); found && (rest == "" || rest[0] == '-' ||
				rest[0] == '.') {
				t.Errorf("%s hides %s", earlier.name, f.name)
			}
		}
	}
	if names := Names(); len(names) != len(slices.Compact(slices.Sorted(slices.Values(names)))) {
		t.Error("a name is listed twice")
	}
}

func TestBytesAreCountedByFours(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "中文": 2} {
		if n := quarter.Count(text); n != want {
			t.Errorf("%q has %d, want %d", text, n, want)
		}
	}
}

// naming is how many bytes were allocated to name every counter, before
// anything was counted.
var naming uint64

func TestMain(m *testing.M) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, name := range Names() {
		if _, err := Named(name); err != nil {
			panic(err)
		}
	}
	quarter.Count("takes no vocabulary")
	runtime.ReadMemStats(&after)
	naming = after.TotalAlloc - before.TotalAlloc
	os.Exit(m.Run())
}

func TestOnlyCountingLoadsAVocabulary(t *testing.T) {
	if naming > 100_000 {
		t.Errorf("naming the counters allocates %d bytes", naming)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	load("cl100k_base.tiktoken")
	runtime.ReadMemStats(&after)
	if read := after.TotalAlloc - before.TotalAlloc; read < 1_000_000 {
		t.Errorf("loading allocates %d bytes: the test above shows nothing", read)
	}
}
