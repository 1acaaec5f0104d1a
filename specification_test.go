package pact_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEverySectionHasOneOwner holds docs/specification.md and the lines in
// comments that begin with "Specification:" to each other: every section of the
// table that is a rule is claimed in the file that the table names, and nowhere
// else.
func TestEverySectionHasOneOwner(t *testing.T) {
	claimed := sectionsClaimed(t)
	table, err := os.ReadFile("docs/specification.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (\\d+ §[\\d.]+) \\| [^|]+ \\| (?:–|`([^`]+)` (\\w+)) \\|$")
	rows := row.FindAllStringSubmatch(string(table), -1)
	if len(rows) < 150 {
		t.Fatalf("the table has %d rows that can be read", len(rows))
	}
	seen := make(map[string]bool)
	for _, r := range rows {
		section, owner := r[1], r[2]
		if seen[section] {
			t.Errorf("%s stands twice in the table", section)
		}
		seen[section] = true
		switch got := claimed[section]; {
		case owner == "" && len(got) > 0:
			t.Errorf("%s is no rule by the table, and claimed in %q", section, got)
		case owner != "" && (len(got) != 1 || got[0] != owner):
			t.Errorf("%s belongs in %s by the table, and is claimed in %q", section, owner, got)
		}
	}
	for section, where := range claimed {
		if !seen[section] {
			t.Errorf("%s, claimed in %q, is not in the table", section, where)
		}
	}
}

// sectionsClaimed returns the files that claim each section.
func sectionsClaimed(t *testing.T) map[string][]string {
	t.Helper()
	claimed := make(map[string][]string)
	claim := regexp.MustCompile(`(?m)^// Specification: .+$`)
	section := regexp.MustCompile(`\d+ §[\d.]*\d`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, lines := range claim.FindAllString(string(text), -1) {
			for _, s := range section.FindAllString(lines, -1) {
				claimed[s] = append(claimed[s], filepath.ToSlash(path))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return claimed
}
