package enginetest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
)

// Suite is a store under test.
type Suite struct {
	// Open returns an empty store that is closed when the test ends.
	Open func(t *testing.T) engine.Contexts
	// Reopen closes a store and opens it again with everything in it. nil for a store that
	// lives no longer than its process.
	Reopen func(t *testing.T, s engine.Contexts) engine.Contexts
	// Beside opens another handle on the medium of an open store, which is closed when the test ends. nil for a store
	// that no other process reaches.
	Beside func(t *testing.T, s engine.Contexts) engine.Contexts
	// Medium leaves out what an engine does in the same way on every medium, and a run in memory proves. The bytes of a
	// medium themselves have a contract of their own, in storetest.
	Medium bool
	// AtOnce is how many tests run at the same time, each on stores of its own; 0 means one.
	// A store that waits for a server is tested faster by several. Open and Reopen are then
	// called from several goroutines.
	AtOnce int
	// Seed is that of the first random history. Several runs of the suite, on a store in several
	// states, see more histories if each begins with another.
	Seed uint64
}

// Run tests a store against the contract.
func Run(t *testing.T, open func(t *testing.T) engine.Contexts) { Suite{Open: open}.Run(t) }

// Run tests a store against the contract. Where the store can be opened again, the tests read
// everything twice, before and after that.
func (s Suite) Run(t *testing.T) {
	next := make(chan testCase, len(contract))
	for _, c := range contract {
		if !s.Medium || slices.Contains(onMedia, c.name) {
			next <- c
		}
	}
	close(next)
	var workers sync.WaitGroup
	for range max(s.AtOnce, 1) {
		workers.Go(func() {
			for c := range next {
				t.Run(c.name, func(t *testing.T) {
					c.test(t, s)
				})
			}
		})
	}
	workers.Wait()
}

// testCase is a test of the contract.
type testCase struct {
	name string
	test func(*testing.T, Suite)
}

var contract = []testCase{
	{"Contexts", testContexts},
	{"Names", testNames},
	{"Rename", testRename},
	{"Delete", testDelete},
	{"Missing", testMissing},
	{"Closed", testClosed},

	{"SeveralChanges", testSeveralChanges},
	{"AllOrNone", testAllOrNone},
	{"Guard", testGuard},
	{"Sharing", testSharing},
	{"LongHistory", testLongHistory},
	{"Log", testLog},
	{"Requests", testRequests},
	{"Has", testHas},
	{"Readers", testReaders},

	{"EmptyGroups", testEmptyGroups},
	{"EmptyGroupsOfForks", testEmptyGroupsOfForks},
	{"EmptyGroupsErased", testEmptyGroupsErased},

	{"Import", testImport},
	{"ImportedHead", testImportedHead},
	{"ImportedHistory", testImportedHistory},
	{"ForeignDrafts", testForeignDrafts},
	{"Content", testContent},
	{"Headers", testHeaders},
	{"ListedAttributes", testListedAttributes},
	{"Extremes", testExtremes},
	{"IDs", testIDs},

	{"LargeContents", testLargeContents},
	{"LongTurns", testLongTurns},
	{"VeryLongHistory", testVeryLongHistory},

	{"Fork", testFork},
	{"ForkAside", testForkAside},
	{"ForkRequests", testForkRequests},
	{"ForkRefused", testForkRefused},
	{"ForkDelete", testForkDelete},

	{"Attempts", testAttempts},
	{"AttemptsOfChanges", testAttemptsOfChanges},
	{"AttemptsRefused", testAttemptsRefused},
	{"AttemptsOfForks", testAttemptsOfForks},
	{"AttemptsOfHistories", testAttemptsOfHistories},
	{"AttemptsOfTheDeleted", testAttemptsOfTheDeleted},
	{"AttemptsAtOnce", testAttemptsAtOnce},

	{"Erase", testErase},
	{"EraseMoved", testEraseMoved},
	{"EraseBeside", testEraseBeside},
	{"EraseText", testEraseText},
	{"EraseAttempts", testEraseAttempts},
	{"EraseDrafts", testEraseDrafts},

	{"Copies", testCopies},
	{"CopiesErased", testCopiesErased},

	{"Tokens", testTokens},

	{"RandomHistories", testRandomHistories},
	{"RandomForks", testRandomForks},
	{"EraseRandom", testEraseRandom},
}

// onMedia are the cases in which media differ: in size, in who is beside whom, and in what random families leave.
var onMedia = []string{"Closed", "AllOrNone", "Guard", "LongHistory", "Requests", "Readers", "Content", "Extremes", "IDs",
	"LargeContents", "LongTurns", "VeryLongHistory", "Import", "AttemptsAtOnce", "EraseBeside", "Copies", "Tokens", "RandomHistories",
	"RandomForks", "EraseRandom"}

// seeds are those of the random histories of a test.
func (s Suite) seeds(t *testing.T, short, ordinary, thorough uint64) iter.Seq[uint64] {
	t.Helper()
	n := testrun.Size(t, short, ordinary, thorough)
	return func(yield func(uint64) bool) {
		for seed := s.Seed; seed < s.Seed+n && yield(seed); seed++ {
		}
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

var must = testrun.Must

var background = context.Background()
