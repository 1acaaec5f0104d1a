package query_test

import (
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
)

func TestLocal(t *testing.T) {
	for text, want := range map[string]bool{
		".cb": true, "^seq .mt :pre .cb[role='user']": true, ".mc > .cb[ttl<=1]": true, "[data_x>5]": true, ".mt, #x": true,
		"+a":                      true,
		"?? {tag='a'} @order=bfs": true, "@t0..@t-1 .cb @mode=reduce": true, "@t0 [sdepth=2]": true,
		"@t0 [born_turn=2]": true,
		".cb:first":         false, ".mt:depth(1) .cb": false, "(d1, *:cb)": false,
		"@t0 [age<2]": false, "@t0 [depth=1]": false,
		"@t0 [depth!=null]": false,
		".cb @first":        false, ".cb @limit=1": false, ".cb @unique": false, "[key='a']": false,
	} {
		plan, err := query.Compile(selector.MustParse(text, selector.Depth))
		must(t, err)
		if plan.Local() != want {
			t.Errorf("%s: local is %v", text, !want)
		}
	}
}
