package wire

import (
	"context"
	"fmt"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// manageFlags say by which policy requests are managed.
type manageFlags struct {
	policy string
	manage bool
}

// aboutPolicies ends the explanation of a command with these flags.
const aboutPolicies = `

--policy observes: what the policy would make shorter is kept with each call, and nothing
is changed; pact request --json has it. With --manage requests are sent so. head, tail and
once shape a result of a tool before it is first sent. What is due by a ttl or a limit goes
as the policy's when says, by default when that pays: a result leaves a note, thinking goes,
all else stays. Later requests have the same bytes. The originals are in the context
NAME/originals, by the id that the text names. A request that is not decided in 10 ms, or
whose decision the store does not keep in 5 s, goes out as it came, and one that the
provider refuses is sent again as it came.`

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
		if m.manage {
			return command.Usage(cmd, "--manage needs --policy")
		}
		return nil
	}
	policy, err := a.PolicyNamed(ctx, m.policy)
	if err == nil {
		err = record.CheckPolicy(ctx, &policy)
	}
	if err != nil {
		return err
	}
	o.Policy, o.Manage, o.Prices = &policy, m.manage, prices.BuiltIn()
	return nil
}

// managedSummary says what a policy did.
func managedSummary(a *command.App, got record.Stats, manage bool) {
	m := got.Managed
	if m == (record.Managed{}) {
		return
	}
	what, read := "would have shaped", "would have read"
	if manage {
		what, read = "shaped", "read"
	}
	fmt.Fprintf(a.Err, "      %s %s; the model %s %s less\n", what, view.Plural(m.Shaped, "result"), read,
		view.Size(m.Saved))
	if m.Cut > 0 {
		fmt.Fprintf(a.Err, "      left out later: %s, at %s\n", view.Plural(m.Cut, "result"), view.Plural(m.Batches, "request"))
	}
	if m.Open+m.Ended > 0 {
		fmt.Fprintf(a.Err, "      sent as they came: %s; managing ended for %s: %s\n", view.Plural(m.Open, "request"),
			view.Plural(m.Ended, "conversation"), view.Visible(m.Why))
	}
}
