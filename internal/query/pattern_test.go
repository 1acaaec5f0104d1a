package query_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// library is a tree of blocks b0, b1 … with these texts.
func library(tb testing.TB, texts ...string) *tree.Tree {
	tb.Helper()
	nodes := []tree.Placed{
		{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never}, nil), Parent: -1},
		{Node: tree.NewNode(tree.Node{ID: "sys", Type: "^sys", Expiry: tree.Never}, nil), Parent: 0},
	}
	for i, text := range texts {
		n := tree.Node{ID: fmt.Sprint("b", i), Type: "cb", CreatedNS: int64(i), Expiry: tree.Never,
			Content: tree.InMemory(canon.String(text))}
		nodes = append(nodes, tree.Placed{Node: tree.NewNode(n, nil), Parent: 1})
	}
	t, err := tree.Build(1, nodes)
	must(tb, err)
	return t
}

// watch is a context that counts how often one looks whether it has ended, and
// ends after a number of looks.
type watch struct {
	context.Context
	looks, end int
}

func (w *watch) Err() error {
	if w.looks++; w.end > 0 && w.looks > w.end {
		return context.Canceled
	}
	return nil
}

func runPattern(tb testing.TB, ctx context.Context, t *tree.Tree, pattern string) (query.Result, error) {
	tb.Helper()
	plan, err := query.Compile(selector.MustParse(".cb[content~'"+pattern+"']", selector.Depth))
	must(tb, err)
	return plan.Run(ctx, t)
}

// A pattern of many states on a long text is refused before it is begun,
// wherever the bytes are: in one text or in many.
func TestMatchingIsBounded(t *testing.T) {
	const pattern = "(a?){900}b" // more than 900 states
	for name, tr := range map[string]*tree.Tree{
		"one text":   library(t, strings.Repeat("a", 3<<20)),
		"many texts": library(t, append(make([]string, 3), strings.Repeat("a", 1<<19), strings.Repeat("a", 1<<20))...),
	} {
		_, err := runPattern(t, context.Background(), tr, pattern)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Limit || f.Token != pattern || f.Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = strings.Repeat("a", 100_000)
	}
	// the first texts are within the bound: they need not be read to their ends
	ctx := &watch{Context: context.Background(), end: 40}
	if _, err := runPattern(t, ctx, library(t, texts...), pattern); !errors.Is(err, context.Canceled) {
		t.Errorf("texts that are within the bound one by one: %v", err)
	}
}

// Literals cost what a look for them costs, however long the texts are.
func TestLiteralsAreNotBounded(t *testing.T) {
	long := strings.Repeat("a", 1<<21)
	tr := library(t, long, long+"needle", "needle")
	for pattern, want := range map[string]string{
		"needle":     "[b1 b2]",
		"need(l)e":   "[b1 b2]",
		"needle.*x?": "[b1 b2]",
		"haystack":   "[]",
		"^needle$":   "[b2]",
		"":           "[b0 b1 b2]",
	} {
		r, err := runPattern(t, context.Background(), tr, pattern)
		if got := fmt.Sprint(r.IDs()); err != nil || got != want {
			t.Errorf("%s: got %s, want %s, %v", pattern, got, want, err)
		}
	}
}

// While a pattern is matched one looks whether the context has ended, at least
// every 2^18 steps, each of them a state and a byte; and then it ends at once.
func TestMatchingHearsTheEndOfTheContext(t *testing.T) {
	const pattern, states = "(a?){90}b", 180 // two states for every repetition, at least
	long := make([]string, 1)
	long[0] = strings.Repeat("a", 40_000)
	short := make([]string, 40)
	for i := range short {
		short[i] = strings.Repeat("a", 1000)
	}
	for name, texts := range map[string][]string{"one text": long, "many texts": short} {
		tr := library(t, texts...)
		free := &watch{Context: context.Background()}
		_, err := runPattern(t, free, tr, pattern)
		must(t, err)
		if least := states * 40_000 >> 18; free.looks < least {
			t.Errorf("%s: %d looks, want at least %d", name, free.looks, least)
		}
		ended := &watch{Context: context.Background(), end: 3}
		if _, err := runPattern(t, ended, tr, pattern); !errors.Is(err, context.Canceled) || ended.looks > 6 {
			t.Errorf("%s: %v after %d looks", name, err, ended.looks)
		}
	}
}

// Long texts are read in another way than short ones, with the same results.
func TestLongTextsMatchAsShortOnesDo(t *testing.T) {
	filler := strings.Repeat("é\xff.\n", 60_000)
	texts := []string{filler + "needle", "needle" + filler, filler + "\nneedle\n" + filler, filler, filler + "xneedlex",
		"needle"}
	for i := range texts {
		texts[i] = strings.ToValidUTF8(texts[i], "\ufffd")
	}
	tr := library(t, texts...)
	for _, pattern := range []string{"^needle", "needle$", "(?m)^needle$", `\bneedle\b`, "needle.", "(?s)needle.",
		".needle", "n(e|x)+dle", "(?i)NEEDLE", "[^e]needle", "(?s)needle.*n", "é.\\.", `\Aneedle\z`, "(?s)^.*needle"} {
		re := regexp.MustCompile(pattern)
		var want []string
		for i, text := range texts {
			if re.MatchString(text) {
				want = append(want, fmt.Sprint("b", i))
			}
		}
		r, err := runPattern(t, context.Background(), tr, pattern)
		if err != nil || strings.Join(r.IDs(), " ") != strings.Join(want, " ") {
			t.Errorf("%s: got %q, want %q, %v", pattern, r.IDs(), want, err)
		}
	}
}
