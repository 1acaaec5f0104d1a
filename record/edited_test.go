package record_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// TestNoAnswerOfALogIsLost: a log has calls whose requests leave out the answer before, or have another in its place. Each
// answer is in a context, as what was sent or what was answered last, or the importer counts it. The words of a call are
// what it was sent, with the answer behind the last.
func TestNoAnswerOfALogIsLost(t *testing.T) {
	for text, want := range map[string]string{
		"ask APPLE / ask PEAR":                                          "",
		"ask APPLE / ask PEAR / ask APPLE why A":                        "",
		"ask APPLE / ask PEAR / ask APPLE why A / ask APPLE how B":      "",
		"ask APPLE / ask PEAR / ask PEAR why A / ask APPLE how B":       "",
		"ask APPLE / ask PLUM why A":                                    "",
		"ask APPLE / ask PLUM why A / ask PLUM why LEMON how B":         "",
		"ask APPLE / ask APPLEPIE why A":                                "1 APPLE",
		"ask APPLE / ask why A":                                         "1 APPLE",
		"ask APPLE / ask why A / ask why how B":                         "2 APPLE A",
		"ask APPLE / ask APPLE why PEAR / ask APPLE why KIWI / ask BAY": "",
	} {
		s := pact.NewDB(store.NewMemory())
		i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
		must(t, err)
		var answers []string
		for n, call := range strings.Split(text, " / ") {
			words := strings.Fields(call)
			var messages []string
			for _, word := range words[:len(words)-1] {
				role := "user"
				if word == strings.ToUpper(word) {
					role = "assistant"
				}
				messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%q}`, role, word))
			}
			answers = append(answers, words[len(words)-1])
			_, err := i.Add(t.Context(), record.PastCall{ID: fmt.Sprint(n), API: "openai.chat", Path: "/v1/chat/completions", Status: 200,
				Body: []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`),
				Answer: []byte(fmt.Sprintf(`{"id":"a%d","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",`+
					`"message":{"role":"assistant","content":%q}}]}`, n, words[len(words)-1]))})
			must(t, err)
		}
		var all bytes.Buffer
		for _, name := range i.Contexts() {
			c, err := pact.Open(t.Context(), s, name, nil)
			must(t, err)
			look := func(state *pact.Snapshot) {
				thread, err := state.Thread(t.Context())
				must(t, err)
				all.Write(thread)
			}
			for state, err := range c.History(t.Context(), pact.Cycle(1), "latest") {
				must(t, err)
				look(state)
			}
			look(c.Working())
		}
		var gone []string
		for _, word := range answers {
			if !strings.Contains(all.String(), `"`+word+`"`) {
				gone = append(gone, word)
			}
		}
		got := ""
		lost, parts := i.AnswersAbsent()
		if lost+parts > 0 || len(gone) > 0 {
			got = fmt.Sprint(lost, " ", strings.Join(gone, " "))
		}
		if got != want {
			t.Errorf("%s: lost are %q, want %q; contexts %v", text, got, want, i.Contexts())
		}
	}
}
