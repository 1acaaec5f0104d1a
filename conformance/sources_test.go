package conformance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// sharedSpec returns the directory of the documents of the specification.
func sharedSpec(t *testing.T) string { return filepath.Dir(testrun.Shared(t, "spec", "0*.txt")[0]) }

// specification returns the lines of the documents by their numbers.
func specification(t *testing.T) map[string][]string {
	t.Helper()
	place := sharedSpec(t)
	names, _ := filepath.Glob(filepath.Join(place, "0*.txt"))
	documents := map[string][]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		must(t, err)
		number, _, _ := strings.Cut(filepath.Base(name), "_")
		documents[number] = strings.Split(string(data), "\n")
	}
	chapters, _ := filepath.Glob(filepath.Join(place, "1.0", "public", "*", "*"))
	for _, name := range chapters { // the chapters of edition 1.0, its page of examples, and its fixtures
		number := "1.0-" + filepath.Base(name)[:2]
		if filepath.Base(name) == "selector-examples.md" {
			number = "1.0-examples"
		} else if stem, fixture := strings.CutSuffix(filepath.Base(name), ".json"); fixture {
			number = "1.0-" + stem
		} else if filepath.Base(filepath.Dir(name)) != "spec" {
			continue
		}
		data, err := os.ReadFile(name)
		must(t, err)
		documents[number] = strings.Split(string(data), "\n")
	}
	return documents
}

// TestSources looks up every source: the line has its mark or the selector, and
// the heading above it is that of its section.
func TestSources(t *testing.T) {
	documents := specification(t)
	for _, c := range cases(t) {
		if len(c.Sources) == 0 {
			t.Errorf("%s has no source", c.ID)
		}
		for _, s := range c.Sources {
			lookUp(t, documents, c.ID, s, c.Selector)
		}
	}
	for _, item := range items(t) {
		if len(item.Sources) == 0 {
			t.Errorf("%s has no source", item.ID)
		}
		for _, s := range item.Sources {
			lookUp(t, documents, item.ID, s, "")
		}
	}
}

func lookUp(t *testing.T, documents map[string][]string, id string, s conformance.Source, selector string) {
	t.Helper()
	mark := s.Mark
	if mark == "" {
		mark = selector
	}
	lines := documents[s.Document]
	if mark == "" || s.Line < 1 || s.Line > len(lines) || !strings.Contains(lines[s.Line-1], mark) {
		t.Errorf("%s: line %d of document %s has no %q", id, s.Line, s.Document, mark)
		return
	}
	// 004 numbers its sections inside a chapter: "04 6.2". An annex has no number.
	number := s.Section[strings.LastIndexByte(s.Section, ' ')+1:]
	for _, line := range slices.Backward(lines[:s.Line]) {
		heading := numbered.FindStringSubmatch(line)
		if heading == nil || number == "Annex" {
			continue
		}
		if heading[1] != number {
			t.Errorf("%s: line %d of document %s stands in §%s and not in §%s", id, s.Line, s.Document, heading[1], number)
		}
		return
	}
}

// numbered is a heading with a number, or with a letter as in annex 10.
var numbered = regexp.MustCompile(`^#+ ([0-9]+(?:\.[0-9]+)*|[A-F])[. ]`)

// items are the items of all checklists.
func items(t *testing.T) []conformance.Item {
	t.Helper()
	lists, err := conformance.Checklists()
	must(t, err)
	var all []conformance.Item
	for _, l := range lists {
		all = append(all, l.Items...)
	}
	return all
}

// comparison is an attribute that is printed with a remark (04 §5).
var comparison = regexp.MustCompile(`^\[\w.*\] +#`)

// TestPrintedCases holds the kit to a case for every line that prints a query
// with its result: the numbered tests and the golden tests.
func TestPrintedCases(t *testing.T) {
	documents := specification(t)
	have := map[string]map[int]bool{}
	for _, c := range cases(t) {
		for _, s := range c.Sources {
			if have[s.Document] == nil {
				have[s.Document] = map[int]bool{}
			}
			have[s.Document][s.Line] = true
		}
	}
	printed := 0
	for number, lines := range documents {
		if strings.HasPrefix(number, "1.0-") {
			continue // edition 1.0 has a case for every golden
		}
		for i, line := range lines {
			test := strings.HasPrefix(line, "- Query: `") || strings.Contains(line, "` → `[")
			example := comparison.MatchString(line) || strings.HasPrefix(line, `ctx.select("`) ||
				strings.HasPrefix(line, `select("`) || strings.HasPrefix(line, `ctx.add("`)
			if !test && !example {
				continue
			}
			printed++
			if !have[number][i+1] {
				t.Errorf("document %s, line %d has no case: %s", number, i+1, line)
			}
		}
	}
	if printed < 100 {
		t.Errorf("only %d printed queries were found", printed)
	}
}
