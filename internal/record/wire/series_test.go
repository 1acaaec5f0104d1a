package wire

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

// Bodies that mostly go on with the one before, each written in some way, come back as they came, with their hash, however
// many of their messages are said to be those of the one before.
func TestASeriesWritesWhatEachBodyWas(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 1))
	var names []string
	for name := range ways {
		names = append(names, name)
	}
	slices.Sort(names)
	for round := range testrun.Size(t, 60, 200, 2000) {
		var series Series
		var messages []string
		var last []canon.Any
		way, first := names[random.IntN(len(names))], drawn(random, 2)
		for range 12 {
			messages = messages[:len(messages)-random.IntN(min(3, len(messages)+1))]
			for range random.IntN(4) {
				messages = append(messages, drawn(random, 3))
			}
			if random.IntN(8) == 0 {
				way, first = names[random.IntN(len(names))], drawn(random, 2)
			}
			members := []string{`"a":` + first, `"m":[` + strings.Join(messages, ",") + `]`, `"z":` + drawn(random, 2)}
			if random.IntN(4) == 0 {
				random.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
			}
			body := ways[way]([]byte("{" + strings.Join(members, ",") + "}"))
			kept, err := Read(body)
			must(t, err)
			now, _ := kept.Value.Get("m")
			same := 0
			for same < min(len(last), len(now.Elems)) && last[same].Value() == now.Elems[same].Value() {
				same++
			}
			last = now.Elems
			text, sum, err := series.Write(stored(t, kept), "m", random.IntN(same+1))
			if err != nil || !bytes.Equal(text, body) || sum != sha256.Sum256(body) {
				t.Fatalf("round %d, %s: %s came back as %s, %x, %v", round, way, body, text, sum, err)
			}
			if kept.Notes.Raw != nil {
				last = nil
			}
		}
	}
}

// Notes that do not belong to a body are refused in a series as elsewhere, and the next body comes back.
func TestASeriesRefusesNotesOfAnotherBody(t *testing.T) {
	value, err := canon.ParseAny([]byte(`{"messages":[{"a":1,"b":2},3]}`))
	must(t, err)
	var series Series
	for _, notes := range []Notes{{}, {Order: []byte{9, 2, 1, 0}}, {}, {Spelled: []Spelling{{Skip: 9, Literal: "1"}}}, {Order: []byte{1, 2, 1, 0}}} {
		want, failed := (Body{Value: value, Notes: notes}).Bytes()
		text, _, err := series.Write(Body{Value: value, Notes: notes}, "messages", 2)
		if string(text) != string(want) || (err == nil) != (failed == nil) {
			t.Errorf("%+v gave %s, %v; want %s, %v", notes, text, err, want, failed)
		}
	}
}
