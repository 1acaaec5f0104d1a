package exports

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/store"
)

// runs are the writers of whole runs.
var runs = map[string]func(context.Context, io.Writer, *pact.Context, pact.Address, func(int, int)) ([]Lost, error){
	"atif": ATIF, "otlp": OTLP,
}

// imported returns the contexts that a log makes.
func imported(t *testing.T, data []byte) (made []*pact.Context) {
	t.Helper()
	log, err := calllog.Read(data)
	must(t, err)
	plan, err := intake.PlanLog(t.Context(), log, intake.Options{Name: "run"})
	must(t, err)
	db := pact.NewDB(store.NewMemory())
	_, err = plan.Import(t.Context(), db, func(int, int) {})
	must(t, err)
	list, err := pact.List(t.Context(), db)
	must(t, err)
	for _, info := range list {
		c, err := pact.Open(t.Context(), db, info.Name, nil)
		must(t, err)
		if first, last := c.Info().First, c.Info().Cycle; last >= first { // else nothing was answered
			made = append(made, c)
		}
	}
	return made
}

// written returns what a form carries of a context.
func written(t *testing.T, form string, c *pact.Context) ([]byte, []Lost) {
	t.Helper()
	var to bytes.Buffer
	lost, err := runs[form](t.Context(), &to, c, "latest", func(int, int) {})
	must(t, err)
	return to.Bytes(), lost
}

// told says of each call what it was sent, what was answered, and what it took, and what no call has sent yet.
func told(t *testing.T, c *pact.Context) (lines []string) {
	t.Helper()
	parts := func(list []*part) (words []string) {
		for _, p := range list {
			words = append(words, fmt.Sprint(p.Role, " ", p.Kind, " ", p.Call, " ", p.Name, " ", p.Failed, " ", string(p.Content.Value())))
		}
		return words
	}
	count := func(list ...*int64) (text string) {
		for _, n := range list {
			if n == nil {
				text += "-/"
			} else {
				text += fmt.Sprint(*n, "/")
			}
		}
		return text
	}
	unsent, err := walk(t.Context(), c, "latest", func(c *call) error {
		if len(c.answer) == 0 {
			return nil
		}
		tools, _ := toolsOf(c)
		paid := ""
		if c.paid != nil {
			paid = fmt.Sprintf("%.9f", *c.paid)
		}
		u := c.usage
		if strings.HasPrefix(c.model, "claude") { // import takes it for the API of Anthropic, which counts none
			u.Reasoning = nil
		}
		lines = append(lines, fmt.Sprint(cmp.Or(c.model, "unknown"), " ", len(tools), " tools ", count(u.In, u.Out, u.Cached, u.Written, u.Reasoning), paid, "\n",
			strings.Join(slices.Concat(parts(c.system), parts(c.said), []string{"->"}, parts(c.answer)), "\n")))
		return nil
	}, func(int, int) {})
	must(t, err)
	if len(unsent) > 0 {
		lines = append(lines, "unsent: "+strings.Join(parts(unsent), "\n"))
	}
	return lines
}

// samples are the contexts that the samples of all formats make, by the names of their files.
func samples(t *testing.T) iter.Seq2[string, *pact.Context] {
	files, err := filepath.Glob("../calllog/testdata/*")
	if err != nil || len(files) < 30 {
		t.Fatal(err, files)
	}
	return func(yield func(string, *pact.Context) bool) {
		for _, name := range files {
			data, err := os.ReadFile(name)
			must(t, err)
			for _, c := range imported(t, data) {
				if !yield(filepath.Base(name), c) {
					return
				}
			}
		}
	}
}

// changes are losses that change what is said, or what is paid.
func changes(lost []Lost) bool {
	return slices.ContainsFunc(lost, func(l Lost) bool {
		return l.Count > 0 && !strings.HasPrefix(l.What, "signature") && !strings.HasPrefix(l.What, "call ") &&
			!strings.HasPrefix(l.What, "attempt") && !strings.HasPrefix(l.What, "answer that")
	})
}

// What is written and read again says the same: blocks, tools, usage and money, unless the export said what it loses.
// And what was read so is written again byte for byte.
func TestWhatIsExportedIsImportedAgain(t *testing.T) {
	for form := range runs {
		whole := 0
		for name, c := range samples(t) {
			text, lost := written(t, form, c)
			want := told(t, c)
			if len(want) == 0 {
				continue
			}
			var got []string // of spans, which do not say that a compaction goes on, each part is a context
			for _, again := range imported(t, text) {
				got = append(got, told(t, again)...)
			}
			if changes(lost) {
				t.Logf("%s of %s %s: %v", form, name, c.Info().Name, lost)
				continue
			}
			whole++
			if slices.ContainsFunc(want, func(line string) bool { return !slices.Contains(got, line) }) {
				t.Errorf("%s of %s %s, which loses %v:\n%s\n=== want\n%s", form, name, c.Info().Name, lost,
					strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if whole < 20 {
			t.Errorf("%d contexts came back from %s", whole, form)
		}
	}
}

// A session that is read again says what the thread said: the parts of the conversation in their order.
func TestASessionIsReadAgain(t *testing.T) {
	said := func(c *pact.Context) (lines []string) {
		at := &call{}
		must(t, (&reader{ctx: t.Context(), known: map[string]*part{}}).read(at, c.Working()))
		for _, p := range at.said {
			lines = append(lines, fmt.Sprint(p.Role, " ", p.Kind, " ", p.Call, " ", p.Name, " ", p.Failed, " ", string(p.Content.Value())))
		}
		return lines
	}
	for form, write := range sessions {
		whole := 0
		for name, c := range samples(t) {
			var out bytes.Buffer
			made, err := write(t.Context(), &out, c, c.Working())
			if err != nil {
				continue
			}
			if changes(slices.DeleteFunc(made.Lost, func(l Lost) bool { return strings.HasSuffix(l.What, "as the agent sends its own") })) {
				continue
			}
			for _, again := range imported(t, out.Bytes()) {
				if got, want := said(again), said(c); !slices.Equal(got, want) {
					t.Errorf("%s of %s %s:\n%s\n=== want\n%s", form, name, c.Info().Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
				} else {
					whole++
				}
			}
		}
		if whole < 5 { // a rollout has no mark of failed calls, which many of them have
			t.Errorf("%d contexts came back from %s", whole, form)
		}
	}
}
