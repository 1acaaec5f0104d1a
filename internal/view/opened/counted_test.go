package opened_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/view/opened"
)

// What Anthropic's page of prices says of the two models, in dollars for a million tokens: input, a read, a write for
// five minutes and for an hour, output.
var pricesOf = map[string][5]float64{opus: {5, 0.5, 6.25, 10, 25}, haiku: {1, 0.1, 1.25, 2, 5}}

// TestADrawnSessionSaysWhatItsCountsSay draws what a provider counted, models and pauses, and works out by plain arithmetic
// what was paid, where the cache broke, what that cost and why: every door says the same to the digit.
func TestADrawnSessionSaysWhatItsCountsSay(t *testing.T) {
	type leftover struct {
		model                     string
		cycle, tokens, used, life int
	}
	broke := 0
	for seed := range uint64(testrun.Size(t, 8, 30, 1000)) {
		r := rand.New(rand.NewPCG(seed, 36))
		var words, want []string
		var latest *leftover
		of, minute, total, model, paid := map[string]*leftover{}, 0, 20000, opus, 0.0
		for cycle := range 3 + r.IntN(6) {
			if r.IntN(3) == 0 {
				minute += 1 + r.IntN(8)
				words = append(words, fmt.Sprint("+", minute))
			}
			if r.IntN(5) == 0 {
				model = []string{opus, haiku}[r.IntN(2)]
			}
			at := minute*60 + len(words)
			words = append(words, fmt.Sprint("question ", cycle))
			b := of[model]
			if b == nil || at-b.used > b.life {
				b = latest
			}
			read, hour := 0, 0
			if b != nil { // all of it, all but a little, half, or nothing
				read = b.tokens - []int{0, 0, 300, b.tokens / 2, b.tokens}[r.IntN(5)]
			}
			total += 2000
			written := total - read
			if r.IntN(3) == 0 {
				hour = written
			}
			words = append(words, fmt.Sprintf("%s=3,%d,%d,%d", model, written, read, hour))
			price := pricesOf[model]
			write := price[2]
			if hour > 0 {
				write = price[3]
			}
			paid += (3*price[0] + float64(read)*price[1] + float64(written)*write + price[4]) / 1e6
			if b != nil && b.tokens-read > 4096 {
				why := "nothing that the log shows changed (unknown)"
				if b.model != model {
					why = "the model changed, " + b.model + " → " + model + " (seen)"
				} else if idle := at - b.used; idle > b.life {
					why = fmt.Sprintf("idle for %d min, over the lifetime of %d min (computed)", idle/60, b.life/60)
				}
				again := b.tokens - read
				want = append(want, fmt.Sprintf("@c%d read %d where @c%d had left %d tokens (counted), %d were sent again for %.4f USD: %s",
					cycle+1, read, b.cycle, b.tokens, again, float64(again)*(write-price[1])/1e6, why))
			}
			latest = &leftover{model, cycle + 1, total, at, 300}
			if hour > 0 {
				latest.life = 3600
			}
			of[model] = latest
		}
		broke += len(want)
		eachDoor(t, []byte(session(words...)), func(told *opened.Context) {
			var says []string
			for _, b := range told.Story.Breaks {
				says = append(says, b.Says)
			}
			if !slices.Equal(says, want) {
				t.Errorf("%q: it broke\n%s\nwant\n%s", words, strings.Join(says, "\n"), strings.Join(want, "\n"))
			}
			if got := fmt.Sprintf("%.9f", *told.Story.Totals.Paid); got != fmt.Sprintf("%.9f", paid) {
				t.Errorf("%q: paid %s, want %.9f", words, got, paid)
			}
		})
	}
	if broke < 8 || testrun.Thorough() && broke != 1832 { // as docs/providers.md says of all sessions
		t.Errorf("%d calls broke", broke)
	}
}

// The sentence about the cost names what was paid without use as a sentence does: what it was, and the money behind it.
func TestTheCostNamesWhatWasPaidWithoutUse(t *testing.T) {
	var entries, messages []string
	for n := range 3 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"question %d"}`, n))
		body := `{"model":"` + opus + `","max_tokens":9,"messages":[` + strings.Join(messages, ",") + `]}`
		said := fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"answer %d"}]`, n)
		messages = append(messages, said+"}")
		answer := fmt.Sprintf(`%s,"id":"m%d","type":"message","model":"%s","stop_reason":"end_turn","usage":{"input_tokens":%d,`+
			`"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":1}}`, said, n, opus, 18000+9000*n)
		entries = append(entries, fmt.Sprintf(`{"startedDateTime":"2026-09-01T10:0%d:00.000Z","time":1,"request":{"method":"POST",`+
			`"url":"https://api.anthropic.com/v1/messages","headers":[],"postData":{"mimeType":"application/json","text":%q}},`+
			`"response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":%q}}}`, n, body, answer))
	}
	told := 0
	eachDoor(t, []byte(`{"log":{"version":"1.2","entries":[`+strings.Join(entries, ",")+`]}}`), func(c *opened.Context) {
		told++ // of 45,000 tokens that came again at 5 in place of 0.5, but 36,000 would have been written for 1.25 more
		want := ". Without use: this program asks for no caching: none of its 3 recorded requests has a marker (seen), and 45000 tokens " +
			"that the call before had sent were paid in full (0.1575 dollars)."
		if !strings.HasSuffix(c.Sentences[1], want) {
			t.Errorf("got %q", c.Sentences[1])
		}
	})
	if told != 1 {
		t.Errorf("%d contexts were opened", told)
	}
}

// A conversation that names its model once, for all of its calls, is one of that model.
func TestAConversationHasTheModelThatItNames(t *testing.T) {
	const chat = `{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"fix it"},{"role":"assistant","content":"How?"},` +
		`{"role":"user","content":"well"},{"role":"assistant","content":"done"}]}`
	told := 0
	eachDoor(t, []byte(chat), func(c *opened.Context) {
		if told++; !slices.Equal(c.Story.Models, []string{"claude-sonnet-4-6"}) {
			t.Errorf("it has calls of %q", c.Story.Models)
		}
	})
	if told != 1 {
		t.Errorf("%d contexts were opened", told)
	}
}
