package lifecycle_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
)

func TestParsePolicy(t *testing.T) {
	const text = `{"max_tokens":1,"max_bytes":2,"max_nodes":3,"max_turns":4,` +
		`"parts":[{"region":"^sys","max_tokens":5},{"kind":"result","tag":"x","max_bytes":6,"max_nodes":7}],` +
		`"protect_turns":8,"protect_task":true,"ranks":{"result":-40,"user":3},` +
		`"min_tokens":9,"min_bytes":10,"every":11,"stub":"s","orphans":"drop","tokenizer":"words"}`
	p, err := lifecycle.ParsePolicy([]byte(text))
	must(t, err)
	want := lifecycle.Policy{
		MaxTokens: 1, MaxBytes: 2, MaxNodes: 3, MaxTurns: 4,
		Parts:        []lifecycle.Part{{Region: "^sys", MaxTokens: 5}, {Kind: "result", Tag: "x", MaxBytes: 6, MaxNodes: 7}},
		ProtectTurns: 8, ProtectTask: true, Ranks: map[string]int64{"result": -40, "user": 3},
		MinTokens: 9, MinBytes: 10, Every: 11, Stub: "s", Orphans: lifecycle.Drop, Tokenizer: "words",
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	for bad, says := range map[string]string{
		``:                                  "cannot be read",
		`[]`:                                "it cannot be an array",
		`{"max_nodes":1} {}`:                "something follows",
		`{"max_nods":1}`:                    "is not one of its names",
		`{"MAX_NODES":1}`:                   "is not one of its names",
		`{"max_nodes":1,"max_nodes":2}`:     "is in it twice",
		`{"parts":[{"Kind":"a"}]}`:          "is not one of its names",
		`{"parts":[{"kind":"a"}]}`:          "no limit",
		`{"parts":[{"tag":"a","tag":"b"}]}`: "is in it twice",
		`{"max_nodes":1.5}`:                 "max_nodes cannot be 1.5",
		`{"max_nodes":"1"}`:                 "max_nodes cannot be a string",
		`{"max_nodes":-1}`:                  "write 0 or more",
		`{"ranks":{"call":1,"call":2}}`:     "is in ranks twice",
		`{"ranks":{"":1}}`:                  "has no name",
		`{"ranks":{"call":1.5}}`:            "cannot be read",
		`{"ranks":{"call":1000000001}}`:     "a rank is not between",
	} {
		_, err := lifecycle.ParsePolicy([]byte(bad))
		if !errors.Is(err, fault.DocumentInvalid) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", bad, err, says)
		}
	}
}

// What is read is written again, and read as the same.
func FuzzParsePolicy(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"parts":null}`, `{"parts":[null]}`,
		`{"rules":[{"select":"[a=1]","ttl":0,"stub":true},{"select":"*","keep":true}],"when":"pays"}`,
		`{"rules":[null]}`, `{"rules":null}`, `{"rules":[]}`, `{"rules":[{"select":"","head":1}]}`,
		`{"parts":[{"kind":"a","max_nodes":1},{"kind":"b","max_turns":1}]}`, `{"stub":"\u00e9","max_bytes":9}`, `{"ranks":null}`,
		`{"ranks":{"call":-1,"result":-2},"protect_task":true}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := lifecycle.ParsePolicy(data)
		if err != nil {
			return
		}
		printed, err := json.Marshal(p)
		must(t, err)
		again, err := lifecycle.ParsePolicy(printed)
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		if len(p.Parts) == 0 {
			p.Parts, again.Parts = nil, nil
		}
		if len(p.Rules) == 0 {
			p.Rules, again.Rules = nil, nil
		}
		if len(p.Ranks) == 0 {
			p.Ranks, again.Ranks = nil, nil
		}
		if !reflect.DeepEqual(p, again) {
			t.Errorf("%s gives %+v, and printed %s %+v", data, p, printed, again)
		}
	})
}

var must = testrun.Must
