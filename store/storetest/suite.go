package storetest

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// Suite is a store under test.
type Suite struct {
	// Open returns an empty store that is closed when the test ends.
	Open func(t *testing.T) store.Store
	// Reopen closes a store and opens it again with everything in it. nil for a store that
	// lives no longer than its process.
	Reopen func(t *testing.T, s store.Store) store.Store
	// AtOnce is how many tests run at the same time, each on stores of its own; 0 means one.
	// A store that waits for a server is tested faster by several. Open and Reopen are then
	// called from several goroutines.
	AtOnce int
	// Seed is that of the first random history. Several runs of the suite, on a store in several
	// states, see more histories if each begins with another.
	Seed uint64

	able store.Store // of which demand asks what the store can do
}

// Run tests a store against the contract.
func Run(t *testing.T, open func(t *testing.T) store.Store) { Suite{Open: open}.Run(t) }

// Run tests a store against the contract. Where the store can be opened again, the tests read
// everything twice, before and after that.
func (s Suite) Run(t *testing.T) {
	s.able = s.Open(t)
	next := make(chan testCase, len(contract))
	for _, c := range contract {
		next <- c
	}
	close(next)
	var workers sync.WaitGroup
	for range max(s.AtOnce, 1) {
		workers.Go(func() {
			for c := range next {
				t.Run(c.name, func(t *testing.T) {
					s.demand(t, c.need...)
					c.test(t, s)
				})
			}
		})
	}
	workers.Wait()
}

// testCase is a test of the contract, and the powers that it needs.
type testCase struct {
	name string
	test func(*testing.T, Suite)
	need []power
}

var contract = []testCase{
	{"Contexts", testContexts, nil},
	{"Names", testNames, nil},
	{"Rename", testRename, []power{renames}},
	{"Delete", testDelete, []power{deletes}},
	{"Missing", testMissing, nil},
	{"Closed", testClosed, nil},

	{"Drafts", testDrafts, nil},
	{"Commits", testCommits, nil},
	{"OneStep", testOneStep, nil},
	{"SeveralChanges", testSeveralChanges, nil},
	{"AllOrNone", testAllOrNone, nil},
	{"Guard", testGuard, nil},
	{"Sharing", testSharing, nil},
	{"LongHistory", testLongHistory, nil},
	{"Log", testLog, nil},
	{"Requests", testRequests, nil},
	{"Has", testHas, nil},
	{"Readers", testReaders, nil},

	{"SystemUpdates", testSystemUpdates, nil},
	{"Removal", testRemoval, nil},
	{"DraftChanges", testDraftChanges, nil},
	{"DraftReset", testDraftReset, nil},
	{"Lifecycle", testLifecycle, nil},
	{"Cores", testCores, nil},
	{"Groups", testGroups, nil},
	{"Attachments", testAttachments, nil},
	{"EmptyGroups", testEmptyGroups, nil},
	{"EmptyGroupsOfForks", testEmptyGroupsOfForks, []power{forks}},
	{"EmptyGroupsErased", testEmptyGroupsErased, []power{erases}},

	{"Import", testImport, nil},
	{"ImportedHead", testImportedHead, nil},
	{"ImportedHistory", testImportedHistory, nil},
	{"ForeignDrafts", testForeignDrafts, nil},
	{"ForeignClasses", testForeignClasses, nil},
	{"Content", testContent, nil},
	{"Headers", testHeaders, nil},
	{"Extremes", testExtremes, nil},
	{"IDs", testIDs, nil},

	{"LargeContents", testLargeContents, nil},
	{"LongTurns", testLongTurns, nil},
	{"ManyContexts", testManyContexts, nil},
	{"VeryLongHistory", testVeryLongHistory, nil},

	{"Fork", testFork, []power{forks}},
	{"ForkOfAFork", testForkOfAFork, []power{forks}},
	{"ForkAside", testForkAside, []power{forks}},
	{"ForkRequests", testForkRequests, []power{forks}},
	{"ForkRefused", testForkRefused, []power{forks}},
	{"ForkDelete", testForkDelete, []power{forks, deletes, renames}},
	{"ForkImported", testForkImported, []power{forks}},

	{"Attempts", testAttempts, []power{attempts}},
	{"AttemptsOfChanges", testAttemptsOfChanges, []power{attempts}},
	{"AttemptsRefused", testAttemptsRefused, []power{attempts}},
	{"AttemptsOfForks", testAttemptsOfForks, []power{attempts, forks}},
	{"AttemptsOfHistories", testAttemptsOfHistories, []power{attempts}},
	{"AttemptsOfTheDeleted", testAttemptsOfTheDeleted, []power{attempts, forks, deletes}},
	{"AttemptsAtOnce", testAttemptsAtOnce, []power{attempts}},

	{"Erase", testErase, []power{erases}},
	{"EraseBelow", testEraseBelow, []power{erases, forks}},
	{"EraseMoved", testEraseMoved, []power{erases, forks}},
	{"EraseFamily", testEraseFamily, []power{erases, forks, deletes}},
	{"EraseLongTurns", testEraseLongTurns, []power{erases}},
	{"EraseText", testEraseText, []power{erases}},
	{"EraseAttempts", testEraseAttempts, []power{erases, attempts, forks}},
	{"EraseDrafts", testEraseDrafts, []power{erases, forks}},

	{"Copies", testCopies, []power{copies, forks, deletes, erases, attempts}},

	{"Tokens", testTokens, []power{keeps}},

	{"RandomHistories", testRandomHistories, nil},
	{"RandomForks", testRandomForks, []power{forks, deletes}},
	{"Reloads", testReloads, []power{erases, forks, deletes}},
	{"EraseRandom", testEraseRandom, []power{erases, forks, deletes}},
}

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var background = context.Background()
