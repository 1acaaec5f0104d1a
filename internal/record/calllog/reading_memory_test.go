package calllog

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

// measuredSpool notes how much memory there is whenever something is written to it.
type measuredSpool struct {
	Spool
	most uint64
}

func (s *measuredSpool) WriteAt(b []byte, at int64) (int, error) {
	s.most = max(s.most, liveBytes())
	return s.Spool.WriteAt(b, at)
}

// liveBytes returns how many bytes of memory are in use.
func liveBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// While a transcript is read that stays in its file, each more of its calls takes little more than half the memory that its
// lines have bytes, although all are put into a tree: no line and no message is held.
func TestReadingATranscriptHoldsNoneOfItsTexts(t *testing.T) {
	testrun.OneGoroutine(t)
	testrun.CountsAllocations(t)
	var most [2]int
	calls := [...]int{2000, 8000}
	for i, n := range calls {
		text := dbtest.Session(n)
		file, err := os.CreateTemp(t.TempDir(), "spool")
		must(t, err)
		defer file.Close()
		spool, before := &measuredSpool{Spool: file}, liveBytes()
		log, err := ReadFile(bytes.NewReader(text), int64(len(text)), FileOptions{Hold: func(int64) error { return nil },
			Spool: func() (Spool, error) { return spool, nil }})
		if err != nil || len(log.Sessions[0].Calls) != n {
			t.Fatal(err)
		}
		most[i] = int(spool.most - before)
	}
	if each := (most[1] - most[0]) / (calls[1] - calls[0]); each > 950 {
		t.Errorf("%d calls take %d bytes and %d calls %d: %d bytes for each more", calls[0], most[0], calls[1], most[1], each)
	}
}
