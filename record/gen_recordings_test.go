package record_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// genRecordings makes up what several agents send: they go on, ask again, shorten what
// was said, edit it, forget it, sum it up and ask aside.
type genRecordings struct {
	*rand.Rand
	talks []*modelRequest // the last request of each conversation
	said  []string        // what was answered to it
}

var genTools = [][]string{nil, {"ls"}, {"ls", "cat"}, {"cat", "web", "mail"}}

func (g *genRecordings) next(step int) (modelRequest, int) {
	user := func(what string) string { return fmt.Sprintf("user %s in step %d", what, step) }
	if len(g.talks) == 0 || g.IntN(6) == 0 {
		r := modelRequest{tools: genTools[g.IntN(len(genTools))], system: fmt.Sprint("You are ", g.IntN(2))}
		r.group = []string{"", "", "cache key 1", "session 1", "session 2", "context 1"}[g.IntN(6)]
		r.agent = r.group == "session 1" || r.group == "session 2"
		r.said = []string{"user Here is the same as always."}
		if g.IntN(2) == 0 {
			r.said = nil
		}
		r.said = append(r.said, user("question"))
		g.talks, g.said = append(g.talks, nil), append(g.said, "")
		return r, len(g.talks) - 1
	}
	at := g.IntN(len(g.talks))
	r := *g.talks[at]
	r.said = slices.Clone(r.said)
	on := append(slices.Clone(r.said), g.said[at], user("more"))
	place := g.IntN(len(r.said))
	switch g.IntN(12) {
	case 0: // again
	case 1:
		r.said = append(r.said[:place], user("edited"))
	case 2:
		r.said = on
		r.said[place] = r.said[place][:4] + "..."
		if r.said[place][:4] == "assi" {
			r.said[place] = "assistant (short)"
		} else {
			r.said[place] = "user (short)"
		}
	case 3:
		r.said = on[min(g.IntN(3), len(on)-1):]
	case 4:
		r.said, r.tools = append(r.said, user("sum up")), nil
	case 5:
		r.said = append(r.said, user("aside"))
	case 6:
		r.said = []string{r.said[0], "user This is what was said: " + g.said[at][len("assistant "):]}
	case 7:
		r.system, r.said = "You are "+fmt.Sprint(g.IntN(3)), on
	case 8:
		r.tools, r.said = genTools[g.IntN(len(genTools))], on
	case 9: // somebody goes back, and both go on
		r.said = r.said[:place+1]
		g.talks, g.said, at = append(g.talks, nil), append(g.said, ""), len(g.talks)
	default:
		r.said = on
	}
	return r, at
}

// answered notes the answer to a request.
func (g *genRecordings) answered(at int, r modelRequest, answer string) {
	g.talks[at], g.said[at] = &r, answer
}
