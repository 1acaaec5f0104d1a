package simulate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// CheckedRule describes the nodes that a rule finds in a run.
type CheckedRule struct {
	Rule     int      `json:"rule"` // counted from 1
	Select   string   `json:"select"`
	Finds    int      `json:"finds"`              // nodes that its selector finds
	Decides  int      `json:"decides"`            // of these, nodes about which no earlier rule decides
	Shadowed []int    `json:"shadowed,omitempty"` // the earlier rules that decide about the others
	Examples []string `json:"examples,omitempty"` // ids of some nodes that it decides about
	Says     string   `json:"says"`               // in a sentence
}

// examples is how many ids a CheckedRule names.
const examples = 3

// Check asks the rules of a policy of every call of a run, before anything is removed. Its errors are
// those of [Run]. Cost: that of [view.Walk], and a look at the blocks of each request.
func Check(ctx context.Context, c *pact.Context, p lifecycle.Policy, counter tree.Counter) (list []CheckedRule,
	err error) {
	compiled, err := manage.Compile(&p)
	if err != nil {
		return nil, err
	}
	list = make([]CheckedRule, 0, len(p.Rules))
	found := make([]map[string]bool, len(p.Rules)) // by rule: whether no earlier rule found the node too
	for i, r := range p.Rules {
		found[i] = map[string]bool{}
		list = append(list, CheckedRule{Rule: i + 1, Select: r.Select})
	}
	r, err := begin(ctx, c, Options{Counter: counter})
	if err != nil {
		return nil, err
	}
	err = r.walk(func(p *passedCall) error {
		sent, err := r.request(p)
		if err != nil {
			return err
		}
		finds, err := compiled.Find(ctx, sent.managed())
		if err != nil {
			return err
		}
		for i := range finds {
			for _, n := range finds[i] {
				id, first := sent.ids[n], true
				for k := range found[:i] {
					if _, too := found[k][id]; too {
						first = false
						if !slices.Contains(list[i].Shadowed, k+1) {
							list[i].Shadowed = append(list[i].Shadowed, k+1)
						}
						break
					}
				}
				found[i][id] = first
			}
		}
		return nil
	})
	for i := range list {
		for id, first := range found[i] {
			list[i].Finds++
			if first {
				list[i].Decides++
				list[i].Examples = append(list[i].Examples, id)
			}
		}
		slices.Sort(list[i].Examples)
		list[i].Examples = list[i].Examples[:min(examples, len(list[i].Examples))]
		list[i].Says = list[i].sentence()
	}
	return list, err
}

func (r *CheckedRule) sentence() string {
	slices.Sort(r.Shadowed)
	earlier := make([]string, len(r.Shadowed))
	for i, n := range r.Shadowed {
		earlier[i] = strconv.Itoa(n)
	}
	by := "rule " + strings.Join(earlier, ", ")
	switch {
	case r.Finds == 0:
		return "it finds nothing in this run"
	case r.Decides == 0:
		return fmt.Sprintf("%s decides about all %d nodes that it finds", by, r.Finds)
	case r.Decides < r.Finds:
		return fmt.Sprintf("it decides about %d of the %d nodes that it finds, %s about the others", r.Decides, r.Finds, by)
	}
	return fmt.Sprintf("it decides about all %d nodes that it finds", r.Finds)
}
