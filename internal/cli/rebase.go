package cli

import (
	"context"
	"errors"

	"github.com/contexttree/pact"
	"github.com/spf13/cobra"
)

// rebaseFlag adds --rebase.
func rebaseFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("rebase", false, "where somebody else writes meanwhile, do it again upon what is there then")
}

// rebased makes a call again, upon what others wrote, for as long as it loses to
// them, where the user said so. s and err are what the call returned.
func rebased(ctx context.Context, wanted bool, s *pact.Snapshot, err error) (*pact.Snapshot, error) {
	for lost := (*pact.Conflict)(nil); wanted && errors.As(err, &lost); lost = nil {
		s, err = lost.Rebase(ctx)
	}
	return s, err
}
