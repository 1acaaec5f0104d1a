package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// asking compiles a policy, and counts the nodes that its rules are asked about.
func asking(t *testing.T, policy string, asked *int) *Rules {
	p, err := lifecycle.ParsePolicy([]byte(policy))
	must(t, err)
	c, err := Compile(&p)
	must(t, err)
	for i := range c.rules {
		find := c.rules[i].Find
		c.rules[i].Find = func(ctx context.Context, t *tree.Tree, below []string, whole bool) ([]string, error) {
			*asked += len(below)
			return find(ctx, t, below, whole)
		}
	}
	return c
}

// A conversation whose results wait because it does not pay to take them asks the rules, with each call, about what is new and
// what is due from then on, not about all that waits.
func TestWhatWaitsIsAskedOnce(t *testing.T) {
	var asked [2]int
	for k, calls := range []int{50, 100} {
		c := asking(t, `{"rules":[{"select":"[kind='result']","ttl":2},{"select":"[kind='call']","ttl":0}]}`, &asked[k])
		m, said, r := NewMemory(), []any{map[string]any{"role": "user", "content": "Look."}}, rand.New(rand.NewPCG(1, 1))
		for n := range calls {
			said = append(said, message(r, provider.Chat, n)...)
			body, _ := json.Marshal(map[string]any{"model": "m", "messages": said})
			q, _ := m.Read(provider.Chat, "", body, apart)
			g, err := c.treeOf(t.Context(), q, func() bool { return false })
			if err != nil || n == calls-1 && len(g.waits) < calls {
				t.Fatalf("of %d calls %d parts wait: %v", calls, len(g.waits), err)
			}
		}
	}
	if asked[1] > asked[0]*5/2 {
		t.Errorf("of 50 and 100 calls the rules are asked about %v nodes", asked)
	}
}

// What waits after a call, as the call before and what is due from then on say it, is what a commit says that looks at all.
func TestWhatWaitsAgreesWithModel(t *testing.T) {
	rules := []string{`{"select":"[kind='result']","ttl":%d,"stub":true}`, `{"select":"[bytes>200]","ttl":%d,"head":50}`,
		`{"select":"[kind='thinking']","ttl":%d}`, `{"select":"[bytes<120]","ttl":%d,"pinned":true}`, `{"select":".mt","ttl":%d}`,
		`{"select":"[tool='read']","once":true,"ttl":%d}`, `{"select":"^sys .block","ttl":%d}`, `{"select":"[bytes>300]","keep":true}`}
	waited := 0
	for seed := range uint64(testrun.Size(t, 15, 100, 3000)) {
		r := rand.New(rand.NewPCG(7, seed))
		list := ""
		for range 1 + r.IntN(3) {
			rule := rules[r.IntN(len(rules))]
			if strings.Contains(rule, "ttl") {
				rule = fmt.Sprintf(rule, []int{0, 1, 2, 5, 1 << 40}[r.IntN(5)])
			}
			list += "," + rule
		}
		asked, policy := 0, `{"stub":"gone","rules":[`+list[1:]+`]}`
		c, model := asking(t, policy, &asked), asking(t, policy, &asked)
		if !c.steady {
			t.Fatal("a rule of", policy, "is not steady")
		}
		model.steady = false
		name := []provider.API{provider.Messages, provider.Chat, provider.Responses}[r.IntN(3)]
		m, all := NewMemory(), [][]any{{map[string]any{"role": "user", "content": "Look."}}}
		for n := range 25 {
			i := r.IntN(len(all))
			said := append([]any(nil), all[i]...)
			for range 1 + r.IntN(2) {
				said = append(said, message(r, name, n)...)
			}
			if r.IntN(3) == 0 {
				all = append(all, said)
			} else {
				all[i] = said
			}
			body, _ := json.Marshal(map[string]any{"model": "m", provider.ListOf(name): said})
			q, ok := m.Read(name, "", body, apart)
			if !ok {
				t.Fatal(string(body))
			}
			got, err := c.treeOf(t.Context(), q, func() bool { return false })
			must(t, err)
			want, err := model.treeOf(t.Context(), q.Clone(), func() bool { return false })
			must(t, err)
			if waited += len(want.waits); !slices.Equal(got.waits, want.waits) || !maps.Equal(ruledIn(got.ruled), ruledIn(want.ruled)) {
				t.Fatalf("seed %d, call %d, %s: %v waits instead of %v", seed, n, policy, got.waits, want.waits)
			}
		}
	}
	if waited == 0 {
		t.Error("nothing waited")
	}
}

func ruledIn(r *ruled) map[int]int {
	all := map[int]int{}
	for ; r != nil; r = r.before {
		for part, rule := range r.by {
			if _, found := all[part]; !found {
				all[part] = rule
			}
		}
	}
	return all
}
