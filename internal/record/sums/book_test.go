package sums

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

func value(t *testing.T, text string) canon.Any {
	t.Helper()
	v, err := canon.ParseAny([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWhateverIsLostIsTold: of a file with a question, a call, its result and an answer, each thing that was not read
// is a finding, and nothing else is.
func TestWhateverIsLostIsTold(t *testing.T) {
	const (
		ask    = `{"role":"user","content":"Where is Momo?"}`
		call   = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"find","input":{"title":"Momo"}}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"{\"shelf\":\"four\"}"}]}`
		chat   = `{"role":"assistant","tool_calls":[{"id":"t1","function":{"name":"find","arguments":"{\"title\":\"Momo\"}"}}]}`
		tool   = `{"role":"tool","tool_call_id":"t1","content":"{\"shelf\":\"four\"}"}`
		done   = `{"role":"assistant","content":"On shelf four."}`
	)
	ten, nine := int64(10), int64(9)
	for name, c := range map[string]struct {
		read   []string
		in     *int64
		price  string
		silent bool // a record of which nothing is counted
		want   string
	}{
		"all":                   {[]string{ask, call, result, done}, &ten, "0.02", false, "[]"},
		"in another form":       {[]string{ask, chat, tool, done}, &ten, "0.02", false, "[]"},
		"a text":                {[]string{call, result, done}, &ten, "0.02", false, "line 1: 1 of 4 messages of the file is in no request"},
		"a result":              {[]string{ask, call, done}, &ten, "0.02", false, "line 3: a result of a tool is in no request"},
		"a call":                {[]string{ask, result, done}, &ten, "0.02", false, "line 2: a call of a tool is in no request"},
		"a call twice":          {[]string{ask, call, strings.Replace(call, "t1", "t2", 1), result, done}, &ten, "0.02", false, "what was read has 1 call of a tool that the file does not have"},
		"tokens":                {[]string{ask, call, result, done}, &nine, "0.02", false, "the file counts 10 tokens in, the answers that were read 9"},
		"no tokens":             {[]string{ask, call, result, done}, nil, "0.02", false, "the file counts 10 tokens in, the answers that were read 0"},
		"money":                 {[]string{ask, call, result, done}, &ten, "", false, "the file counts 0.02 dollars, the answers that were read 0"},
		"a record without word": {[]string{ask, call, result, done}, &ten, "0.02", true, "line 5: nothing was read of 1 record"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &Book{}
			var list []canon.Any
			for _, m := range c.read {
				list = append(list, value(t, m))
			}
			for n := range list {
				b.Sent(canon.Fields("messages", canon.ArrayOf(list[:n]...), "model", "m"))
			}
			b.Answered(&provider.Answer{Content: list[len(list)-1], Usage: provider.Usage{In: c.in}}, c.price)
			for i, m := range []string{ask, call, result, done} {
				b.Record(i + 1)
				b.Message(value(t, m))
			}
			b.Tokens("a", provider.Usage{In: &ten})
			b.Money("0.02")
			if c.silent {
				b.Record(5)
			}
			_, found := b.Close(func(int) bool { return false })
			if got := fmt.Sprint(found); !strings.Contains(got, c.want) {
				t.Errorf("the findings are %s, want one that says %q", got, c.want)
			}
		})
	}
}
