package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
)

// How the bytes that a command allocates may grow from a run of some calls to one of four times as many: by less than
// their square root, or as they do, with a little more for what a short run lacks.
const (
	flat   = 2 * 1.5
	linear = 4 * 1.15
)

// commandCosts has for each command how it may grow, and its arguments. RUN stands for a recorded session, LOG for the
// file that it was imported from, MANY for one of as many conversations of a call, POLICY for one by which results are due
// that it seldom pays to take, OUT for a file to write.
var commandCosts = map[string]struct {
	most float64
	args string
}{
	"assert":           {linear, "assert RUN --breaks 1000 --max-tokens 1000000000 --max-cost 1000 --prefix-of RUN --check anthropic --no-orphans"},
	"add":              {flat, "add RUN --role user --content x"},
	"log --attempts":   {linear, "log RUN --attempts --json"},
	"life @t0":         {linear, "life RUN @t0 --json"},
	"show ID":          {flat, "show RUN block:2-0"},
	"commit":           {linear, "commit RUN"},
	"contexts":         {flat, "contexts --json"},
	"verify --all":     {linear, "verify --all"},
	"copy --compact":   {linear, "copy --compact"},
	"delete":           {flat, "delete RUN --yes"},
	"diff of runs":     {linear, "diff RUN RUN --json"},
	"diff":             {flat, "diff RUN @t-1 @t0 --rich"},
	"erase":            {linear, "erase RUN --containing question-8- --reason asked --yes"},
	"select --explain": {linear, "select RUN .block --explain"},
	"export":           {linear, "export RUN"},
	"findings":         {linear, "findings RUN --json"},
	"fork":             {flat, "fork RUN @c3 other"},
	"grep":             {linear, "grep RUN question-8-"},
	"verify --hash":    {flat, "verify RUN @t0 --hash"},
	"import":           {linear, "import LOG --name again"},
	"life":             {flat, "life RUN block:2-0"},
	"log":              {linear, "log RUN --json"},
	"log --family":     {linear, "log RUN --family --json"},
	"log -n":           {flat, "log RUN -n 3"},
	"open":             {linear, "open LOG --no-browser"},
	"open of many":     {linear, "open MANY --no-browser"},
	"open --export":    {linear, "open RUN --export OUT"},
	"log --prefix":     {linear, "log RUN --prefix --json"},
	"rename":           {flat, "rename RUN other"},
	"request":          {linear, "request RUN @t0"},
	"select":           {linear, "select RUN @*_.block"},
	"show":             {linear, "show RUN @t0"},
	"simulate":         {linear, "simulate RUN --policy POLICY --json"},
	"show --as":        {linear, "show RUN @t0 --as thread"},
	"verify":           {linear, "verify RUN"},

	"log --compactions": {linear, "log RUN --compactions --json"},
}

// ofOneNode are the commands that touch the working state, one file or the store as a whole, and whose work is counted
// where the rule stands; those that wait for calls; and those that know no context.
var ofOneNode = strings.Fields("apply check completion conformance copy doctor drop help mcp move new policy proxy remove run serve token " +
	"token-add token-list token-revoke undo update")

// No command costs more than its bound says, so that one whose cost grows faster than the history is seen when it comes.
func TestCostsOfCommandsGrowAsTheirWorkDoes(t *testing.T) {
	testrun.CountsAllocations(t)
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "pact ")
		_, measured := commandCosts[name]
		if cmd.HasParent() && !cmd.Hidden && !measured && !slices.Contains(ofOneNode, strings.ReplaceAll(name, " ", "-")) {
			t.Errorf("no row says how the cost of pact %s may grow", name)
		}
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(cli.Root())
	calls := testrun.Size(t, 40, 40, 250)
	costsOf(t, 10) // what a process reads once, such as the words of a tokenizer, is no cost of a run
	var allocated, looks [2]map[string]uint64
	for i, n := range []int{calls, 4 * calls} {
		allocated[i], looks[i] = costsOf(t, n)
	}
	for name, row := range commandCosts {
		few, many := allocated[0][name], allocated[1][name]
		ratio := float64(many) / float64(max(few, 1))
		t.Logf("%-13s %6.1f MB at %d calls, %6.1f MB at %d: %.1f times; looks at %d and %d blocks of requests", name, float64(few)/1e6,
			calls, float64(many)/1e6, 4*calls, ratio, looks[0][name], looks[1][name])
		if ratio > row.most {
			t.Errorf("pact %s allocates %.1f times as much for 4 times the calls, at most %.1f is right", name, ratio, row.most)
		}
		more := float64(looks[1][name]) / float64(max(looks[0][name], 1))
		if more > linear {
			t.Errorf("pact %s looks at %.1f times as many blocks of requests for 4 times the calls, at most %.1f is right", name, more, linear)
		}
	}
}

// costsOf returns the bytes that each command allocates on a session of some calls, and how many blocks of requests it looks
// at.
func costsOf(t *testing.T, calls int) (costs, looks map[string]uint64) {
	dir := t.TempDir()
	log, db, many := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "pact.db"), filepath.Join(dir, "many.json")
	must(t, os.WriteFile(log, dbtest.Session(calls), 0o600))
	const conversation = `{"messages":[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Yes."}]}`
	must(t, os.WriteFile(many, []byte("["+strings.Repeat(conversation+",", calls-1)+conversation+"]"), 0o600))
	if code, _, problems := run(t, "", "import", log, "--name", "run", "--db", db); code != 0 {
		t.Fatal(problems)
	}
	policy := filepath.Join(dir, "policy.json")
	must(t, os.WriteFile(policy, []byte(`{"when":"pays","rules":[{"select":"[kind='result']","ttl":4,"stub":true}]}`), 0o600))
	stored, err := os.ReadFile(db)
	must(t, err)
	costs, looks = map[string]uint64{}, map[string]uint64{}
	for name, row := range commandCosts {
		copied := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".db")
		must(t, os.WriteFile(copied, stored, 0o600))
		var args []string
		for word := range strings.FieldsSeq(row.args) {
			args = append(args, strings.ReplaceAll(strings.NewReplacer("RUN", "run", "LOG", log, "MANY", many, "POLICY", policy, "OUT", filepath.Join(dir, "page.html")).Replace(word), "_", " "))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		looked := provider.Looks.Load()
		code, _, problems := run(t, "", append(args, "--db", copied)...)
		runtime.ReadMemStats(&after)
		if code != 0 {
			t.Errorf("pact %s: %s", row.args, problems)
		}
		costs[name], looks[name] = after.TotalAlloc-before.TotalAlloc, uint64(provider.Looks.Load()-looked)
	}
	return costs, looks
}
