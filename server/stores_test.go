package server_test

import (
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestThePromisesHoldOnPostgreSQL runs the tests of what an answer owes to the store again, with
// a database of PostgreSQL in place of a file. The race detector watches them on the file, and the
// store in its own tests.
func TestThePromisesHoldOnPostgreSQL(t *testing.T) {
	if testrun.Raced {
		t.Skip("left out: the same goroutines of the server are watched on SQLite")
	}
	t.Setenv(storeOfTests, "postgres")
	for name, test := range map[string]func(*testing.T){
		"edits":           TestEditsAndCommitsAreWhatTheLibraryStores,
		"retries":         TestARetryWithTheSameKeyDoesNothingMore,
		"conflicts":       TestAChangeThatDoesNotKnowTheLatestCycleIsAConflict,
		"acknowledged":    TestNoAcknowledgedCommitIsLost,
		"export":          TestAnExportImportsToTheSameContext,
		"open contexts":   TestAnswersSeeWhatOthersWrote,
		"events":          TestEventsFollowTheLogAndTheAttempts,
		"replaced":        TestAStreamSaysWhenItsContextIsReplacedOrDeleted,
		"deleted, erased": TestAContextThatGoesWhileItIsSent,
		"tokens":          TestARevokedTokenOpensNothingAndItsStreamsEnd,
	} {
		t.Run(name, test)
	}
}
