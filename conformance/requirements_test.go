package conformance_test

import (
	"encoding/json"
	"fmt"
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
	must(t, err)
	var list struct{ Requirements []requirement }
	must(t, json.Unmarshal(data, &list))
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
	must(t, err)
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

// TestCountsOfThePage: the page counts requirements and cases as they are.
func TestCountsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/conformance.md")
	must(t, err)
	for _, says := range []string{fmt.Sprintf("there are %d.", len(requirements(t))), fmt.Sprintf("| %d cases |", len(cases(t)))} {
		if !strings.Contains(string(page), says) {
			t.Errorf("docs/conformance.md does not say %q", says)
		}
	}
}
