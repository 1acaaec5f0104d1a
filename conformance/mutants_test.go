package conformance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// mutation is a single fault of a program, put into the stub: each text of the first of a pair gives way to the second.
type mutation struct {
	what  string
	pairs []string
}

// mutations are faults that a person makes who writes such a program.
var mutations = []mutation{
	{"an unknown pseudo-class is :first", []string{`:(?P<pseudo>%s)\b`, `:(?P<pseudo>(?:%s|[a-z]+))\b`,
		`token["pseudo"] in ("first", "last", "nth")`, `token["pseudo"] and token["pseudo"] not in ("depth", "pre", "core", "post")`}},
	{"the address of a snapshot is ignored", []string{`if address and address[1] not in`, `if not address and selector not in`}},
	{"escapes stay in a string", []string{`re.sub(r"\\([\\'\"])", r"\1", text[1:-1])`, `text[1:-1]`}},
	{"a type is matched by its beginning", []string{`token["type"] in (n.cls, n.type)`,
		`n.cls == token["type"] or n.type.startswith(token["type"])`}},
	{"no space before a comma", []string{`if not steps or combinator == ">":`,
		`if not steps or combinator == ">" or text[at - 1] == " " and text[at] == ",":`}},
	{"no space after a comma", []string{`combinator, at = ">" if text[at] == ">" else " ", at + 1`,
		`combinator, at = ">" if text[at] == ">" else " ", at + 1
            if text[at - 1] == "," and text[at:at + 1] == " ":
                raise invalid("a space")`}},
	{"the oldest turn has depth 1", []string{`enumerate(reversed(turns))`, `enumerate(turns)`}},
	{"the newest turn has depth 0", []string{`turn.depth = i + 1`, `turn.depth = i`}},
	{"whatever is in ^seq takes a depth", []string{`if c.cls == "mt"]`, `]`}},
	{"a range of depths ends too early", []string{`int(found[2] or found[1]) + 1)`, `int(found[2] or int(found[1]) + 1))`}},
	{"of several depths the last counts", []string{`wanted |= set`, `wanted = set`}},
	{"siblings stand as listed", []string{`raw.get("children") or []), key=order)`, `raw.get("children") or []), key=lambda n: 0)`}},
	{"offsets descend", []string{`return region, raw["offset"]`, `return region, -raw["offset"]`}},
	{"times do not order", []string{`raw["offset"], raw["created_at_ns"]`, `raw["offset"], 0`}},
	{"indexes do not order", []string{`raw["created_at_ns"], raw["creation_index"]`, `raw["created_at_ns"], 0`}},
	{"indexes order before times", []string{`raw["created_at_ns"], raw["creation_index"]`, `raw["creation_index"], raw["created_at_ns"]`}},
	{"ids do not order", []string{`raw["creation_index"], raw.get("id", "")`, `raw["creation_index"], ""`}},
	{"ids order without their case", []string{`raw.get("id", "")`, `raw.get("id", "").lower()`}},
	{"regions stand as listed", []string{`REGIONS.index(node.type) if node.type in REGIONS else 0`, `0`}},
	{"> is a descendant", []string{`n.parent in context or n.real_parent() in context`, `any(a in context for a in n.ancestors())`}},
	{"a descendant may be the node itself", []string{`any(a in context for a in n.ancestors())`,
		`n in context or any(a in context for a in n.ancestors())`}},
	{"a descendant is a child", []string{`any(a in context for a in n.ancestors())`, `n.parent in context or n.real_parent() in context`}},
	{"blocks of a left out core are no children of the turn", []string{`n.parent in context or n.real_parent() in context`,
		`n.parent in context`}},
	{"cores that are left out stay out", []string{`if inside and not`, `if False and not`}},
	{"!= leaves out what is missing", []string{`have == want) == (op == "=")`,
		`have == want) == (op == "=") and (op == "=" or have is not None)`}},
	{"= compares a text with a number", []string{`type(have) is type(want) and have == want`, `str(have) == str(want)`}},
	{"numbers order as texts", []string{`return Decimal(value)`, `return None`}},
	{"times are rounded", []string{`have = Decimal(str(have))`, `have = Decimal(float(have))`, `return Decimal(text)`,
		`return Decimal(float(text))`}},
	{"null is less than a number", []string{`if have is None or want is None:`, `have = have or 0
    if want is None:`}},
	{"an empty text is null", []string{`"""04 §5."""`, `have = have if have != "" else None`}},
	{"booleans are True and False", []string{`have = "true" if have else "false"`, `have = str(have)`}},
	{"texts compare without their case", []string{`"""04 §5."""`,
		`have, want = [x.lower() if isinstance(x, str) else x for x in (have, want)]`}},
	{"< is <=", []string{`"<": a < b`, `"<": a <= b`}},
	{"> is >=", []string{`">": a > b`, `">": a >= b`}},
	{"None is a word", []string{`("null", "None")`, `("null",)`}},
	{"# matches a beginning", []string{`n.raw.get("id") == token["id"]`, `n.raw.get("id", "").startswith(token["id"])`}},
	{"# matches any case", []string{`n.raw.get("id") == token["id"]`, `n.raw.get("id", "").lower() == token["id"].lower()`}},
	{":nth counts from 0", []string{`int(args or 1) - 1`, `int(args or 1)`}},
	{":first is the first of all", []string{`setdefault(id(n.real_parent()), [])`, `setdefault(0, [])`}},
	{":first counts before filters", []string{`families.setdefault(`, `families[id(n.real_parent())] = n.real_parent().children
        families.setdefault(`, `f[i] for f in families.values() if i < len(f)`,
		`f[i] for f in families.values() if i < len(f) and f[i] in nodes`}},
	{":pre has offset 0", []string{`"pre": lambda o: o < 0`, `"pre": lambda o: o <= 0`}},
	{":post has offset 0", []string{`"post": lambda o: o > 0`, `"post": lambda o: o >= 0`}},
	{"groups come one after the other", []string{`    found = set()`, `    found, listed = set(), []`, `found |= context`,
		`listed += [n for n in every if n in context - found]
        found |= context`, `for n in every if n in found and`, `for n in listed if`}},
	{"the last group alone counts", []string{`found |= context`, `found = context`}},
	{"an unknown type has no class", []string{`else "cb"  # 02`, `else ""  # 02`}},
	{"a type has to be whole", []string{`token["type"] in (n.cls, n.type)`, `token["type"] == n.type`}},
	{"a bracket may stay open", []string{`\s*)?\]"`, `\s*)?\]?"`}},
	{"a step may be missing at the end", []string{"    if not steps or combinator == \">\":\n        raise invalid(\"a step is missing at the end\")\n",
		""}},
	{"hash: the role is left out", []string{`("content", "kind", "role")`, `("content", "kind")`}},
	{"hash: what is absent is null", []string{`node.get(name, "") for`, `node.get(name) for`}},
	{"hash: every attribute counts", []string{`name.startswith(("content_", "data_")) and`, `":" not in name and`}},
	{"hash: the letters are UTF-8", []string{`ensure_ascii=True`, `ensure_ascii=False`, `"ascii"`, `"utf-8"`}},
	{"hash: NaN is content", []string{`allow_nan=False`, `allow_nan=True`}},
	{"thread: ^sys comes from the user", []string{`("system" if "^sys" in above else "user")`, `"user"`}},
	{"thread: no kinds", []string{`"kind": n.raw.get("kind"), `, ``}},
}

// stubOf returns the stub as a command, and the program that runs it; without Python the test is left out.
func stubOf(t *testing.T, text string) conformance.Command {
	t.Helper()
	if testrun.Raced {
		t.Skip("left out: the runner's goroutines are watched with a program that starts faster")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("PACT_REQUIRE_PYTHON") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no python3 to run the stub")
	}
	path := filepath.Join(t.TempDir(), "stub.py")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	command, end, err := conformance.Persistent("python3 -S -E '"+path+"' --lines", time.Minute)
	must(t, err)
	t.Cleanup(end)
	return command
}

// TestTheStoryOfTheStub: the page tells how the stub does, which claims what it says it has.
func TestTheStoryOfTheStub(t *testing.T) {
	stub, err := os.ReadFile("stub/pact_stub.py")
	must(t, err)
	page, err := os.ReadFile("../docs/conformance.md")
	must(t, err)
	command := stubOf(t, string(stub))
	scope, err := conformance.Capabilities(t.Context(), command)
	must(t, err)
	report, err := conformance.RunAll(t.Context(), cases(t), command, conformance.RunOptions{Scope: scope})
	if err != nil || len(report.Claims) != 1 {
		t.Fatalf("%+v, %v", report.Claims, err)
	}
	c, s := report.Claims[0], report.Summary
	for _, line := range []string{
		fmt.Sprintf("The stub has %d lines", (strings.Count(string(stub), "\n")+5)/10*10),
		fmt.Sprintf("Then %d single faults", len(mutations)),
		fmt.Sprintf("PACT %s, kit %s: %d of %d; house rules: %d of %d\n", c.Profile, report.Version, c.Passed, c.Cases, c.Ours, c.House),
		fmt.Sprintf("%d cases: %d passed, %d mended, %d contradicted, %d failed, %d by house rules alone; %d not claimed; %d not applicable\n",
			s.Cases, s.Passed, s.Mended, s.Contradicted, s.Failed, report.Origins[2].Failed, s.NotClaimed, s.NotApplicable),
	} {
		if !strings.Contains(string(page), line) {
			t.Errorf("docs/conformance.md does not say %q", line)
		}
	}
}

// TestMutantsOfTheStub: the stub keeps what the documents say of select and hash; and each of many single faults, put into
// it, fails a case that it passed.
func TestMutantsOfTheStub(t *testing.T) {
	stub, err := os.ReadFile("stub/pact_stub.py")
	must(t, err)
	var some []conformance.Case
	for _, c := range cases(t) {
		if c.Profile() == "select-v01" || c.Kind == "hash" || c.Kind == "thread" && c.Fixture != "" && c.Edition != "1.0" {
			c.Checks = slices.DeleteFunc(c.Checks, func(check conformance.Check) bool { return check.Origin.House() })
			some = append(some, c)
		}
	}
	report, err := conformance.RunAll(t.Context(), some, stubOf(t, string(stub)), conformance.RunOptions{})
	must(t, err)
	var passed []conformance.Case
	for i, c := range report.Cases {
		if c.Verdict != conformance.Failed {
			passed = append(passed, some[i])
		} else if !c.Origin.House() {
			t.Errorf("%s: %s", c.ID, c.Reason)
		}
	}
	for i, f := range mutations {
		if i%testrun.Size(t, 12, 1, 1) != 0 {
			continue
		}
		t.Run(f.what, func(t *testing.T) {
			text := string(stub)
			for i := 0; i < len(f.pairs); i += 2 {
				if !strings.Contains(text, f.pairs[i]) {
					t.Fatalf("the stub has no %q", f.pairs[i])
				}
				text = strings.ReplaceAll(text, f.pairs[i], f.pairs[i+1])
			}
			report, err := conformance.RunAll(t.Context(), passed, stubOf(t, text), conformance.RunOptions{First: true})
			must(t, err)
			if report.Summary.Failed == 0 {
				t.Fatal("no case catches it")
			}
			t.Log("caught by ", report.Cases[len(report.Cases)-1].ID)
		})
	}
}
