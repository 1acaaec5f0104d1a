package cli

import (
	"context"
	"errors"

	"github.com/contexttree/pact"
	"github.com/spf13/cobra"
)

// rebaseFlag adds --rebase.
func rebaseFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("rebase", false, "if somebody else writes meanwhile, repeat the edit on the new state")
}

// rebased repeats a call on the new state, if the user asked for it, for as
// long as the call loses to other writers. s and err are what the first call
// returned.
func rebased(ctx context.Context, wanted bool, s *pact.Snapshot, err error) (*pact.Snapshot, error) {
	for lost := (*pact.Conflict)(nil); wanted && errors.As(err, &lost); lost = nil {
		s, err = lost.Rebase(ctx)
	}
	return s, err
}
