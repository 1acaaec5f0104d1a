package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// requirement is a sentence, a row of a table or a printed example of the documents, once for all places that print it.
type requirement struct {
	Level  string               `json:"level"` // MUST, SHOULD, MAY, or stated: an example, or a sentence without such a word
	Places []conformance.Source `json:"places"`
	Held   []string             `json:"held"` // cases of the kit, or tests such as internal/query.TestX, or of a script TestScript/x
}

// requirements reads the list of what the five documents require.
func requirements(t *testing.T) []requirement {
	t.Helper()
	data, err := os.ReadFile("requirements.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Requirements []requirement }
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list.Requirements
}

// TestRequirementsAreHeld: every requirement has a case of the kit or a test, and all of them exist.
func TestRequirementsAreHeld(t *testing.T) {
	known := map[string]bool{}
	for _, c := range cases(t) {
		known[c.ID] = true
	}
	for _, r := range requirements(t) {
		if len(r.Places) == 0 || len(r.Held) == 0 {
			t.Errorf("%+v has no place, or nothing holds it", r)
		}
		for _, name := range r.Held {
			if !known[name] && !testExists(t, name) {
				t.Errorf("%v is held by %s, which is neither a case nor a test", r.Places, name)
			}
			known[name] = true
		}
	}
}

func testExists(t *testing.T, name string) bool {
	t.Helper()
	dir, test, _ := strings.Cut(name, ".")
	test, script, some := strings.Cut(test, "/")
	if some {
		if _, err := os.Stat(filepath.Join("..", dir, "testdata", "script", script+".txtar")); err != nil {
			return false
		}
	}
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)")
	})
}

var binding = regexp.MustCompile(`\b(MUST|SHALL|REQUIRED)\b`)

// TestRequirementsAreComplete: each line of the documents that binds is in the list, in its section.
func TestRequirementsAreComplete(t *testing.T) {
	documents := specification(t)
	listed := map[string]bool{}
	for _, r := range requirements(t) {
		for _, p := range r.Places {
			listed[fmt.Sprint(p.Document, " ", p.Line)] = true
			if lines := documents[p.Document]; p.Line < 1 || p.Line > len(lines) {
				t.Errorf("document %s has no line %d", p.Document, p.Line)
			}
		}
	}
	for number, lines := range documents {
		for i, line := range lines {
			if binding.MatchString(line) && !strings.HasPrefix(number, "1.0-") && !listed[fmt.Sprint(number, " ", i+1)] {
				t.Errorf("line %d of document %s is not in the list: %s", i+1, number, line)
			}
		}
	}
}

// TestTableOfRequirements compares the end of docs/specification.md with the list; UPDATE_REQUIREMENTS writes it.
func TestTableOfRequirements(t *testing.T) {
	all, binding := map[string]int{}, map[string]int{}
	owners := map[string]map[string]bool{}
	list := requirements(t)
	for _, r := range list {
		for chapter := range chaptersOf(r) {
			all[chapter]++
			if r.Level == "MUST" {
				binding[chapter]++
			}
			if owners[chapter] == nil {
				owners[chapter] = map[string]bool{}
			}
			for _, name := range r.Held {
				owners[chapter][name] = true
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%d requirements; one that several documents print is one, and counts in each chapter that prints it.\n\n"+
		"| chapter | requirements | with MUST or SHALL | cases and tests that hold them |\n| --- | ---: | ---: | ---: |\n", len(list))
	for _, chapter := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&table, "| %s | %d | %d | %d |\n", chapter, all[chapter], binding[chapter], len(owners[chapter]))
	}
	file := filepath.Join("..", "docs", "specification.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const before = "checked by\ntests.\n\n"
	head, got, found := strings.Cut(string(page), before)
	if os.Getenv("UPDATE_REQUIREMENTS") != "" && found {
		if err := os.WriteFile(file, []byte(head+before+table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if kit, err := os.ReadFile(filepath.Join("..", "docs", "conformance.md")); err != nil ||
		!strings.Contains(string(kit), fmt.Sprintf("| %d cases |", len(cases(t)))) {
		t.Errorf("docs/conformance.md does not count %d cases: %v", len(cases(t)), err)
	}
	if got != table.String() {
		t.Errorf("the end of %s is not the table of the list; UPDATE_REQUIREMENTS=1 writes it", file)
	}
}

// chaptersOf names the chapters that print a requirement, of chapter 04 each version.
func chaptersOf(r requirement) map[string]bool {
	chapters := map[string]bool{}
	for _, p := range r.Places {
		chapter, _, _ := strings.Cut(p.Section, " ")
		switch p.Document {
		case "002":
			chapter = "02"
		case "000":
			chapter = "04"
		case "001", "003":
			chapter = "04, as " + p.Document + " has it"
		}
		chapters[chapter] = true
	}
	return chapters
}
