package calllog

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// A session of Gemini CLI that is set back until its earlier branches are left out, and then further, is read to its
// end: what was said last is not lost.
func TestAGeminiSessionSetBackTooOften(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"sessionId":"s","projectHash":"h"}` + "\n")
	user := func(id string) { fmt.Fprintf(&b, `{"id":"%s","type":"user","content":"say %[1]s"}`+"\n", id) }
	const most = mostCopied / 512
	for i := range most + 1 {
		user(fmt.Sprint("u", i))
	}
	for range 513 {
		fmt.Fprintf(&b, `{"$rewindTo":"u%d"}`+"\n", most)
		user(fmt.Sprint("u", most))
	}
	fmt.Fprintf(&b, `{"$rewindTo":"u%d"}`+"\n", most/2)
	user("last")
	log, err := readWhole([]byte(b.String()))
	must(t, err)
	if said := string(log.Sessions[0].Unsent.Value()); !strings.Contains(said, "say last") {
		t.Errorf("what was said last is not there: %.200s", said)
	}
	if !strings.Contains(fmt.Sprint(log.Findings), "set back so often") {
		t.Errorf("%v", log.Findings)
	}
}

// A file of messages that each go on behind their line, and never end, is refused at the cost of its lines.
func TestCostOfUnendedMessagesIsLinear(t *testing.T) {
	const line = `{"role":"user","content":[` + "\n"
	cost := func(n int) (looked int) { // how many bytes are looked at for the ends of the values
		data := []byte(strings.Repeat(line, n))
		if _, err := readWhole(data); err == nil {
			t.Fatalf("%d messages without an end are read", n)
		}
		for i := range n {
			_, in := lookedAt(i, data[i*len(line):])
			looked += len(in)
		}
		return looked
	}
	if one, more := cost(2000), cost(32000); more > 17*one { // 16 times the lines; 256 times would be quadratic
		t.Errorf("for 16 times the lines %d bytes are looked at instead of %d", more, one)
	}
}

// An answer that is printed in many pieces costs what its bytes warrant: of twice the pieces about twice.
func TestCostOfPiecesIsLinear(t *testing.T) {
	testrun.CountsAllocations(t)
	cost := func(n int) uint64 {
		const piece = `{"type":"message","role":"assistant","content":"piece of an answer","delta":true}` + "\n"
		data := []byte(`{"type":"init","session_id":"s","model":"g","timestamp":"2026-05-04T09:00:00Z"}` + "\n" +
			`{"type":"message","role":"user","content":"q"}` + "\n" + strings.Repeat(piece, n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readWhole(data)
		must(t, err)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, two := cost(4000), cost(8000); two > one*5/2 {
		t.Errorf("twice the pieces take %d bytes instead of %d", two, one)
	}
}
