package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Suite is a medium under test.
type Suite struct {
	// Open returns an empty medium, which is closed when the test ends.
	Open func(t *testing.T) store.Store
	// Reopen closes a medium and opens it again. nil for one that lives in its process.
	Reopen func(t *testing.T, s store.Store) store.Store
}

// Run tests a medium against the contract.
func (s Suite) Run(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Suite)
	}{
		{"Pairs", testPairs}, {"Order", testOrder}, {"Log", testLog}, {"Refused", testRefused}, {"Alone", testAlone},
		{"LargeValues", testLargeValues}, {"View", testView}, {"OneWriterWins", testOneWriterWins},
		{"AgreesWithModel", testAgreesWithModel}, {"Latest", testLatest}, {"Canceled", testCanceled}, {"Closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

func testPairs(t *testing.T, suite Suite) {
	s := suite.Open(t)
	want(t, "nothing", value(t, s, key(0, "a")), "-")
	write(t, s, store.Batch{Put: []store.Pair{pair(0, "a", "1"), pair(7, "a", "2"), pair(7, "b", "")}})
	write(t, s, store.Batch{Put: []store.Pair{pair(0, "a", "3"), {Key: key(7, "nil")}}})
	if suite.Reopen != nil {
		s = suite.Reopen(t, s)
	}
	want(t, "put twice", value(t, s, key(0, "a")), "3")
	want(t, "another space", value(t, s, key(7, "a")), "2")
	want(t, "an empty value", value(t, s, key(7, "b")), "")
	want(t, "a nil value", value(t, s, key(7, "nil")), "")
	write(t, s, store.Batch{Delete: []store.Span{{Space: 7, From: "a", To: "b"}}})
	want(t, "deleted", pairs(t, s, all(7), store.Ascending), "b= nil=")
	write(t, s, store.Batch{Delete: []store.Span{all(7), all(9)}, Put: []store.Pair{pair(7, "c", "4")}})
	want(t, "deleted before it is put", pairs(t, s, all(7), store.Ascending), "c=4")
	want(t, "the space beside it", value(t, s, key(0, "a")), "3")
}

// testOrder puts names that differ in bytes that are no text.
func testOrder(t *testing.T, suite Suite) {
	s := suite.Open(t)
	names := []string{"b", "a\xff", "a", "a\x00", "", "a\x00\x00", "\x00", "\xfe", "B", "ä"}
	var b store.Batch
	for _, n := range names {
		b.Put = append(b.Put, pair(store.MaxSpace, n, "v"))
	}
	write(t, s, b)
	slices.Sort(names)
	ascending := strings.Join(names, "=v ") + "=v"
	want(t, "ascending", pairs(t, s, all(store.MaxSpace), store.Ascending), ascending)
	slices.Reverse(names)
	want(t, "descending", pairs(t, s, all(store.MaxSpace), store.Descending), strings.Join(names, "=v ")+"=v")
	want(t, "a part", pairs(t, s, store.Span{Space: store.MaxSpace, From: "a\x00", To: "b"}, store.Ascending), "a\x00=v a\x00\x00=v a\xff=v")
	want(t, "nothing", pairs(t, s, store.Span{Space: store.MaxSpace, From: "b", To: "a"}, store.Ascending), "")
	for p, err := range s.Range(t.Context(), all(store.MaxSpace), store.Descending) {
		must(t, err)
		want(t, "the last", p.Name, "\xfe")
		break
	}
}

func testLog(t *testing.T, suite Suite) {
	s := suite.Open(t)
	write(t, s, store.Batch{Append: []store.Record{record(1, 1, "a")}})
	write(t, s, store.Batch{Append: []store.Record{record(1, 2, "b"), record(1, 3, "c"), record(2, 1, "z")}})
	write(t, s, store.Batch{Append: []store.Record{record(1, 4, "d")}, Cut: []store.Cut{{Space: 1, First: 1, Last: 2}},
		Replace: []store.Record{record(1, 3, "C")}})
	if suite.Reopen != nil {
		s = suite.Reopen(t, s)
	}
	want(t, "the log", records(t, s, store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending), "C d")
	want(t, "from its end", records(t, s, store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Descending), "d C")
	want(t, "one", records(t, s, store.Cut{Space: 1, First: 4, Last: 4}, store.Ascending), "d")
	want(t, "none", records(t, s, store.Cut{Space: 1, First: 4, Last: 3}, store.Ascending), "")
	want(t, "another", records(t, s, store.Cut{Space: 2, First: 1, Last: store.MaxNumber}, store.Ascending), "z")
	refused(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record(1, 4, "again")}}))
	refused(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record(1, 6, "a gap")}}))
	refused(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record(1, 2, "behind one that was cut")}}))
	refused(t, s.Write(t.Context(), &store.Batch{Replace: []store.Record{record(1, 1, "one that was cut")}}))
	refused(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record(3, 2, "without the first")}}))
	refused(t, s.Write(t.Context(), &store.Batch{Append: []store.Record{record(1, 7, "a gap")}, Cut: []store.Cut{{Space: 1, First: 1, Last: 5}}}))
	want(t, "afterwards", records(t, s, store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending), "C d")
	write(t, s, store.Batch{Append: []store.Record{{Space: 2, Number: 2, Value: []byte("y"), Rest: []byte("x")}}})
	write(t, s, store.Batch{Append: []store.Record{{Space: 2, Number: 3, Rest: []byte("w")}}})
	write(t, s, store.Batch{Replace: []store.Record{{Space: 2, Number: 1, Value: []byte("Z"), Rest: []byte("a")}}})
	want(t, "whole", records(t, s, store.Cut{Space: 2, First: 1, Last: 9}, store.Ascending), "Za yx w")
	want(t, "whole, from the end", records(t, s, store.Cut{Space: 2, First: 1, Last: 9}, store.Descending), "w yx Za")
	want(t, "heads", records(t, s, store.Cut{Space: 2, First: 1, Last: 9, Heads: true}, store.Ascending), "Z y ")
	want(t, "heads, from the end", records(t, s, store.Cut{Space: 2, First: 1, Last: 9, Heads: true}, store.Descending), " y Z")
	var held []store.Record
	for x, err := range s.Log(t.Context(), store.Cut{Space: 2, First: 1, Last: 9}, store.Ascending) {
		must(t, err)
		held = append(held, x)
	}
	if len(held) != 3 || string(held[0].Value)+string(held[1].Value)+string(held[1].Rest)+string(held[2].Rest) != "Zyxw" {
		t.Errorf("what was read before changed: %+v", held)
	}
	largest := record(store.MaxSpace, 1, "y")
	write(t, s, store.Batch{Append: []store.Record{largest}})
	want(t, "the last space", records(t, s, store.Cut{Space: store.MaxSpace, First: 1, Last: store.MaxNumber}, store.Ascending), "y")
}

// testRefused gives batches of which one expectation does not hold, with every kind of change.
func testRefused(t *testing.T, suite Suite) {
	s := suite.Open(t)
	write(t, s, store.Batch{Put: []store.Pair{pair(1, "is", "here")}, Append: []store.Record{record(1, 1, "a")}})
	for _, e := range []store.Expectation{
		{Key: key(1, "is"), State: store.Absent},
		{Key: key(1, "is not"), State: store.Present},
		{Key: key(1, "is"), State: store.Equal, Value: []byte("her")},
		{Key: key(1, "is not"), State: store.Equal, Value: []byte{}},
		{Key: key(2, "is"), State: store.Present},
	} {
		refused(t, s.Write(t.Context(), &store.Batch{Expect: []store.Expectation{{Key: key(1, "is")}, e},
			Delete: []store.Span{all(1)}, Cut: []store.Cut{{Space: 1, First: 1, Last: 9}}, Put: []store.Pair{pair(1, "new", "x")},
			Append: []store.Record{record(1, 2, "b")}}))
	}
	want(t, "pairs", pairs(t, s, all(1), store.Ascending), "is=here")
	want(t, "log", records(t, s, store.Cut{Space: 1, First: 1, Last: 9}, store.Ascending), "a")
	write(t, s, store.Batch{Expect: []store.Expectation{{Key: key(1, "is"), State: store.Equal, Value: []byte("here")},
		{Key: key(1, "new"), State: store.Absent}, {Key: key(1, "other"), State: store.Absent}},
		Put: []store.Pair{pair(1, "is", "there"), pair(1, "new", "x")}})
	want(t, "pairs", pairs(t, s, all(1), store.Ascending), "is=there new=x")
}

// testAlone gives batches of one record behind another one if a key has a value.
func testAlone(t *testing.T, suite Suite) {
	s := suite.Open(t)
	alone := func(r store.Record, name, value string) error {
		return s.Write(t.Context(), &store.Batch{Append: []store.Record{r},
			Expect: []store.Expectation{{Key: key(1, name), State: store.Equal, Value: []byte(value)}}})
	}
	write(t, s, store.Batch{Put: []store.Pair{pair(1, "is", "here"), pair(1, "empty", "")},
		Append: []store.Record{record(1, 1, "a"), record(2, 1, "z")}})
	must(t, alone(record(1, 2, "b"), "is", "here"))
	must(t, alone(record(1, 3, ""), "empty", ""))
	must(t, alone(record(2, 2, "y"), "is", "here"))
	for _, value := range []string{"her", "here ", "", "HERE"} {
		refused(t, alone(record(1, 4, "d"), "is", value))
	}
	refused(t, alone(record(1, 4, "d"), "is not", ""))
	refused(t, alone(record(1, 4, "d"), "empty", "x"))
	refused(t, alone(record(1, 3, "there"), "is", "here"))
	refused(t, alone(record(1, 5, "a gap"), "is", "here"))
	refused(t, alone(record(3, 2, "without the first"), "is", "here"))
	if suite.Reopen != nil {
		s = suite.Reopen(t, s)
	}
	want(t, "log", records(t, s, store.Cut{Space: 1, First: 1, Last: 9}, store.Ascending), "a b ")
	want(t, "another", records(t, s, store.Cut{Space: 2, First: 1, Last: 9}, store.Ascending), "z y")
}

func testLargeValues(t *testing.T, suite Suite) {
	s := suite.Open(t)
	large := bytes.Repeat([]byte{0, 0xff, 'x', 0xc3}, 4<<20)
	write(t, s, store.Batch{Put: []store.Pair{{Key: key(1, strings.Repeat("k", 1<<10)), Value: large}},
		Append: []store.Record{{Space: 1, Number: 1, Value: large}}})
	if suite.Reopen != nil {
		s = suite.Reopen(t, s)
	}
	got, err := s.Get(t.Context(), key(1, strings.Repeat("k", 1<<10)))
	must(t, err)
	if !bytes.Equal(got, large) {
		t.Errorf("a value of %d bytes came back as %d", len(large), len(got))
	}
	if got := records(t, s, store.Cut{Space: 1, First: 1, Last: 1}, store.Ascending); got != string(large) {
		t.Errorf("a record of %d bytes came back as %d", len(large), len(got))
	}
}

// testView reads in several calls during the writes of another: all of them see one moment.
func testView(t *testing.T, suite Suite) {
	s := suite.Open(t)
	write(t, s, store.Batch{Put: []store.Pair{pair(1, "n", "1")}, Append: []store.Record{record(1, 1, "1")}})
	var writer sync.WaitGroup
	var failed atomic.Value
	stop := make(chan struct{})
	writer.Go(func() {
		for n := int64(2); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			text := strings.Repeat("1", int(n))
			err := s.Write(context.Background(), &store.Batch{Put: []store.Pair{pair(1, "n", text)}, Append: []store.Record{record(1, n, text)}})
			if err != nil {
				failed.Store(err)
				return
			}
		}
	})
	for range 50 {
		must(t, s.View(t.Context(), func(r store.Reader) error {
			first := value(t, r, key(1, "n"))
			for x, err := range r.Log(t.Context(), store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Descending) {
				must(t, err)
				want(t, "the last record", string(x.Value), first)
				break
			}
			want(t, "the value again", value(t, r, key(1, "n")), first)
			return nil
		}))
	}
	close(stop)
	writer.Wait()
	if err := failed.Load(); err != nil {
		t.Error(err)
	}
	// What a view yields may be read further after it was asked for something else.
	must(t, s.View(t.Context(), func(r store.Reader) error {
		n := 0
		for x, err := range r.Log(t.Context(), store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending) {
			must(t, err)
			for p, err := range r.Range(t.Context(), all(1), store.Descending) {
				must(t, err)
				want(t, "the value within", value(t, r, p.Key), string(p.Value))
			}
			if n++; x.Number != int64(n) {
				t.Fatalf("record %d comes as number %d", x.Number, n)
			}
		}
		want(t, "the last record", strings.Repeat("1", n), value(t, r, key(1, "n")))
		return nil
	}))
	stopped := errors.New("stopped")
	if err := s.View(t.Context(), func(store.Reader) error { return stopped }); !errors.Is(err, stopped) {
		t.Errorf("the error of a view: %v", err)
	}
}

// testOneWriterWins lets eight writers append the same numbers: of each number one is there, and
// its writer alone was told so.
func testOneWriterWins(t *testing.T, suite Suite) {
	s := suite.Open(t)
	const numbers, writers = 30, 8
	var won [numbers + 1]atomic.Int32
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := int64(1); n <= numbers; {
				err := s.Write(context.Background(), &store.Batch{Append: []store.Record{record(1, n, string(rune('a'+w)))}})
				switch {
				case err == nil:
					won[n].Store(int32(w) + 1)
					n++
				case errors.Is(err, store.ErrRefused):
					n++
				case fault.CodeOf(err) != fault.Busy:
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	n := 0
	for x, err := range s.Log(t.Context(), store.Cut{Space: 1, First: 1, Last: store.MaxNumber}, store.Ascending) {
		must(t, err)
		if n++; x.Number != int64(n) || string(x.Value) != string(rune('a'+won[n].Load()-1)) {
			t.Errorf("record %d is of %s, and writer %d was told that it won", x.Number, x.Value, won[n].Load())
		}
	}
	if n != numbers {
		t.Errorf("%d records", n)
	}
}

func testCanceled(t *testing.T, suite Suite) {
	s := suite.Open(t)
	if _, alive := s.(*store.Memory); alive {
		t.Skip("no call waits for anything")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, &store.Batch{Put: []store.Pair{pair(1, "a", "b")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a write: %v", err)
	}
	if _, err := s.Get(ctx, key(1, "a")); !errors.Is(err, context.Canceled) {
		t.Errorf("a read: %v", err)
	}
	if err := s.View(ctx, func(r store.Reader) error {
		_, err := r.Get(ctx, key(1, "a"))
		return err
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("a view: %v", err)
	}
	var listing, logging error
	for _, listing = range s.Range(ctx, all(1), store.Ascending) {
	}
	for _, logging = range s.Log(ctx, store.Cut{Space: 1, First: 1, Last: 1}, store.Ascending) {
	}
	if !errors.Is(listing, context.Canceled) || !errors.Is(logging, context.Canceled) {
		t.Errorf("a range: %v, a log: %v", listing, logging)
	}
	want(t, "nothing was written", value(t, s, key(1, "a")), "-")
}

func testClosed(t *testing.T, suite Suite) {
	s := suite.Open(t)
	must(t, s.Close())
	_, got := s.Get(t.Context(), key(1, "a"))
	errs := map[string]error{"Get": got, "Write": s.Write(t.Context(), &store.Batch{Put: []store.Pair{pair(1, "a", "b")}}),
		"View": s.View(t.Context(), func(store.Reader) error { return nil })}
	for _, err := range s.Range(t.Context(), all(1), store.Ascending) {
		errs["Range"] = err
	}
	for _, err := range s.Log(t.Context(), store.Cut{Space: 1, First: 1, Last: 1}, store.Ascending) {
		errs["Log"] = err
	}
	for _, call := range []string{"Get", "Write", "View", "Range", "Log"} {
		if fault.CodeOf(errs[call]) != fault.Store {
			t.Errorf("%s of a closed medium: %v", call, errs[call])
		}
	}
}
