package canon

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// Objects inside objects, of few and of very many members, have the members that the
// canonical form has, which another function writes.
func TestMembersOfNestedObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var draw func(b *strings.Builder, depth int)
	draw = func(b *strings.Builder, depth int) {
		n := r.IntN(5)
		if r.IntN(8) == 0 {
			n = mostOpen - 1 + r.IntN(4)
		}
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strconv.Itoa(r.IntN(2*n)) + `":`) // some names come twice
			if depth > 0 && r.IntN(n) < 3 {
				draw(b, depth-1)
			} else {
				b.WriteString(strconv.Itoa(i))
			}
		}
		b.WriteByte('}')
	}
	for range 200 {
		var b strings.Builder
		draw(&b, 3)
		text := []byte(b.String())
		want, err := Parse(text)
		must(t, err)
		got, err := ParseAny(text)
		must(t, err)
		if got.Value() != want {
			t.Fatalf("%s\nis read as %s\nwant       %s", text, got.Value(), want)
		}
	}
}

// The members of an object in a list take one allocation, however many they are.
func TestMembersTakeOneAllocation(t *testing.T) {
	testrun.CountsAllocations(t)
	list := func(members int) []byte {
		object := "{" + strings.Repeat(`"a":1,`, members-1) + `"a":1}`
		return []byte("[" + strings.Repeat(object+",", 199) + object + "]")
	}
	count := func(text []byte) float64 {
		return testing.AllocsPerRun(20, func() {
			_, err := ParseAny(text)
			must(t, err)
		})
	}
	if few, many := count(list(2)), count(list(20)); many > few+10 {
		t.Errorf("200 objects of 2 members take %.0f allocations, of 20 members %.0f", few, many)
	}
}

var must = testrun.Must
