package provider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads the body of a request as the rules of a provider do.
func read(t testing.TB, d *CacheRules, name API, body string) *Prompt {
	t.Helper()
	r, ok := ReadRequest(name, parsed(t, body))
	if !ok {
		t.Fatalf("not read: %s", body)
	}
	return d.Read(r, "")
}

func parsed(t testing.TB, text string) canon.Any {
	t.Helper()
	v, err := canon.ParseAny([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// sentByAgents returns the files with what real agents sent. Without them a
// test is left out or, where PACT_REQUIRE_SHARED is 1, fails.
func sentByAgents(t testing.TB) []string {
	t.Helper()
	dir, err := os.Getwd()
	must(t, err)
	places := []string{filepath.Join(os.Getenv("PACT_SHARED"), "data"), os.Getenv("PACT_SHARED")}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		places = append(places, filepath.Join(filepath.Dir(dir), "shared", "data"))
	}
	for _, place := range places {
		if paths, _ := filepath.Glob(filepath.Join(place, "agents", "wire", "*.jsonl")); len(paths) > 0 {
			return paths
		}
	}
	if os.Getenv("PACT_REQUIRE_SHARED") == "1" {
		t.Fatal("the requests of real agents are required and were not found")
	}
	t.Skip("the requests of real agents are not here: the tests on them were left out")
	return nil
}
