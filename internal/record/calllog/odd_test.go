package calllog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contexttree/pact/fault"
)

// samples returns the samples by name.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("there are no samples: ", err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		if all[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func inUTF16(text []byte, first, second int) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(string(text))) {
		pair := [2]byte{byte(unit >> 8), byte(unit)}
		b = append(b, pair[first], pair[second])
	}
	return b
}

// odd is a damaged or unusual file made of a sample.
type odd struct {
	name string
	data []byte
	// says is part of the error; "" if the file is read as if nothing were odd
	says string
	// finding is part of a finding, "" for none
	finding string
	fewer   int // how many calls less than the sample it has, -1 for any number
}

// oddities are made of each sample.
func oddities(name string, data []byte) []odd {
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	list := []odd{
		{name: "byte order mark", data: append([]byte("\uFEFF"), data...)},
		{name: "UTF-16", data: append([]byte("\xff\xfe"), inUTF16(data, 1, 0)...), says: "the file is UTF-16"},
		{name: "UTF-16 without mark", data: inUTF16(data, 0, 1), says: "the file is UTF-16"},
		{name: "carriage returns", data: bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))},
		{name: "blank lines around", data: slices.Concat([]byte("\n \n"), data, []byte("\n\n"))},
	}
	damaged := []odd{
		{name: "Latin-1", data: bytes.Replace(data, []byte("Momo"), []byte("M\xf6mo"), 1)},
		{name: "text behind it", data: append(slices.Clone(data), "the end"...)},
		{name: "zero bytes behind it", data: append(slices.Clone(data), make([]byte, 4096)...)},
		{name: "a zero byte in it", data: slices.Insert(slices.Clone(data), len(data)-20, 0)},
	}
	for _, o := range damaged {
		switch { // of a single value nothing else is left
		case len(lines) > 1 && strings.HasSuffix(name, ".jsonl"), strings.HasPrefix(o.name, "zero bytes"),
			len(lines) == 1 && strings.HasSuffix(o.name, "behind it"):
			o.finding, o.fewer = "left out", -1
		default:
			o.says = "line "
		}
		list = append(list, o)
	}
	if strings.HasSuffix(name, ".jsonl") {
		last := lines[len(lines)-1]
		cut := slices.Clone(data[:len(data)-len(last)/2])
		return append(list,
			odd{name: "last line cut short", data: cut, finding: "cut short", fewer: -1},
			odd{name: "a broken line in the middle", data: bytes.Replace(data, []byte("\n{"), []byte("\n{,"), 1),
				finding: "line 2", fewer: -1},
			odd{name: "a foreign line", data: slices.Concat(data, []byte("{\"level\":\"info\",\"msg\":\"done\"}\n")), fewer: -1},
			odd{name: "no line break at the end", data: bytes.TrimSpace(data)})
	}
	return append(list,
		odd{name: "cut in the middle", data: data[:len(data)/2], says: "line "},
		odd{name: "cut before the end", data: bytes.TrimSpace(data)[:len(bytes.TrimSpace(data))-1], says: "line "})
}

// calls counts the calls of a log.
func calls(log *Log) (n int) {
	for _, s := range log.Sessions {
		n += len(s.Calls)
	}
	return n
}

// Each oddity of each sample gives an error with a place, a finding, or the same
// log: never a panic, and never half a log without a word.
func TestOddFiles(t *testing.T) {
	tried := 0
	for name, data := range samples(t) {
		want := sampleLog(t, name)
		for _, o := range oddities(name, data) {
			tried++
			t.Run(name+"/"+o.name, func(t *testing.T) {
				log, err := readWhole(o.data)
				switch {
				case o.says != "":
					if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(err.Error(), o.says) {
						t.Errorf("the error is %v, want one that says %q", err, o.says)
					}
				case err != nil:
					t.Errorf("it is not read: %v", err)
				case o.fewer == 0 && calls(log) != calls(want):
					t.Errorf("%d calls, want %d", calls(log), calls(want))
				case o.finding != "" && !strings.Contains(fmt.Sprint(log.Findings), o.finding):
					t.Errorf("no finding says %q: %v", o.finding, log.Findings)
				}
			})
		}
	}
	if tried < 180 {
		t.Errorf("only %d odd files were tried", tried)
	}
}

// Files that are no logs at all are named as what they are, and never quoted.
func TestFilesThatAreNoLogs(t *testing.T) {
	for data, says := range map[string]string{
		"": "the file is empty", " \n\t\n": "the file is empty", "PK\x03\x04....": "a zip archive",
		"SQLite format 3\x00....": "an SQLite database", "\x28\xb5\x2f\xfd...": "Zstandard", "%PDF-1.7": "a PDF",
		"\x89PNG\r\n": "a PNG image", "\x7fELF\x02": "a program", "PAR1": "a Parquet table",
		"\x00\x01\x02":     "a binary file",
		"\xde\xad\xbe\xef": "a binary file", "\x1f\x8bnot gzip at all": "gzip", "hello": "no known format",
		"{}": "no known format", "17": "no known format", `"text"`: "no known format",
		`{"log":{"entries":[]}}`: "none of its exchanges",

		`{"version":2,"status":"success","eval":{}}`:   "none of its samples",
		`{"level":"info"}` + "\n" + `{"level":"info"}`: "no known format",

		`{"model":"text-embedding-3-small","input":"a text"}`: "no known format",
	} {
		_, err := readWhole([]byte(data))
		if code := fault.CodeOf(err); code != fault.DocumentInvalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: the error is %v, want one that says %q", data, err, says)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x00\xde\x89") {
			t.Errorf("%q: the error repeats bytes of the file: %q", data, err)
		}
	}
}

// A conversation of ChatGPT is one whichever of its nodes is damaged: no order of a map decides.
func TestADamagedNodeHidesNoConversation(t *testing.T) {
	text := []byte(`[{"id":"c","mapping":{"a":{"parent":null},"b":{"parent":"a","message":{"author":{"role":"user"},` +
		`"content":{"content_type":"text","parts":["Momo"]}}}}}]`)
	for range 50 {
		if got := Detect(text); got != "a ChatGPT export" {
			t.Fatalf("it is taken for %q", got)
		}
	}
}

// A log that is only read again, or with its lines in another order, has the
// same calls with the same ids.
func TestIDsOfCallsStay(t *testing.T) {
	ids := func(data []byte) (list []string) {
		log, err := readWhole(data)
		must(t, err)
		for _, s := range log.Sessions {
			for i := range s.Calls {
				list = append(list, s.Name+"/"+s.Calls[i].ID)
			}
		}
		return list
	}
	for name, data := range samples(t) {
		list := ids(data)
		if again := ids(data); !slices.Equal(list, again) {
			t.Errorf("%s: the ids are %v, then %v", name, list, again)
		}
		if sorted := slices.Compact(slices.Sorted(slices.Values(list))); len(sorted) != len(list) {
			t.Errorf("%s: two calls share an id: %v", name, list)
		}
		if !strings.HasSuffix(name, "requests.jsonl") && name != "chat-pairs.jsonl" && name != "litellm.jsonl" {
			continue
		}
		lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
		less := ids(bytes.Join(lines[:len(lines)-1], nil))
		if !slices.Equal(less, list[:len(less)]) {
			t.Errorf("%s: before it grew the ids are %v, then %v", name, less, list)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
		slices.Reverse(lines)
		turned := ids(bytes.Join(lines, nil))
		if slices.Sort(turned); !slices.Equal(turned, slices.Sorted(slices.Values(list))) {
			t.Errorf("%s: with its lines turned round the ids are %v, want %v", name, turned, list)
		}
	}
}

// The same call logged twice is one call; the same body sent again is another.
func TestCallsThatAreThereTwice(t *testing.T) {
	all := samples(t)
	pairs, bodies := all["chat-pairs.jsonl"], all["chat-requests.jsonl"]
	log, err := readWhole(slices.Concat(pairs, pairs))
	if err != nil || calls(log) != 4 || len(log.Findings) == 0 {
		t.Errorf("%v: %d calls and the findings %v, want 4 and one", err, calls(log), log.Findings)
	}
	log, err = readWhole(slices.Concat(bodies, bodies))
	if err != nil || calls(log) != 8 {
		t.Errorf("%v: %d calls, want 8", err, calls(log))
	}
}

// Archives, exports and logs that follow one another as JSON Lines are all read.
func TestEachLineCounts(t *testing.T) {
	for name, sessions := range map[string]int{"exchanges.har": 1, "inspect.json": 2, "opencode-export.json": 2} {
		one := sampleLog(t, name)
		data, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		var line bytes.Buffer
		must(t, json.Compact(&line, data))
		other := strings.NewReplacer(`"_request_id":"`, `"_request_id":"z`, `"id":"`, `"id":"z`).Replace(line.String())
		both, err := readWhole([]byte(line.String() + "\n" + other + "\n"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		calls, names := 0, map[string]bool{}
		for i := range both.Sessions {
			calls += len(both.Sessions[i].Calls)
			names[both.Sessions[i].Name] = true
		}
		want := 0
		for i := range one.Sessions {
			want += 2 * len(one.Sessions[i].Calls)
		}
		if calls != want || len(names) != len(both.Sessions) || len(names) < sessions {
			t.Errorf("%s: %d calls in the sessions %v, want %d in %d sessions at least", name, calls, names, want, sessions)
		}
	}
}
