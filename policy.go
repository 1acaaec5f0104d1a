package pact

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// KeepPolicy keeps a policy with the context; nil has it keep none. Every commit and every prepared candidate from
// then on follows it, if their [Pruning] has no policy of its own. It is an attribute of the root (02 §3.5): it is in
// the snapshots from the next one on, so exports, copies and forks have it, and an undo takes it back
// (docs/policies.md). It is E_DOCUMENT_INVALID to keep a policy that [lifecycle.Policy.Check] refuses, and
// E_SELECTOR_INVALID if a rule has no selector of one snapshot in the edition of the context.
func (b *Batch) KeepPolicy(p *lifecycle.Policy) {
	b.change(func() error {
		if p == nil {
			return b.editor.SetRoot(commit.PolicyAttr, nil)
		}
		if err := p.Check(); err != nil {
			return err
		}
		if _, err := rules.Compile(p.Rules, b.edition, nil); err != nil {
			return err
		}
		text, err := json.Marshal(p)
		if err != nil {
			return fault.Wrap(fault.DocumentInvalid, err, "the policy has no JSON form",
				"give rules and limits of numbers and strings")
		}
		value, err := canon.Parse(text)
		if err != nil {
			return err
		}
		return b.editor.SetRoot(commit.PolicyAttr, value)
	})
}

// Policy returns the policy that the context kept at this snapshot, nil if it kept none. [Context.Working] has the
// one that the next commit follows. It is E_DOCUMENT_INVALID if the attribute of an imported root is no policy.
func (s *Snapshot) Policy() (_ *lifecycle.Policy, err error) {
	return policyOf(tree.Of(s))
}

func policyOf(t *tree.Tree) (*lifecycle.Policy, error) {
	return commit.KeptPolicy(string(t.Root().Node().Header(commit.PolicyAttr)))
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

// Migrate copies this context to another name, or to another store, as one of edition 1.0, the only one that e can be,
// in one durable step. It reads the history anew: ids, cycles, stamps, order, ttls, headers, attempts and who did what
// stay. Hashes, digests and the bytes of threads are those of 1.0, so what proves them does not carry over. The
// selectors of the rules that the context keeps, or kept in a snapshot, are written in 1.0; the list says what became
// of each. One that 1.0 cannot say, or not for sure, has doubts, and so has a policy that cannot be read: then Migrate
// copies nothing, unless force is set, which leaves out the rules that cannot be written.
//
// Errors: E_SELECTOR_INVALID for doubts, E_CONFLICT if the name is taken or the context is of 1.0 already, and those
// of [Context.Export]. Cost: reading and writing every version of a node once.
func (c *Context) Migrate(ctx context.Context, to *DB, name string, e selector.Edition, force bool) (
	_ *Context, _ []inspect.Migrated, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	var made *Context
	list, err := archive.Migrate(ctx, c.provenance(s), archive.Options{Edition: e, Actor: c.actor}, name, force,
		func(g engine.Creation) (err error) {
			made, err = c.options().context(engine.Of(to)).begin(ctx, g)
			return err
		})
	return made, list, err
}
