package cli_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/klauspost/compress/zstd"
)

// oddFile is a file made of a good one. says is what the refusal must say, "" if the import must
// give what the good file gives; with anyOutcome either is fine, but not silence about a loss; with warned
// the import must say that something was left out.
type oddFile struct {
	name string
	data []byte
	says string
}

const anyOutcome, warned = "any", "warned"

// transcripts are the good files that hold messages and no calls.
var transcripts = []string{"list.json", "messages.jsonl", "tau.json", "swe.json"}

// goodFiles are files of each kind that import reads, by name.
func goodFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	logs := filepath.Join("..", "record", "calllog", "testdata")
	examples := filepath.Join("..", "..", "examples", "conversations")
	for name, path := range map[string]string{
		"list.json":     filepath.Join(examples, "weather.json"),
		"history.jsonl": filepath.Join(examples, "repair.jsonl"),
		"pairs.jsonl":   filepath.Join(logs, "chat-pairs.jsonl"),
		"claude.jsonl":  filepath.Join(logs, "claude-code.jsonl"),
		"codex.jsonl":   filepath.Join(logs, "codex-rollout.jsonl"),
		"exchanges.har": filepath.Join(logs, "exchanges.har"),
		"inspect.json":  filepath.Join(logs, "inspect.json"),
		"chatgpt.json":  filepath.Join(logs, "conversations.json"),
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	const call = `{"id":"a","type":"function","function":{"name":"shelf","arguments":"{}"}}`
	const messages = `{"role":"user","content":"Where is Momo?"}
{"role":"assistant","content":null,"tool_calls":[` + call + `]}
{"role":"tool","tool_call_id":"a","content":"shelf 4"}
{"role":"assistant","content":"On shelf 4."}
`
	list := "[" + strings.ReplaceAll(strings.TrimSpace(messages), "\n", ",\n") + "]"
	files["messages.jsonl"] = []byte(messages)
	files["tau.json"] = []byte(`[{"task_id":1,"traj":` + list + `},{"task_id":2,"traj":` + list + "}]\n")
	files["swe.json"] = []byte(`{"trajectory":[{"messages":` + list + "}]}\n")
	db := filepath.Join(t.TempDir(), "pact.db")
	code, _, problems := run(t, "", "import", filepath.Join(examples, "repair.jsonl"), "--name", "a", "--db", db)
	if code != 0 {
		t.Fatal(problems)
	}
	for name, args := range map[string][]string{"document.json": nil, "backup.jsonl": {"--all"}} {
		code, out, problems := run(t, "", slices.Concat([]string{"export", "a", "--db", db}, args)...)
		if code != 0 {
			t.Fatal(problems)
		}
		files[name] = []byte(out)
	}
	return files
}

// packed compresses data with gzip and with Zstandard.
func packed(t *testing.T, data []byte) (zipped, zstandard []byte) {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), e.EncodeAll(data, nil)
}

func inUTF16(data []byte) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(string(data))) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

// oddOnes makes odd files of a good one.
func oddOnes(t *testing.T, name string, data []byte) []oddFile {
	zipped, zstandard := packed(t, data)
	inText := bytes.LastIndex(data, []byte(`":"`)) + 3
	if inText < 3 {
		inText = bytes.LastIndex(data, []byte(`": "`)) + 4
	}
	list := []oddFile{
		{"gzip", zipped, ""}, {"Zstandard", zstandard, ""},
		{"a byte order mark", append([]byte("\uFEFF"), data...), ""},
		{"carriage returns", bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), ""},
		{"gzip cut short", zipped[:len(zipped)-9], "cut short"},
		{"Zstandard cut short", zstandard[:len(zstandard)-5], "cut short"},
		{"UTF-16 with a mark", append([]byte("\xff\xfe"), inUTF16(data)...), "UTF-16"},
		{"UTF-16 without", inUTF16(data), "UTF-16"},
		{"Latin-1", slices.Insert(slices.Clone(data), inText, 0xf6), "line|:[0-9]+:[0-9]+:"},
		{"a zero byte", slices.Insert(slices.Clone(data), 20, 0), "line|:[0-9]+:[0-9]+:"},
		{"nothing", nil, "empty"}, {"blanks", []byte(" \n\t\n"), "empty"},
		{"text behind it", append(slices.Clone(data), "the end"...), "line|:[0-9]+:[0-9]+:"},
		{"unknown roles", bytes.ReplaceAll(data, []byte(`"user"`), []byte(`"alien"`)), anyOutcome},
		{"cut after a quarter", data[:len(data)/4], anyOutcome}, {"cut in the middle", data[:len(data)/2], anyOutcome},
		{"cut after three quarters", data[:len(data)*3/4], anyOutcome},
		{"cut before the end", data[:len(data)-3], anyOutcome},
		{"twice", slices.Concat(data, data), anyOutcome},
	}
	if !strings.HasSuffix(name, ".jsonl") {
		return list
	}
	lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
	lines[len(lines)-1] = append(slices.Clone(lines[len(lines)-1]), '\n')
	turned := slices.Clone(lines)
	slices.Reverse(turned)
	doubled := slices.Insert(slices.Clone(lines), 1, lines[1])
	list = append(list,
		oddFile{"a broken line", bytes.Replace(data, []byte("\n{"), []byte("\n{,"), 1), "line 2|:2:[0-9]+:"},
		oddFile{"lines turned round", bytes.Join(turned, nil), anyOutcome},
		oddFile{"a line twice", bytes.Join(doubled, nil), anyOutcome},
		oddFile{"a line too few", bytes.Join(slices.Delete(slices.Clone(lines), 1, 2), nil), anyOutcome})
	for i := range list { // what lines of others hold beside a damaged one is read
		if o := &list[i]; strings.HasPrefix(o.says, "line") && name != "history.jsonl" && name != "backup.jsonl" {
			o.says = warned
		}
	}
	return list
}

// place is how a refusal says where or what is wrong.
var place = regexp.MustCompile(`line [0-9]+|:[0-9]+:[0-9]+:|message [0-9]+|conversation [0-9]+|node |cycle |cut short|` +
	`neither a snapshot|no known|nobody has said|there is no|holds no`)

// Whatever is odd about a file: it gives what the good file gives, or is refused with a place and
// leaves no store behind, or is read with a finding; what is stored holds together.
func TestOddImports(t *testing.T) {
	testrun.OneGoroutine(t)
	tried, every := 0, testrun.Size(t, 4, 1, 1)
	for name, data := range goodFiles(t) {
		dir := t.TempDir()
		db := filepath.Join(dir, "good.db")
		file := filepath.Join(dir, "run"+filepath.Ext(name))
		importOdd := func(data []byte, db string) (int, string, string) {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return run(t, "", "import", file, "--name", "run", "--db", db)
		}
		if code, _, problems := importOdd(data, db); code != 0 {
			t.Fatalf("%s: %s", name, problems)
		}
		good := exported(t, db)
		for i, odd := range oddOnes(t, name, data) {
			if tried++; tried%every != 0 {
				continue
			}
			t.Run(name+"/"+odd.name, func(t *testing.T) {
				db := filepath.Join(dir, "odd.db"+strconv.Itoa(i))
				code, out, problems := importOdd(odd.data, db)
				if strings.Contains(problems, "panic") || strings.Contains(problems, "goroutine") {
					t.Fatalf("it panics:\n%s", problems)
				}
				if code != 0 {
					_, err := os.Stat(db)
					if code != 2 || out != "" || !os.IsNotExist(err) || !strings.Contains(problems, "[E_") || odd.says == "" {
						t.Errorf("exit %d, store %v, %q\n%s", code, err, out, problems)
					}
					if says := odd.says; says != anyOutcome && !regexp.MustCompile(says).MatchString(problems) ||
						says == anyOutcome && !place.MatchString(problems) {
						t.Errorf("no place and no reason in %s", problems)
					}
					return
				}
				if odd.says == warned && !strings.Contains(problems, "warning: line ") {
					t.Fatalf("it is imported without a warning: %s", out)
				}
				if odd.says != "" && odd.says != anyOutcome && odd.says != warned {
					t.Fatalf("it is imported, and should be refused for %s: %s", odd.says, out)
				}
				if code, _, problems := run(t, "", "verify", "--all", "--db", db); code != 0 {
					t.Errorf("what is stored does not hold together: %s", problems)
				}
				if odd.says == "" && exported(t, db) != good {
					t.Error("it gives something else than the good file")
				}
				// The requests of a log come back with the roles that they had.
				told := strings.HasPrefix(odd.name, "cut") || odd.name == "unknown roles" && slices.Contains(transcripts, name)
				if told && !strings.Contains(problems, "warning") && exported(t, db) != good {
					t.Errorf("something is lost or changed without a word: %s", out)
				}
			})
		}
	}
	if tried < 200 {
		t.Errorf("only %d odd files were tried", tried)
	}
}

// exported returns everything that a store holds.
func exported(t *testing.T, db string) string {
	t.Helper()
	code, out, problems := run(t, "", "contexts", "--output", "id", "--db", db)
	if code != 0 {
		t.Fatal(problems)
	}
	var all strings.Builder
	for name := range strings.Lines(out) {
		args := []string{"export", strings.TrimSpace(name), "--all", "--db", db}
		code, history, _ := run(t, "", args...)
		if code != 0 { // a context without a cycle has no history
			_, history, problems = run(t, "", "show", strings.TrimSpace(name), "--json", "--db", db)
		}
		all.WriteString(name + history + problems)
	}
	return all.String()
}
