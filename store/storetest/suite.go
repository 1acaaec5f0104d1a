package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Suite is a store under test.
type Suite struct {
	// Open returns an empty store that is closed when the test ends.
	Open func(t *testing.T) store.Store
	// Reopen closes a store and opens it again with everything in it. nil for a store that
	// lives no longer than its process.
	Reopen func(t *testing.T, s store.Store) store.Store
}

// Run tests a store against the contract.
func Run(t *testing.T, open func(t *testing.T) store.Store) { Suite{Open: open}.Run(t) }

// Run tests a store against the contract. Where the store can be opened again, the tests read
// everything twice, before and after that.
func (s Suite) Run(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Suite)
		need []power
	}{
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
		{"AttemptsRefused", testAttemptsRefused, []power{attempts}},
		{"AttemptsOfForks", testAttemptsOfForks, []power{attempts, forks}},
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
	} {
		t.Run(c.name, func(t *testing.T) {
			s.demand(t, c.need...)
			c.test(t, s)
		})
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
