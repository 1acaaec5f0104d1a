// Package talk has the conversation that is measured: turns of 3.7 kB in four messages.
package talk

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
)

// The four messages of a turn.
var (
	Roles   = [4]string{"user", "assistant", "tool", "assistant"}
	lengths = [4]int{300, 900, 1700, 800}
)

// TurnBytes are the bytes of the contents of a turn.
const TurnBytes = 3700

// Messages are the contents of a turn: words, different in each.
func Messages(turn int) (list [4]string) {
	r := rand.New(rand.NewPCG(uint64(turn), 11))
	for i, length := range lengths {
		var text strings.Builder
		for text.Len() < length {
			word := words[int(float64(len(words))*r.Float64()*r.Float64())] // some are more frequent than others
			text.WriteString(word + " ")
			if r.IntN(12) == 0 {
				text.WriteString(strconv.Itoa(r.IntN(10_000)) + ". ")
			}
		}
		list[i] = text.String()[:length]
	}
	return list
}

var words = strings.Fields(`the a of to and in is it that for on with as was at by this be from or an are not have they one
	which you were all their can there we has more when who will no if out so what up said about than into them only other time
	new some could these two may first then do any like my now over such our man me even most made after also did many before must
	through years where much your way well down should because each just those people how too little state good very make world
	parcel weather evening customer number order shipment address refund account booking flight window question answer result
	function argument column table index query commit branch merge error timeout retry server client network storage`)

// Say adds the messages of a turn to the active head.
func Say(turn int) func(*pact.Batch) error {
	texts := Messages(turn)
	return func(b *pact.Batch) error {
		for i, text := range texts {
			b.Add("^ah", pact.Spec{Role: Roles[i], Kind: "text", Content: text, Offset: int64(i)})
		}
		return b.Err()
	}
}
