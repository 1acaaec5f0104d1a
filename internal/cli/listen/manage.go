package listen

import (
	"cmp"
	"context"
	"fmt"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

// manageFlags say by which policy requests are managed.
type manageFlags struct {
	policy string
	manage bool
}

// aboutPolicies ends the explanation of a command with these flags.
const aboutPolicies = `

--policy observes: each call notes how the policy would shorten it (pact request --json).
With --manage pact sends the shortened requests, and later ones repeat the same bytes. The
originals are in the context NAME/originals; pact show ID prints the one that a text names.
Calls that ask again for what was taken get it whole. A request goes out as it came if
deciding takes over 100 ms or storing the decision over 5 s. docs/policies.md has the rest.`

func policyFlags(cmd *cobra.Command) *manageFlags {
	m := &manageFlags{}
	cmd.Long += aboutPolicies
	f := cmd.Flags()
	f.StringVar(&m.policy, "policy", "", "observe what the policy in `FILE`, or the ready one of that name, would change")
	f.BoolVar(&m.manage, "manage", false, "change requests as the policy says")
	return m
}

// options adds the policy to the options of a recorder.
func (m *manageFlags) options(ctx context.Context, a *command.App, cmd *cobra.Command, o *record.Options) error {
	if m.policy == "" {
		return nil
	}
	policy, err := a.PolicyNamed(ctx, m.policy)
	if err == nil {
		err = checkPolicy(ctx, &policy)
	}
	if err != nil {
		return err
	}
	o.Policy, o.Manage, o.Prices = &policy, m.manage, prices.BuiltIn()
	return nil
}

// checkPolicy returns E_DOCUMENT_INVALID for a policy that cannot be followed, and E_SELECTOR_INVALID
// for a rule whose selector cannot be used. A recorder with such a policy would manage nothing.
func checkPolicy(ctx context.Context, p *lifecycle.Policy) error {
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "scratch", nil)
	if err != nil {
		return err
	}
	return c.Edit(ctx, func(b *pact.Batch) error { b.KeepPolicy(p); return nil }, nil)
}

// managedSummary says what a policy did: calls, what was asked for again, and money against the same run without it.
func managedSummary(a *command.App, got record.Stats, manage bool) {
	m := got.Managed
	if m.Follows {
		a.Reportf("      an earlier run managed this conversation: what was decided then was sent so again, and nothing new was decided")
	}
	if m == (record.Managed{Follows: m.Follows}) {
		return
	}
	shaped, would := "would have shaped", "it would be "
	if manage || m.Follows {
		shaped, would = "shaped", ""
	}
	c := m.Computed
	money := "no price of " + view.Visible(cmp.Or(c.Unpriced, "the model")) + " is known"
	if c.Priced {
		money = fmt.Sprintf("%s dollars in place of %s", view.Money(c.Paid), view.Money(c.Instead))
	}
	if c.Calls > 0 {
		a.Reportf("      %s, %s of tools asked again for what was taken; %sinput of %d tokens in place of %d; %s (computed, against the "+
			"same run unmanaged)", view.Plural(int(c.Calls), "call"), view.Plural(m.Again, "call"), would, c.Sent, c.Unmanaged, money)
	}
	if !m.Follows { // else nothing new is shaped
		a.Reportf("      %s %s", shaped, view.Plural(m.Shaped, "result"))
	}
	if m.Cut > 0 {
		a.Reportf("      left out later: %s, at %s", view.Plural(m.Cut, "result"), view.Plural(m.Batches, "request"))
	}
	if m.Over > 0 {
		a.Reportf("      above max_tokens: %s; the policy's when decides what goes, not its limit", view.Plural(m.Over, "request"))
	}
	if m.Plain > 0 && m.Shaped+m.Cut == 0 {
		a.Reportf("      %s had no result of a tool, and a policy changes nothing else", view.Plural(m.Plain, "request"))
	}
	if c.NoMarker > 0 {
		a.Reportf("      %s marked nothing for the provider's cache: with markers most of the input would be read at a tenth of "+
			"the price, and leaving results out would save less", view.Plural(int(c.NoMarker), "call"))
	}
	if m.Open > 0 {
		a.Reportf("      sent as they came, for want of a decision: %s", view.Plural(m.Open, "request"))
	}
	if m.Ended > 0 {
		a.Reportf("      managing ended for %s: %s", view.Plural(m.Ended, "conversation"), view.Visible(m.Why))
	}
}
