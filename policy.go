package pact

import (
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// policyAttr is the attribute of the root that holds the policy of a context.
const policyAttr = "pact:policy"

// KeepPolicy keeps a policy with the context; nil has it keep none. Every commit and every
// prepared candidate from then on follows it, if their [Pruning] has no policy of its own.
// It is an attribute of the root (02 §3.5): it is in the snapshots from the next one on, so
// exports, copies and forks have it, and an undo takes it back (docs/policies.md). It is
// E_DOCUMENT_INVALID to keep a policy that [lifecycle.Policy.Check] refuses, and
// E_SELECTOR_INVALID if a rule has no selector of one snapshot in the edition of the context.
func (b *Batch) KeepPolicy(p *lifecycle.Policy) {
	b.change(func() error {
		if p == nil {
			return b.editor.SetRoot(policyAttr, nil)
		}
		if err := p.Check(); err != nil {
			return err
		}
		if _, err := rules.Compile(p.Rules, b.edition, nil); err != nil {
			return err
		}
		text, err := json.Marshal(p)
		if err != nil {
			return fault.Wrap(fault.DocumentInvalid, err, "the policy has no JSON form", "")
		}
		value, err := canon.Parse(text)
		if err != nil {
			return err
		}
		return b.editor.SetRoot(policyAttr, value)
	})
}

// Policy returns the policy that the context kept at this snapshot, nil if it kept none.
// [Context.Working] has the one that the next commit follows. It is E_DOCUMENT_INVALID if
// the attribute of an imported root is no policy.
func (s *Snapshot) Policy() (_ *lifecycle.Policy, err error) {
	return policyOf(tree.Of(s))
}

func policyOf(t *tree.Tree) (*lifecycle.Policy, error) {
	return parsePolicy(string(t.Root().Node().Header(policyAttr)))
}

// ListedPolicy returns the policy that a context of a list keeps, nil if it keeps none or one that is not
// listed ([history.MaxListedAttr]), and [Snapshot.Policy]'s error for one that is none.
func ListedPolicy(i history.Info) (*lifecycle.Policy, error) {
	return parsePolicy(string(i.Listed.Attr(policyAttr)))
}

func parsePolicy(text string) (*lifecycle.Policy, error) {
	if text == "" {
		return nil, nil
	}
	p, err := lifecycle.ParsePolicy([]byte(text))
	if err != nil {
		f := fault.Wrap(fault.DocumentInvalid, err, "the attribute "+policyAttr+" of the root is no policy",
			"keep another policy, or none")
		f.Token = policyAttr
		return nil, f
	}
	return &p, nil
}

// compiledRules are the rules of a policy with their selectors compiled.
type compiledRules struct {
	of       []lifecycle.Rule
	compiled []commit.CompiledRule
}

// compiled returns the compiled selectors of some rules. It compiles the same rules once.
func (c *Context) compiled(list []lifecycle.Rule, edition selector.Edition) ([]commit.CompiledRule, error) {
	if len(list) == 0 {
		return nil, nil
	}
	same := func(a, b lifecycle.Rule) bool { return a.Select == b.Select }
	if known := c.rules.Load(); known != nil && slices.EqualFunc(known.of, list, same) {
		return known.compiled, nil
	}
	made, err := rules.Compile(list, edition, c.counter)
	if err == nil {
		c.rules.Store(&compiledRules{slices.Clone(list), made})
	}
	return made, err
}
