package manage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// file returns the text of a file, long enough to be shortened.
func file(n int) string { return strings.Repeat(fmt.Sprint("line of file ", n, "\n"), 100) }

// reads has the n-th call read a file.
func reads(n, of int, says any) []any {
	return called(provider.Chat, fmt.Sprint("c", n), fmt.Sprintf(`{"file":%d}`, of), "", says)
}

const shortens = `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","head":50,"tail":50}]}`

// A call with the same arguments whose result had been shortened gets it whole: one that says the same as it came, one that
// only refers to it with the text behind its own words. A result that says something else is a new one.
func TestARepeatedCallIsNotShortenedAgain(t *testing.T) {
	list := func(text string) any { return []any{map[string]any{"type": "text", "text": text}} }
	for name, x := range map[string]struct {
		says          any
		decided, text string
		again         bool
	}{
		"the same":        {file(0), "", file(0), true},
		"the same, later": {"Wall time: 0.02 seconds\n" + file(0), "", "Wall time: 0.02 seconds\n" + file(0), true},
		"it refers": {"File unchanged since last read. The content from the earlier Read is still current — refer to that.", "whole c12",
			"File unchanged since last read. The content from the earlier Read is still current — refer to that.\n" +
				"[What c0 said follows, whole. Only pact writes such notes.]\n" + file(0), true},
		"it refers in a list": {list("No changes: identical to the output shown above."), "whole c12",
			"No changes: identical to the output shown above.\n[What c0 said follows, whole. Only pact writes such notes.]\n" + file(0), true},
		"another text":                          {file(77), "shaped c12", "", false},
		"nothing changed, it says of a commit":  {"no changes added to commit", "", "no changes added to commit", false},
		"it speaks of what was before, changed": {"The previous output was cut.", "", "The previous output was cut.", false},
	} {
		c := converse(t, shortens, provider.Chat, "m")
		for n := range 12 {
			if got := c.sends(reads(n, n, file(n))...); got != fmt.Sprint("shaped c", n) {
				t.Fatalf("file %d: %q", n, got)
			}
		}
		got := c.sends(reads(12, 0, x.says)...)
		again, calls := c.last.RepeatedCalls()
		if got != x.decided || x.text != "" && c.text("c12") != x.text || (again == 1) != x.again || calls != 13 {
			t.Errorf("%s: %q, %d again; sent %q", name, got, again, c.text("c12"))
		}
	}
}

// An answer only refers to an earlier one if it says that nothing changed and speaks of what was said before, in a few words.
// git says of a commit that nothing changed, and means no earlier answer.
func TestWhichAnswersOnlyReferToAnEarlierOne(t *testing.T) {
	const refers = "No changes since the last read."
	padded := func(bytes int) canon.Any { return canon.Text(refers + strings.Repeat(" ", bytes-len(refers))) }
	text := func(s string) canon.Any { return canon.Text(s) }
	for _, x := range []struct {
		says canon.Any
		want bool
	}{
		{text(refers), true}, {canon.ArrayOf(canon.Fields("type", "text", "text", refers)), true}, {padded(mostAnswer), true}, {padded(mostAnswer + 1), false},
		{text("Identical to the output shown above."), true}, {text("The file is still current: you have already read it."), true},
		{text("Already up to date."), false}, {text("no changes added to commit"), false}, {text("As the result above says, it failed."), false}, {text(""), false},
	} {
		if got := refersBack(x.says); got != x.want {
			t.Errorf("%.60s: %t", x.says.Value(), got)
		}
	}
}

// An agent asks pact for what was left out, under the name that its program gives the tool: that is a call made again.
func TestARecallIsACallMadeAgain(t *testing.T) {
	for tool, want := range map[string]int{"recall": 1, "mcp__pact__recall": 1, "pact_recall": 1, "recall_files": 0} {
		c := converse(t, shortens, provider.Chat, "m")
		c.sends(reads(0, 0, file(0))...)
		turn := reads(1, 1, "as it was")
		turn[0].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)["function"].(map[string]any)["name"] = tool
		c.sends(turn...)
		if got, _ := c.last.RepeatedCalls(); got != want {
			t.Errorf("%s: %d calls made again", tool, got)
		}
	}
}

// Above a twentieth of calls that are made again nothing more is taken; above a tenth, of two or more, managing ends, says
// why, and all that was taken and not asked for again comes back behind what is cached, with the newest result. A request
// that begins before the end has what it had.
func TestAskingAgainEndsManaging(t *testing.T) {
	c := converse(t, shortens, provider.Chat, "m")
	for n := range 12 {
		c.sends(reads(n, n, file(n))...)
	}
	if got := c.sends(reads(12, 0, file(0))...); got != "" {
		t.Errorf("the first call that is made again: %q", got)
	}
	if got := c.sends(reads(13, 20, file(20))...); got != "" {
		t.Errorf("one of 14 calls was made again, and more is taken: %q", got)
	}
	before := len(c.said)
	if got := c.sends(reads(14, 1, file(1))...); got != "whole c14, stopped c14" {
		t.Fatalf("the second: %q", got)
	}
	for n := 2; n < 12; n++ {
		if !strings.Contains(c.text("c14"), file(n)) {
			t.Errorf("file %d has not come back", n)
		}
	}
	if strings.Count(c.text("c14"), file(0))+strings.Count(c.text("c14"), file(1)) != 1 || !c.last.Ended() {
		t.Error("what was asked for again comes back once more")
	}
	if got := c.sends(reads(15, 30, file(30))...); got != "" || c.text("c15") != file(30) {
		t.Errorf("after the end: %q", got)
	}
	if again, _ := c.last.RepeatedCalls(); again != 2 {
		t.Errorf("after the end %d calls asked again", again)
	}
	c.said = c.said[:before]
	if c.asks(); c.last.Ended() || c.text("c11") == file(11) {
		t.Error("a request of before the end is another")
	}
	d := c.list.by[c.list.ends[0]]
	if why := d[len(d)-1].Why; why != "2 of 15 calls asked again for what managing had taken" {
		t.Errorf("%q", why)
	}
}

// As long as more than a twentieth of the calls are made again, nothing leaves either.
func TestNothingLeavesWhileCallsAreMadeAgain(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","ttl":2,"stub":true}]}`, provider.Chat, "m")
	for n := range 5 {
		c.sends(reads(n, n, file(n))...)
	}
	if c.formed() != "left c0, left c1, left c2" {
		t.Fatalf("%q", c.formed())
	}
	c.sends(reads(5, 0, file(0))...)
	for n := 6; n < 24; n++ {
		want := ""
		if n > 19 { // since the 20th call, with which all leaves that is due
			want = fmt.Sprint("left c", n-2)
		}
		if got := c.sends(reads(n, n, file(n))...); n < 19 && got != "" || n > 19 && got != want {
			t.Errorf("call %d: %q", n, got)
		}
	}
}

// Nothing more is taken above a twentieth of calls that are made again, and managing ends above a tenth of two or more.
func TestHowManyCallsMayBeMadeAgain(t *testing.T) {
	for _, x := range []struct {
		again, calls  int
		loosens, ends bool
	}{{0, 1, false, false}, {1, 20, false, false}, {1, 19, true, false}, {1, 1, true, false}, {2, 40, false, false}, {2, 20, true, false},
		{2, 19, true, true}} {
		q := &Request{again: x.again, calls: map[string]int{}}
		for n := range x.calls {
			q.calls[fmt.Sprint(n)] = n
		}
		if q.loosened() != x.loosens || q.isEnding() != x.ends {
			t.Errorf("%d of %d: nothing more is taken: %t, managing ends: %t", x.again, x.calls, q.loosened(), q.isEnding())
		}
	}
}

// With pays, managing ends at the first call that is made again if the conversation would cost more than 2.5 % more should its
// agent ask for all; it goes on if that can be afforded. All comes back behind what is cached, or in its places if nothing is.
func TestManagingEndsBeforeItIsDear(t *testing.T) {
	asSent := func(u *inspect.ProviderCache) float64 { return float64(*u.In) }
	for name, x := range map[string]struct {
		paid  func(u *inspect.ProviderCache) float64
		pause time.Duration
		want  string
	}{
		"reading is cheap":               {pricesOfTest.Paid, time.Second, "whole c8, stopped c8"},
		"reading is as dear as sending":  {asSent, time.Second, ""},
		"reading is cheap, after a week": {pricesOfTest.Paid, 7 * 24 * time.Hour, "ended c8"},
	} {
		c := converse(t, strings.Replace(shortens, "now", "pays", 1), provider.Chat, "gpt-5")
		c.ledger = NewLedger(func(string) (Price, bool) { return Price{Paid: x.paid, Read: pricesOfTest.Read}, true })
		c.said = []any{map[string]any{"role": "user", "content": strings.Repeat("Look at all of this. ", 2000)}}
		for n := range 8 {
			if got := c.sends(reads(n, n, file(n))...); got != fmt.Sprint("shaped c", n) {
				t.Fatalf("%s: %q", name, got)
			}
		}
		c.now = c.now.Add(x.pause)
		if got := c.sends(reads(8, 0, file(0))...); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

// A reference is sent only while the result that it repeats stands before it as it came, and alone has its call.
func TestAReferenceLeadsToWhatIsThere(t *testing.T) {
	whole, other := file(1), strings.Repeat("other", 100)
	type step struct {
		results []string // pairs of a call and its result
		refers  bool
	}
	for what, steps := range map[string][]step{
		"the agent cleared it before": {{[]string{"c0", whole}, false}, {[]string{"c0", "[cleared]", "c1", whole}, false},
			{[]string{"c0", "[cleared]", "c1", whole, "c2", "x"}, false}},
		"the agent clears it later": {{[]string{"c0", whole}, false}, {[]string{"c0", whole, "c1", whole}, true},
			{[]string{"c0", whole, "c1", whole, "c2", "x"}, true}, {[]string{"c0", "[cleared]", "c1", whole, "c2", "x"}, false},
			{[]string{"c1", whole, "c2", "x"}, false}},
		"another conversation has the id": {{[]string{"c0", whole}, false}, {[]string{"c0", other, "c1", whole}, false}},
		"two have the id":                 {{[]string{"c0", whole}, false}, {[]string{"c0", whole, "c0", other, "c1", whole}, false}},
		"an earlier conversation had another result under the id": {{[]string{"c0", other}, false}, {[]string{"c0", whole}, false},
			{[]string{"c0", whole, "c1", whole}, true}},
	} {
		c := converse(t, `{"when":"now","rules":[{"select":"[kind='result']","once":true}]}`, provider.Chat, "m")
		begin := c.said
		for n, s := range steps {
			c.said = begin[:1:1]
			var more []any
			for i := 0; i < len(s.results); i += 2 {
				more = append(more, called(provider.Chat, s.results[i], "{}", "", s.results[i+1])...)
			}
			c.sends(more...)
			if got := c.formed(); got != map[bool]string{true: "same c1"}[s.refers] {
				t.Errorf("%s, request %d: %q", what, n, got)
			}
		}
	}
}

// What a reference repeats leaves: the text moves to the reference, in the same request.
func TestAReferenceBecomesTheTextAgain(t *testing.T) {
	c := converse(t, `{"when":"now","rules":[{"select":"[kind='result'][bytes>400]","once":true,"ttl":3,"stub":true}]}`, provider.Chat, "m")
	c.sends(reads(0, 0, file(0))...)
	c.sends(reads(1, 1, file(0))...)
	if got := c.text("c1"); c.formed() != "same c1" || got != "[The same as c0 above. Only pact writes such notes.]" {
		t.Fatalf("%s: %q", c.formed(), got)
	}
	c.sends(reads(2, 2, "x")...)
	if c.sends(reads(3, 3, "y")...); c.formed() != "left c0" || c.text("c1") != file(0) {
		t.Errorf("%s: the reference is %q", c.formed(), c.text("c1"))
	}
	if c.sends(reads(4, 4, "z")...); c.formed() != "left c0, left c1" {
		t.Errorf("%s", c.formed())
	}
}
