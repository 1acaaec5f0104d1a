package calllog

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"
)

// TestNumbersMayBeTexts: a program that writes the tokens and the price of an answer as texts says the same. (SQL and
// spreadsheets do so.) Of every sample the answers and the sums stay what they are.
func TestNumbersMayBeTexts(t *testing.T) {
	counts := regexp.MustCompile(`("(?:[a-zA-Z_.]*[tT]okens?[a-zA-Z_]*|input|output|cached|cache|read|write|total|reasoning|prompt|` +
		`completion|thoughts|tool|[a-z_]*cost[a-z_]*)"\s*:\s*)(\d+(?:\.\d+)?)`)
	answers := func(l *Log) (all []string) {
		for i := range l.Sessions {
			for j := range l.Sessions[i].Calls {
				c := &l.Sessions[i].Calls[j]
				u := c.answer(c.Answer).Usage
				text := c.attribute(costAttr).Text
				for _, n := range []*int64{u.In, u.Out, u.Cached, u.Written, u.Reasoning} {
					if text += " -"; n != nil {
						text += fmt.Sprint(*n)
					}
				}
				all = append(all, text)
			}
		}
		return all
	}
	changed := 0
	for name, data := range samples(t) {
		texts := counts.ReplaceAll(data, []byte(`$1"$2"`))
		if len(texts) > len(data) {
			changed++
		}
		want, err := readWhole(data)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := readWhole(texts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(answers(got), answers(want)) || !reflect.DeepEqual(got.Sums, want.Sums) {
			t.Errorf("%s: the answers are %q, %+v, want %q, %+v", name, answers(got), got.Sums, answers(want), want.Sums)
		}
	}
	if changed < 15 {
		t.Errorf("only %d samples have such numbers", changed)
	}
}
