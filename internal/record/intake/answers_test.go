package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// TestWhatIsSaidOfTheAnswersOfALog: a program may send answers back whole, in part, or not at all, and a gateway may write
// them in the form of another API; an import records each with its tokens and says what no snapshot has.
func TestWhatIsSaidOfTheAnswersOfALog(t *testing.T) {
	const (
		claude = `{"url":"/v1/messages","request":{"model":"c","max_tokens":9,"messages":[%s]},"response":{"type":"message",` +
			`"role":"assistant","model":"c","content":[{"type":"thinking","thinking":"hm %d","signature":"x"},` +
			`{"type":"text","text":"a%[2]d"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}}` + "\n"
		gemini = `{"url":"/v1beta/models/g:generateContent","request":{"contents":[%s]},"response":{"choices":[{"message":` +
			`{"role":"assistant","content":"a%d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}}` + "\n"
		leaveOut = "run: the requests behind leave out "
	)
	for _, c := range []struct{ call, asked, said, want string }{
		{claude, `{"role":"user","content":"q%d"}`, `{"role":"assistant","content":[{"type":"text","text":"a%d"}]}`,
			leaveOut + "parts of 2 of the answers, or have them in other words: no snapshot has these parts"},
		{claude, `{"role":"user","content":"q%d"}`, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm %d",` +
			`"signature":"x"},{"type":"text","text":"a%[1]d"}]}`, ""},
		{claude, `{"role":"user","content":"q%d"}`, `{"role":"user","content":"and %d"}`,
			leaveOut + "2 of the answers, or have them in other words: no snapshot has these"},
		{gemini, `{"role":"user","parts":[{"text":"q%d"}]}`, `{"role":"model","parts":[{"text":"a%d"}]}`, ""},
	} {
		var log strings.Builder
		var sent []string
		for n := range 3 {
			sent = append(sent, fmt.Sprintf(c.asked, n))
			fmt.Fprintf(&log, c.call, strings.Join(sent, ","), n)
			sent = append(sent, fmt.Sprintf(c.said, n))
		}
		plan, err := PlanFile(t.Context(), &File{Data: []byte(log.String())}, Options{Name: "run"})
		must(t, err)
		made, err := plan.Import(t.Context(), pact.NewDB(store.NewMemory()), func(int, int) {})
		if err != nil || len(made) != 1 {
			t.Fatalf("%d contexts, %v", len(made), err)
		}
		said := ""
		for _, f := range made[0].Findings {
			said += f.Message
		}
		attempts, err := made[0].Context.Attempts(t.Context(), 1, 9)
		if err != nil || said != c.want {
			t.Errorf("%q, %v, want %q", said, err, c.want)
		}
		if len(attempts) != 3 {
			t.Errorf("%d calls, want 3", len(attempts))
		}
		for _, a := range attempts {
			if a.TokenIn == nil || a.TokenOut == nil || *a.TokenIn != 7 || *a.TokenOut != 3 || a.Error != "" {
				t.Errorf("%s: tokens %v, %v, failure %q", c.call, a.TokenIn, a.TokenOut, a.Error)
			}
		}
	}
}

var must = testrun.Must
