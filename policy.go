package pact

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
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
			return fault.Wrap(fault.DocumentInvalid, err, "the policy has no JSON form",
				"give rules and limits of numbers and strings")
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

// Migrate copies this context to another name, or to another store, as one of edition 1.0, the only one that e can be,
// in one durable step. It
// reads the history anew: ids, cycles, stamps, order, ttls, headers, attempts and who did what stay. Hashes, digests
// and the bytes of threads are those of 1.0, so what proves them does not carry over. The selectors of the rules that
// the context keeps, or kept in a snapshot, are written in 1.0; the list says what became of each. One that 1.0 cannot
// say, or not for sure, has doubts, and so has a policy that cannot be read: then Migrate copies nothing, unless force is set, which leaves out the rules that cannot be written.
//
// Errors: E_SELECTOR_INVALID for doubts, E_CONFLICT if the name is taken or the context is of 1.0 already, and those
// of [Context.Export]. Cost: reading and writing every version of a node once.
func (c *Context) Migrate(ctx context.Context, to *DB, name string, e selector.Edition, force bool) (
	_ *Context, _ []inspect.Migrated, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := selector.ParseEdition(string(e)); err != nil {
		return nil, nil, err
	}
	if e != selector.V1 {
		return nil, nil, fault.At(fault.SelectorInvalid, fault.NoOffset, string(e),
			"a context can be copied to edition 1.0 and to no other", "leave the edition out to copy it as it is")
	}
	from := selector.Edition(s.Edition)
	if from == selector.V1 {
		return nil, nil, fault.New(fault.Conflict, "the context is of edition 1.0 already", "copy it without an edition")
	}
	policies, list, err := c.publishedPolicies(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	var doubtful []inspect.Migrated
	for _, m := range list {
		if len(m.Doubts) > 0 {
			doubtful = append(doubtful, m)
		}
	}
	if len(doubtful) > 0 && !force {
		m := doubtful[0]
		of := "rule " + strconv.Itoa(m.Rule)
		if m.Cycle > 0 {
			of += " in snapshot " + strconv.FormatInt(m.Cycle, 10)
		}
		return nil, list, fault.At(fault.SelectorInvalid, fault.NoOffset, m.From, "the selectors of "+
			strconv.Itoa(len(doubtful))+" rules do not mean the same for sure in edition 1.0; of "+of+": "+m.Doubts[0], "force the copy and read its list, or keep another policy first if the working state has this one")
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { _ = w.CloseWithError(c.Export(ctx, w)) }()
	root := func(n *tree.Node) *tree.Node {
		if !n.Has(policyAttr) {
			return n
		}
		next := *n
		next.Headers = nil
		for _, h := range n.Headers {
			if h.Name == policyAttr {
				policy := policies[string(h.Value)]
				if policy == nil {
					continue
				}
				h.Value = canon.Value(policy.Value())
			}
			next.Headers = append(next.Headers, h)
		}
		return tree.NewNode(next, nil)
	}
	read, err := archive.ReadHistory(ctx, name, r, archive.Options{Edition: selector.V1, Actor: c.actor, Root: root})
	if err != nil {
		return nil, list, err
	}
	made, err := c.options().context(engine.Of(to)).begin(ctx, read.Creation)
	return made, list, err
}

// publishedPolicies returns the policies of the working state and of all snapshots in edition 1.0, by their texts, and
// what became of each rule, once. One that cannot be read has a doubt and no policy. Cost: what differs between snapshots.
func (c *Context) publishedPolicies(ctx context.Context, s *state) (map[string]*canon.Any, []inspect.Migrated, error) {
	made, said := map[string]*canon.Any{}, map[string]bool{}
	var list []inspect.Migrated
	add := func(t *tree.Tree, cycle int64) {
		keyless := func(id string) bool {
			n, err := t.Node(id)
			return err != nil || n != nil && !n.Has("key")
		}
		text := string(t.Root().Node().Header(policyAttr))
		policy, rules, err := publishedPolicy(text, selector.Edition(s.Edition), keyless)
		if err != nil {
			rules = []inspect.Migrated{{From: text, Doubts: []string{"the policy cannot be read: " + err.Error()}}}
		}
		made[text] = policy
		for _, m := range rules {
			if rule := fmt.Sprintf("%#v", m); !said[rule] {
				said[rule], m.Cycle = true, cycle
				list = append(list, m)
			}
		}
	}
	add(s.Working, 0)
	if s.Info.Cycle < s.Info.First {
		return made, list, nil
	}
	for t, err := range c.store.History(ctx, s.Key, s.Info.First, s.Info.Cycle) {
		if err != nil {
			return nil, nil, err
		}
		add(t, t.Cycle())
	}
	return made, list, nil
}

// publishedPolicy returns a kept policy with its selectors in edition 1.0, nil if there is none, and what became of
// each. A rule that cannot be written is left out.
func publishedPolicy(text string, from selector.Edition, keyless func(string) bool) (*canon.Any, []inspect.Migrated, error) {
	p, err := parsePolicy(text)
	if p == nil || err != nil {
		return nil, nil, err
	}
	var list []inspect.Migrated
	rules := p.Rules
	p.Rules = nil
	for i, rule := range rules {
		q, err := selector.Parse(rule.Select, from)
		if err != nil {
			return nil, nil, err
		}
		q.Time = nil // a rule asks the state that the commit is about to seal, in every edition
		m := inspect.Migrated{Rule: i + 1, From: rule.Select}
		q.Edition = from
		said, doubts := q.Published(keyless)
		if m.Doubts = doubts; said != nil {
			said.Time = nil
			m.To, rule.Select = said.String(), said.String()
			p.Rules = append(p.Rules, rule)
		}
		list = append(list, m)
	}
	data, err := json.Marshal(p)
	if err != nil {
		return nil, nil, fault.Wrap(fault.DocumentInvalid, err, "the policy has no JSON form",
			"give rules and limits of numbers and strings")
	}
	value, err := canon.Parse(data)
	if err != nil {
		return nil, nil, err
	}
	doc := value.Any()
	return &doc, list, nil
}
