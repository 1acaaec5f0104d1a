package cli

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
)

// oldLines has for each old name a command line, and the one that does today what it did; "" for one that none does.
var oldLines = []struct{ old, line, now string }{
	{"attempts", "chat --json", "log --attempts chat --json"},
	{"attempts list", "list --json --db d -- chat", "log --attempts --json --db d -- chat"},
	{"attempts start", "start chat --provider p --model m --out=f", "commit --start chat --provider p --model m --send=f"},
	{"attempts end", "end --json --status s -- chat attempt:1-1", "request --json=true --status=s --end=attempt:1-1 -- chat"},
	{"blame", "chat @t-1", "life chat @t-1"},
	{"cat", "chat @c2 a b --raw", "show chat @c2 a b --raw"},
	{"db", "", "copy"},
	{"db backup", "backup to.db --db from.db", "copy --db=from.db --backup=to.db --"},
	{"db check", "check --json", "verify --all --json"},
	{"db compact", "compact --db d", "copy --compact --db d"},
	{"explain", "chat .block --json", "select --explain chat .block --json"},
	{"fmt", "--edition v0.1 -- .cb", "select --normal --edition v0.1 -- .cb"},
	{"hash", "--file node.json", "verify --hash --file node.json"},
	{"hook", "--policy p.json", "import --hook --policy p.json"},
	{"prefix", "chat @c1 @c3 --breaks", "log --prefix chat @c1 @c3 --breaks"},
	{"prune", "chat a --max-nodes 5 b --message chat", "commit --max-nodes=5 --message=chat --prune=a --prune=b -- chat"},
	{"prune", "--select .a --select .b chat --dry-run", "commit --dry-run=true --select=.a --select=.b -- chat"},
	{"prune", "chat --dry-run", ""},
	{"replay", "h.jsonl --json", "verify --export --json=true --file=h.jsonl --"},
	{"replay", "-", "verify --export --file=- --"},
	{"thread", "chat @t0 --as openai --request", "show --as=thread chat @t0 --as openai --request"},
	{"thread --verbatim", "--verbatim chat @c2", "request chat @c2"},
	{"validate", "--file=h.jsonl --json", "verify --file=h.jsonl --json"},
	{"version", "--json", "--version --json"},
}

// Each old name stands for the command line that does its work now.
func TestOldNamesAreTranslated(t *testing.T) {
	tried := map[string]bool{}
	for _, x := range oldLines {
		name, _, _ := strings.Cut(x.old, " ")
		old, line := translate(root(command.New(command.Streams{})), name, strings.Fields(x.line))
		if now := strings.Join(line, " "); now != x.now || old != x.old {
			t.Errorf("pact %s %s: %s is %q, want %s as %q", name, x.line, old, now, x.old, x.now)
		}
		tried[x.old] = true
	}
	for name := range oldNames {
		if !tried[name] {
			t.Errorf("no line tries pact %s", name)
		}
	}
}
