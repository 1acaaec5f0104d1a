package archive

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Migrate has begin make a context under a name that has the history of another one in edition 1.0, and returns what
// becomes of the rules that it keeps or kept. Without force it returns E_SELECTOR_INVALID if one is doubtful.
func Migrate(ctx context.Context, s *provenance.Source, o Options, name string, force bool,
	begin func(engine.Creation) error) ([]inspect.Migrated, error) {
	if _, err := selector.ParseEdition(string(o.Edition)); err != nil {
		return nil, err
	}
	if o.Edition != selector.V1 {
		return nil, fault.At(fault.SelectorInvalid, fault.NoOffset, string(o.Edition),
			"a context can be copied to edition 1.0 and to no other", "leave the edition out to copy it as it is")
	}
	if s.State.Edition == selector.V1 {
		return nil, fault.New(fault.Conflict, "the context is of edition 1.0 already", "copy it without an edition")
	}
	policies, list, err := publishedPolicies(ctx, s)
	if err != nil {
		return nil, err
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
		return list, fault.At(fault.SelectorInvalid, fault.NoOffset, m.From, "the selectors of "+
			strconv.Itoa(len(doubtful))+" rules do not mean the same for sure in edition 1.0; of "+of+": "+m.Doubts[0],
			"force the copy and read its list, or keep another policy first if the working state has this one")
	}
	r, w := io.Pipe()
	defer r.Close()
	go func() { _ = w.CloseWithError(WriteCompact(ctx, w, s)) }()
	o.Root = func(n *tree.Node) *tree.Node {
		if !n.Has(commit.PolicyAttr) {
			return n
		}
		next := *n
		next.Headers = nil
		for _, h := range n.Headers {
			if h.Name == commit.PolicyAttr {
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
	read, err := ReadHistory(ctx, name, r, o)
	if err != nil {
		return list, err
	}
	return list, begin(read.Creation)
}

// publishedPolicies returns the policies of the working state and of all snapshots in edition 1.0, by their texts, and
// what became of each rule, once. One that cannot be read has a doubt and no policy. Cost: what differs between snapshots.
func publishedPolicies(ctx context.Context, s *provenance.Source) (map[string]*canon.Any, []inspect.Migrated, error) {
	made, said := map[string]*canon.Any{}, map[string]bool{}
	var list []inspect.Migrated
	add := func(t *tree.Tree, cycle int64) {
		keyless := func(id string) bool {
			n, err := t.Node(id)
			return err != nil || n != nil && !n.Has("key")
		}
		text := string(t.Root().Node().Header(commit.PolicyAttr))
		policy, rules, err := publishedPolicy(text, s.State.Edition, keyless)
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
	add(s.State.Working, 0)
	if s.State.Info.Cycle < s.State.First {
		return made, list, nil
	}
	for t, err := range s.Store.History(ctx, s.State.Key, s.State.First, s.State.Info.Cycle) {
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
	p, err := commit.KeptPolicy(text)
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
