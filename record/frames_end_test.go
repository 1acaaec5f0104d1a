package record

import (
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
)

// Two requests begin with the messages of one, and the second was not recorded: the first has its own frames all the same.
func TestRequestsDoNotShareTheEndOfTheirFrames(t *testing.T) {
	read := func(body string) *request {
		v, err := canon.ParseAny([]byte(body))
		must(t, err)
		of, _ := provider.ReadRequest(provider.Messages, v)
		return requestOf(of, group{})
	}
	const one = `{"role":"user","content":"one"},{"role":"user","content":"two"},{"role":"user","content":"three"}`
	first := read(`{"messages":[` + one + `]}`)
	_, _, before := (&frames{}).frameFor(first)
	before.chain[0].attempt = "1"
	before.list = append(make([]frameSum, 0, 9), before.list...) // with room behind its end
	_, _, then := before.frameFor(read(`{"messages":[` + one + `,{"role":"user","content":"four"}]}`))
	wanted := then.list[3]
	_, _, other := before.frameFor(read(`{"messages":[` + one + `,{"role":"user","content":"four","name":"x"}]}`))
	if then.list[3] != wanted || other.list[3] == wanted {
		t.Errorf("the frames are now %q, were %q", then.list[3], wanted)
	}
}

var must = testrun.Must
