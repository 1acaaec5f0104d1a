package conformance_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// elsewhere names the tests that hold the goldens of edition 1.0 which ask no command line; of one that nothing can hold,
// it says why.
var elsewhere = map[string]string{
	"04-7-array":                     "internal/librarytest.TestEditsOfEdition1",
	"err-conflict":                   "server.TestFailuresOfEdition1",
	"err-pos":                        "server.TestFailuresOfEdition1",
	"http-INVALID_SELECTOR":          "server.TestFailuresOfEdition1",
	"http-INVALID_PLACEMENT":         "server.TestFailuresOfEdition1",
	"http-DUPLICATE_CONTAINER":       "server.TestFailuresOfEdition1",
	"http-NOT_AUTHORIZED":            "server.TestFailuresOfEdition1",
	"http-PARENT_ID_MISSING":         "server.TestFailuresOfEdition1",
	"http-CONFLICTING_UPDATE":        "server.TestFailuresOfEdition1",
	"http-INTERNAL_ERROR":            "server.TestFailuresOfEdition1",
	"edition-of-document":            "internal/document.TestEditionOfADocument",
	"t0-new-context":                 "internal/librarytest.TestAddressesOfEdition1",
	"read-model":                     "internal/librarytest.TestPlacesOfNodes",
	"retention-silent":               "conformance.TestGoldensOfEdition1",
	"fixture-range_pairwise_unified": "a block of ^seq changes before @t0, which 1.0 05 §6.2 forbids",
}

// with names the case that holds a golden together with another one.
var with = map[string]string{"thread-unit": "1.0-thread-12.8", "sticky": "1.0-ephemeral", "err-selector": "1.0-refuse-11"}

// TestGoldensOfEdition1: each printed or derived result of edition 1.0 is a case with that result, or a test, and no case
// of the edition prunes (1.0 02 §5.4).
func TestGoldensOfEdition1(t *testing.T) {
	byID, parses := map[string]conformance.Case{}, map[string]bool{}
	for _, c := range cases(t) {
		byID[c.ID] = c
		if c.Edition == "1.0" && c.Profile() == "pruning" {
			t.Errorf("%s prunes", c.ID)
		}
		for _, check := range checksOf(c) {
			for _, s := range check.Selectors {
				parses[s] = parses[s] || c.Edition == "1.0" && check.Kind == "parses"
			}
		}
	}
	for id, test := range elsewhere {
		if filepath.Ext(test) != "" && !testExists(t, test) && id != "fixture-range_pairwise_unified" {
			t.Errorf("%s is held by %s, which is not there", id, test)
		}
	}
	specification(t)
	data, err := os.ReadFile(filepath.Join(sharedSpec(t), "1.0", "goldens.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the goldens of edition 1.0 are not here: they were not compared")
	}
	var file struct {
		Cases []struct {
			ID            string
			Query, Expect json.RawMessage
		}
	}
	must(t, errors.Join(err, json.Unmarshal(data, &file)))
	run := 0
	for _, g := range file.Cases {
		c, own := byID["1.0-"+g.ID]
		var query string // some are objects
		_ = json.Unmarshal(g.Query, &query)
		_, shared := byID[with[g.ID]]
		switch {
		case own || shared || parses[query]:
			run++
		case elsewhere[g.ID] == "":
			t.Errorf("%s has no case: %s %s", g.ID, g.Query, g.Expect)
		}
		var ids []string
		if own && query != "" && json.Unmarshal(g.Expect, &ids) == nil {
			check := checksOf(c)[0]
			if check.Selector != query || !slices.Equal(check.Expect, ids) {
				t.Errorf("%s asks %s for %q, and the golden %s for %q", c.ID, check.Selector, check.Expect, query, ids)
			}
		}
	}
	t.Logf("%d of %d goldens run, %d are held by tests", run, len(file.Cases), len(file.Cases)-run)
}
