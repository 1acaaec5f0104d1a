package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// TestListedAttributesAreBounded gives a root more attributes than a list shows. Four of the long ones
// with their names are just above the bound, three and the short one below it.
func TestListedAttributesAreBounded(t *testing.T) {
	env := tree.Env{Vocabulary: words, Clock: func() int64 { return 1 }, Taken: func(string) (bool, error) { return false, nil }}
	first, stamps, err := tree.New(env, nil)
	must(t, err)
	x := tree.Edit(background, first, first, stamps, env)
	for i := range 9 {
		must(t, x.SetRoot(fmt.Sprint("data_", i), strings.Repeat("x", history.MaxListedAttr-len(`""`))))
	}
	must(t, x.SetRoot("data_short", 1))
	var listed map[string]any
	must(t, json.Unmarshal([]byte(engine.Begun(x.Tree(), 1, false).Attrs), &listed))
	if got := slices.Sorted(maps.Keys(listed)); !slices.Equal(got, []string{"data_0", "data_1", "data_2", "data_short"}) {
		t.Errorf("listed are %v", got)
	}
}
