package tree_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/testrun"
)

// Every edit does what the law says or is refused with its code; and what was
// there before stays as it was, however much came after.
func TestEditsAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drive(begin(t, false))
		for _, v := range r.versions {
			equal(t, "digest of an old version", remade(t, v.tree).Digest(), v.digest)
			sameThread(t, v.tree, v.world)
			equal(t, "digest of an old version, from the model", built(t, v.world).Digest(), v.digest)
		}
	})
}
