package testrun

import (
	"os"
	"path/filepath"
	"testing"
)

// FindShared returns the files that one of the patterns of [filepath.Glob] matches in a folder of the real conversations
// and documents, data or spec, which are no part of the module: below PACT_SHARED, in PACT_SHARED itself, or below a folder
// called shared beside one that the test stands in. It returns none where they are not.
func FindShared(folder string, patterns ...string) []string {
	var places []string
	if dir := os.Getenv("PACT_SHARED"); dir != "" {
		places = append(places, filepath.Join(dir, folder), dir)
	}
	for dir, err := os.Getwd(); err == nil && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(filepath.Dir(dir), "shared", folder))
	}
	for _, place := range places {
		var files []string
		for _, pattern := range patterns {
			found, err := filepath.Glob(filepath.Join(place, filepath.FromSlash(pattern)))
			if err != nil {
				panic(err) // the pattern stands in a test
			}
			files = append(files, found...)
		}
		if len(files) > 0 {
			return files
		}
	}
	return nil
}

// Shared is FindShared for a test that needs the files: without any it is left out or, where PACT_REQUIRE_SHARED is 1,
// fails.
func Shared(t testing.TB, folder string, patterns ...string) []string {
	t.Helper()
	files := FindShared(folder, patterns...)
	if files == nil && os.Getenv("PACT_REQUIRE_SHARED") == "1" {
		t.Fatalf("%v of %s is required and was not found", patterns, folder)
	}
	if files == nil {
		t.Skipf("left out: there is no %v of %s in PACT_SHARED or ../shared", patterns, folder)
	}
	return files
}
