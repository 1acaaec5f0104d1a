package pact_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed is the table of docs/architecture.md: what each package may import
// of this module, and whether it may import anything beyond the standard
// library. Data flows one way.
var allowed = map[string]struct {
	own   []string
	third bool
}{
	"fault":             {},
	"internal/safefile": {},
	"internal/canon":    {own: []string{"fault"}},
	"internal/wire":     {own: []string{"fault", "internal/canon"}},
	"internal/api":      {own: []string{"fault", "internal/canon"}},
	"internal/answer":   {own: []string{"internal/canon", "internal/api"}},
	"internal/dialect":  {own: []string{"internal/canon", "internal/api"}},
	"tree":              {own: []string{"fault", "internal/canon"}},
	"internal/toolcall": {own: []string{"internal/canon", "tree"}},
	"internal/listing": {own: []string{"", "lifecycle", "tree", "internal/blockkind", "internal/canon",
		"internal/provenance", "internal/toolcall", "internal/wording"}},
	"internal/reading":   {own: []string{"", "tree", "internal/canon", "internal/toolcall", "internal/wording"}},
	"internal/blockkind": {own: []string{"tree"}},
	"internal/wording":   {own: []string{"diff", "inspect", "internal/blockkind", "internal/canon", "internal/toolcall"}},
	"internal/strata": {own: []string{"", "fault", "inspect", "record", "store", "tree", "internal/blockkind",
		"internal/provenance", "internal/wording"}},
	"lifecycle":       {own: []string{"fault", "tree"}},
	"selector":        {own: []string{"fault"}},
	"internal/budget": {own: []string{"fault"}},
	"internal/query": {own: []string{"fault", "internal/canon", "internal/budget", "internal/toolcall", "tree", "selector",
		"inspect"}},
	"diff":                    {own: []string{"fault", "internal/canon"}},
	"internal/differ":         {own: []string{"fault", "internal/canon", "tree", "diff", "internal/differ/content"}},
	"internal/differ/content": {own: []string{"internal/canon", "diff"}, third: true},
	"internal/document":       {own: []string{"fault", "internal/canon", "tree", "selector", "inspect"}},
	"store":                   {own: []string{"fault", "internal/canon", "tree", "lifecycle"}},
	"store/storetest": {own: []string{"fault", "internal/canon", "tree", "lifecycle", "store", "internal/transfer",
		"internal/testrun"}, third: true},
	"store/internal/page":      {own: []string{"tree", "store"}, third: true},
	"store/internal/directory": {own: []string{"tree", "store", "store/internal/page"}},
	"store/internal/sqlstore": {own: []string{"fault", "internal/canon", "tree", "lifecycle", "store",
		"store/internal/page", "store/internal/directory"}},
	"store/sqlite": {own: []string{"fault", "internal/safefile", "store", "store/internal/sqlstore"},
		third: true},
	"store/postgres": {own: []string{"fault", "store", "store/internal/sqlstore"}, third: true},
	"inspect":        {own: []string{"fault", "lifecycle", "selector", "diff"}},
	"internal/provenance": {own: []string{"fault", "tree", "lifecycle", "diff", "store", "inspect",
		"internal/differ"}},
	"internal/search": {own: []string{"fault", "tree", "selector", "internal/query", "diff", "inspect",
		"internal/differ"}},
	"internal/archive": {own: []string{"fault", "internal/canon", "tree", "lifecycle", "selector",
		"internal/document", "store", "inspect", "internal/differ", "internal/provenance"}},
	"internal/verify": {own: []string{"fault", "internal/canon", "tree", "store", "inspect",
		"internal/provenance"}},
	"internal/transfer": {own: []string{"fault", "tree", "store", "inspect", "internal/verify"}},
	"": {own: []string{"fault", "internal/canon", "internal/budget", "tree", "lifecycle", "selector", "internal/query",
		"internal/search", "diff", "internal/document", "store", "inspect", "internal/differ", "internal/provenance",
		"internal/archive", "internal/verify", "internal/transfer"}},
	"transcript": {own: []string{"", "fault", "internal/canon", "inspect", "tree", "lifecycle", "store"}},
	"record": {own: []string{"", "fault", "internal/canon", "internal/wire", "internal/api", "internal/answer",
		"internal/dialect", "inspect", "tree", "lifecycle", "store", "transcript"}},
	"tokens":             {own: []string{"fault"}, third: true},
	"internal/proxy":     {own: []string{"fault", "internal/api", "record"}},
	"internal/callspans": {own: []string{"record", "store"}, third: true},
	"inspector":          {},
	"server": {own: []string{"", "fault", "internal/canon", "internal/budget", "diff", "inspect", "inspector", "lifecycle",
		"record", "selector", "store", "transcript", "tree", "internal/strata", "internal/blockkind",
		"internal/calllog", "internal/intake", "internal/listing", "internal/provenance", "internal/reading"},
		third: true},
	"conformance": {},
	"internal/cli": {own: []string{"", "fault", "internal/canon", "internal/toolcall",
		"internal/listing", "internal/reading", "internal/wording",
		"tree", "lifecycle", "selector", "diff",
		"inspect", "internal/document", "store",
		"internal/safefile", "store/postgres", "store/sqlite", "tokens", "transcript", "conformance",
		"internal/proxy", "internal/callspans", "internal/calllog", "internal/intake", "record", "server"}, third: true},
	"internal/calllog": {own: []string{"fault", "inspect", "internal/canon", "internal/api"}},
	"internal/intake": {own: []string{"fault", "internal/canon", "internal/calllog", "record", "store", "transcript"},
		third: true},
	"internal/house":        {},
	"internal/goroutines":   {},
	"internal/postgrestest": {third: true},
	"internal/providertest": {},
	"internal/testrun":      {},
	"internal/picture":      {own: []string{"internal/cli"}},
	"internal/release":      {},
	"internal/runtests":     {},
	"cmd/pact":              {own: []string{"internal/cli"}},
	"examples/agentloop":    {own: []string{"", "store", "transcript"}},
	"examples/cut":          {},
	"examples/query":        {own: []string{"", "selector", "store", "transcript"}},
}

func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/contexttree/pact"
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if otherModule := err == nil; otherModule || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = ""
		}
		rule, known := allowed[dir]
		if !known {
			t.Errorf("package %q is not in the table", dir)
			return nil
		}
		seen[dir] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			first, _, _ := strings.Cut(name, "/")
			switch {
			case name == module || strings.HasPrefix(name, module+"/"):
				own := strings.TrimPrefix(strings.TrimPrefix(name, module), "/")
				if !slices.Contains(rule.own, own) {
					t.Errorf("%s imports %q, which its package may not", path, own)
				}
			case strings.Contains(first, ".") && !rule.third:
				t.Errorf("%s imports %s: core packages import the standard library alone", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range allowed {
		if !seen[dir] {
			t.Errorf("the table lists %q, where there is no package", dir)
		}
	}
}

// A package of several files has its package comment in doc.go, and only there,
// so that a reader knows where to begin.
func TestArchitecturePackageCommentsAreInDocGo(t *testing.T) {
	for dir := range allowed {
		paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
		if len(paths) < 2 {
			continue
		}
		var documented []string
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				documented = append(documented, filepath.Base(path))
			}
		}
		if !slices.Equal(documented, []string{"doc.go"}) {
			t.Errorf("package %q has its package comment in %q, not in doc.go alone", dir, documented)
		}
	}
}
