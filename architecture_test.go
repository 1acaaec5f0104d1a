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
	"fault":                    {},
	"internal/safefile":        {},
	"internal/canon":           {own: []string{"fault"}},
	"internal/record/wire":     {own: []string{"fault", "internal/canon"}},
	"internal/record/splice":   {own: []string{"internal/canon"}},
	"internal/record/provider": {own: []string{"fault", "internal/canon", "internal/record/splice"}},
	"internal/tree":            {own: []string{"fault", "internal/canon"}},
	"internal/toolcall":        {own: []string{"internal/canon", "internal/tree"}},
	"internal/view": {own: []string{"", "diff", "fault", "inspect", "lifecycle", "record", "selector",
		"internal/tree", "internal/canon", "internal/provenance", "internal/toolcall", "history"}},
	"lifecycle":       {own: []string{"fault", "internal/canon", "internal/tree"}},
	"internal/rules":  {own: []string{"fault", "internal/tree", "lifecycle", "selector", "internal/query"}},
	"selector":        {own: []string{"fault"}},
	"internal/budget": {own: []string{"fault"}},
	"internal/query": {own: []string{"fault", "internal/canon", "internal/budget", "internal/toolcall",
		"internal/tree", "selector", "inspect"}},
	"diff":                    {own: []string{"fault", "internal/canon"}},
	"internal/differ":         {own: []string{"fault", "internal/canon", "internal/tree", "diff", "internal/differ/content"}},
	"internal/differ/content": {own: []string{"internal/canon", "diff"}, third: true},
	"internal/document":       {own: []string{"fault", "internal/canon", "internal/tree", "selector", "inspect"}},
	"history":                 {own: []string{"fault", "internal/canon", "internal/tree"}},
	"store":                   {own: []string{"fault"}},
	"store/storetest":         {own: []string{"fault", "internal/testrun", "store"}},
	"store/internal/sqlkv":    {own: []string{"fault", "store"}},
	"internal/zstd":           {own: []string{"store"}, third: true},
	"internal/engine":         {own: []string{"fault", "history", "internal/canon", "internal/tree", "store"}},
	"internal/engine/enginetest": {own: []string{"fault", "history", "internal/canon", "internal/engine",
		"internal/testrun", "internal/transfer", "internal/tree", "lifecycle"}},
	"internal/dbtest": {own: []string{"", "internal/engine", "store"}},
	"store/sqlite": {own: []string{"fault", "internal/safefile", "internal/zstd", "store", "store/internal/sqlkv"},
		third: true},
	"store/postgres": {own: []string{"fault", "internal/zstd", "store", "store/internal/sqlkv"}, third: true},
	"inspect":        {own: []string{"fault", "lifecycle", "selector", "diff"}},
	"internal/provenance": {own: []string{"fault", "internal/tree", "lifecycle", "diff", "inspect",
		"internal/differ", "history", "internal/engine"}},
	"internal/search": {own: []string{"fault", "internal/tree", "selector", "internal/query", "diff", "inspect",
		"internal/differ"}},
	"internal/archive": {own: []string{"fault", "internal/budget", "internal/canon", "internal/tree", "lifecycle",
		"selector", "internal/document", "inspect", "internal/differ", "internal/provenance", "history",
		"internal/engine"}},
	"internal/verify": {own: []string{"fault", "internal/canon", "internal/tree", "inspect", "internal/provenance",
		"history", "internal/engine"}},
	"internal/transfer": {own: []string{"fault", "internal/tree", "inspect", "internal/verify", "history",
		"internal/engine"}},
	"": {own: []string{"fault", "internal/canon", "internal/budget", "internal/tree", "lifecycle", "selector",
		"internal/rules", "internal/query", "internal/search", "diff", "internal/document", "inspect",
		"internal/differ", "internal/provenance", "internal/archive", "internal/verify", "internal/transfer",
		"history", "internal/engine", "store"}},
	"transcript": {own: []string{"", "fault", "internal/budget", "internal/canon", "inspect", "internal/tree",
		"lifecycle", "store"}},
	"record": {own: []string{"", "fault", "internal/canon", "internal/record/wire", "internal/record/provider",
		"inspect", "internal/tree", "lifecycle", "transcript", "history", "internal/record/splice", "store"}},
	"tokens":                    {own: []string{"fault"}, third: true},
	"internal/record/proxy":     {own: []string{"fault", "internal/record/provider", "record"}},
	"internal/record/callspans": {own: []string{"record", "history"}, third: true},
	"inspector":                 {},
	"server": {own: []string{"", "fault", "internal/canon", "internal/budget", "diff", "inspect", "inspector",
		"lifecycle", "record", "selector", "transcript", "internal/tree", "internal/record/calllog",
		"internal/record/intake", "internal/view", "history", "internal/engine", "store"}, third: true},
	"conformance": {},
	"internal/operations": {own: []string{"", "fault", "internal/canon", "lifecycle", "selector", "internal/tree",
		"store"}},
	"internal/view/story": {own: []string{"", "inspect", "internal/canon", "internal/toolcall", "internal/view",
		"lifecycle", "record", "selector", "transcript", "internal/tree", "history"}},
	"internal/cli/screen": {own: []string{"internal/view"}, third: true},
	"internal/cli/command": {own: []string{"", "diff", "fault", "inspect", "internal/canon", "internal/cli/screen",
		"internal/record/calllog", "internal/record/intake", "internal/safefile", "internal/toolcall", "internal/view",
		"internal/view/story", "lifecycle", "record", "selector", "server", "store/postgres", "store/sqlite", "tokens",
		"transcript", "internal/tree", "history", "store"}, third: true},
	"internal/cli/bring": {own: []string{"", "fault", "inspect", "internal/budget", "internal/cli/command",
		"internal/cli/screen", "internal/record/calllog", "internal/record/intake", "internal/view",
		"internal/view/story", "lifecycle", "record", "selector", "server", "store/postgres", "transcript",
		"internal/tree", "history", "store", "internal/simulate", "tokens", "internal/canon",
		"internal/record/provider", "internal/record/splice"}, third: true},
	"internal/cli/wire": {own: []string{"fault", "internal/cli/command", "internal/cli/screen",
		"internal/record/callspans", "internal/record/proxy", "internal/view", "record", "server", "history", ""},
		third: true},
	"internal/cli/ask": {own: []string{"", "diff", "fault", "inspect", "internal/canon", "internal/cli/command",
		"internal/cli/screen", "internal/toolcall", "internal/view", "internal/view/story", "lifecycle", "record",
		"selector", "tokens", "internal/tree"}, third: true},
	"internal/cli/trace": {own: []string{"", "diff", "fault", "inspect", "internal/canon", "internal/cli/command",
		"internal/cli/screen", "internal/view", "internal/view/story", "lifecycle", "record", "transcript",
		"internal/tree", "history", "internal/simulate", "tokens"}, third: true},
	"internal/cli/edit": {own: []string{"", "fault", "inspect", "internal/canon", "internal/cli/command",
		"internal/cli/screen", "internal/operations", "internal/view", "internal/view/story", "lifecycle", "record",
		"selector", "internal/simulate", "tokens"}, third: true},
	"internal/cli/care": {own: []string{"", "conformance", "diff", "fault", "inspect", "internal/archive",
		"internal/canon", "internal/cli/command", "internal/cli/screen", "internal/document", "internal/record/intake",
		"internal/view", "record", "selector", "store/postgres", "store/sqlite", "transcript", "internal/tree",
		"store"}, third: true},
	"internal/cli": {own: []string{"internal/cli/ask", "internal/cli/bring", "internal/cli/care",
		"internal/cli/command", "internal/cli/edit", "internal/cli/screen", "internal/cli/trace", "internal/cli/wire",
		"internal/document"}, third: true},
	"internal/record/calllog": {own: []string{"fault", "inspect", "internal/canon", "internal/record/provider"}},
	"internal/record/intake": {own: []string{"fault", "inspect", "internal/budget", "internal/canon",
		"internal/record/calllog", "record", "transcript", ""}, third: true},
	"internal/postgrestest": {third: true},
	"internal/providertest": {},
	"internal/testrun":      {},
	"internal/release":      {},
	"cmd/pact":              {own: []string{"internal/cli"}},
	"examples/agentloop":    {own: []string{"", "transcript", "store"}},
	"examples/cut":          {},
	"examples/query":        {own: []string{"", "selector", "transcript", "store"}},
	"internal/simulate": {own: []string{"", "fault", "history", "inspect", "internal/canon",
		"internal/record/provider", "internal/rules", "internal/toolcall", "internal/tree", "lifecycle", "record",
		"selector"}},
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
