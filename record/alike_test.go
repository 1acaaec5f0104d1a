package record_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// genAlike makes up requests that begin like many others, of a few words: they go on, go back, change a word, or have what
// stands before the last words summed up.
type genAlike struct {
	*rand.Rand
	talks [][]string // what was said, with the answers
	sums  []string   // the last summary of each, "" for none
}

func (g *genAlike) word(n int) string {
	return []string{"user ", "assistant "}[n%2] + string(rune('a'+g.IntN(3)))
}

// next returns a request, and the talk that it goes on with, -1 for one that asks for a summary.
func (g *genAlike) next() (r modelRequest, talk int) {
	r = modelRequest{tools: []string{"ls"}, system: "You help."}
	if len(g.talks) == 0 || g.IntN(8) == 0 {
		g.talks, g.sums = append(g.talks, nil), append(g.sums, "")
		r.said = []string{"user Hello."}
		return r, len(g.talks) - 1
	}
	at := g.IntN(len(g.talks))
	r.said = append(slices.Clone(g.talks[at]), g.word(0))
	place := 1 + g.IntN(len(r.said)-1)
	if g.sums[at] != "" && g.IntN(2) == 0 {
		r.said, g.sums[at] = []string{r.said[0], g.word(1), "user So far: " + g.sums[at], r.said[len(r.said)-1]}, ""
		return r, at
	}
	switch g.IntN(8) {
	case 0:
		r.said[place] = g.word(place)
	case 1:
		r.said[place] = g.word(place + 1)
	case 2:
		r.said = append(r.said[:1+place/2], r.said[len(r.said)-1-place%2:]...)
	case 3:
		r.said = r.said[:place+1-place%2]
		g.talks, g.sums, at = append(g.talks, nil), append(g.sums, ""), len(g.talks)
	case 4, 5:
		return modelRequest{system: "Summarize it.", said: append(r.said[:place:place], "user Go.")}, -1 - at
	}
	return r, at
}

// A request goes where it would go if it were compared with every recording that begins alike: what is left out beforehand
// would not have been taken.
func TestWhatIsLeftOutWouldNotBeTaken(t *testing.T) {
	left := 0
	for seed := range uint64(testrun.Size(t, 20, 60, 400)) {
		g := &genAlike{Rand: rand.New(rand.NewPCG(seed, 29))}
		const steps = 60
		var script []providertest.Turn
		for step := range steps {
			text := g.word(1)[len("assistant "):]
			if g.IntN(4) == 0 {
				text = fmt.Sprintf("what was said until step %d.", step)
			}
			script = append(script, providertest.Turn{Text: text})
		}
		_, url := startProvider(t, script...)
		rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Context: "chat", Strict: true})
		client := &http.Client{Transport: rec.Transport(nil)}
		for step := range steps {
			r, talk := g.next()
			body := r.body(t, step)
			record.Drain(rec)
			few, compared := record.ChoiceOf(t, rec, body)
			t.Run("", func(t *testing.T) {
				record.CompareAll(t)
				all, of := record.ChoiceOf(t, rec, body)
				if left += of - compared; all != few {
					t.Errorf("seed %d, step %d: of %d it goes to %s, of all %d to %s: %s", seed, step, compared, few, of, all, body)
				}
			})
			r.send(t, client, url, body)
			if answer := script[step].Text; talk < 0 {
				g.sums[-1-talk] = answer
			} else {
				g.talks[talk] = append(r.said, "assistant "+answer)
			}
		}
		rec.Close()
		if t.Failed() {
			return
		}
	}
	if t.Logf("%d recordings were left out", left); left < 100 {
		t.Errorf("only %d recordings were left out", left)
	}
}
