package care

import (
	"cmp"
	"context"
	"encoding/hex"
	"iter"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// hashFlags ask verify for a digest or a hash.
type hashFlags struct {
	digest        bool
	node, receipt string
}

func newHashFlags(cmd *cobra.Command) *hashFlags {
	h := &hashFlags{}
	cmd.Flags().BoolVar(&h.digest, "hash", false, "print the digest of a snapshot, or the content hash of the node in --file")
	cmd.Flags().StringVar(&h.node, "node", "", "print the content hash of the node `ID`")
	cmd.Flags().StringVar(&h.receipt, "receipt", "", "with --node: print the mark that the erasure with this `RECEIPT` leaves")
	return h
}

func (h *hashFlags) asked() bool { return h.digest || h.node != "" || h.receipt != "" }

// print prints the hash that the flags ask for.
func (h *hashFlags) print(ctx context.Context, a *command.App, cmd *cobra.Command, flags *command.SourceFlags, args []string) error {
	if flags.File != "" && h.node == "" && len(args) == 0 {
		return hashNode(ctx, a, flags)
	}
	s, rest, err := a.Source(ctx, cmd, flags, args)
	if err != nil {
		return err
	}
	defer s.Close()
	if len(rest) > 1 {
		return command.Usage(cmd, "--hash takes NAME [@t]; %d given", len(args))
	}
	snapshot, err := s.Argument(ctx, rest)
	if err != nil {
		return err
	}
	if h.node == "" {
		return a.Answer(snapshot.Digest(), map[string]any{"cycle": snapshot.Cycle(), "digest": snapshot.Digest()})
	}
	n, err := snapshot.Node(h.node)
	if err != nil {
		return err
	}
	if h.receipt != "" {
		mark, err := pact.Mark(ctx, h.receipt, n)
		if err != nil {
			return err
		}
		return a.Answer(mark, map[string]any{"id": n.ID, "mark": mark})
	}
	if n.ContentHash == "" {
		noHash(a)
	}
	return a.Answer(n.ContentHash, map[string]any{"id": n.ID, "content_hash": n.ContentHash})
}

// hashNode computes the content hash of the node in a file (08 §2.1).
func hashNode(ctx context.Context, a *command.App, flags *command.SourceFlags) error {
	e, err := selector.ParseEdition(cmp.Or(flags.Edition, a.NewEdition()))
	if err != nil {
		return err
	}
	in, err := a.Read(ctx, flags.File)
	if err != nil {
		return err
	}
	node, err := canon.ParseDocument(in.Data)
	if err != nil {
		return command.InFile(err, in.Name, in.Data)
	}
	if node.Kind != canon.KindObject {
		return command.InFile(fault.New(fault.DocumentInvalid, "the node is not a JSON object",
			`write it as {"content":…,"kind":…,"role":…}`), in.Name, nil)
	}
	member := func(name string) canon.Value {
		v, _ := node.Get(name)
		return v.Value()
	}
	var attributes iter.Seq2[string, canon.Value] = func(yield func(string, canon.Value) bool) {
		for _, m := range node.Members {
			if !yield(m.Name, m.Value.Value()) {
				return
			}
		}
	}
	digest, ok := canon.BareHash(member("content"), attributes)
	if !e.Traits().Bare {
		digest, ok = canon.ContentHash(member("content"), member("role"), member("kind"), attributes)
	}
	hash := hex.EncodeToString(digest[:])
	if !ok {
		hash = ""
		noHash(a)
	}
	return a.Answer(hash, map[string]any{"content_hash": hash})
}

func noHash(a *command.App) { a.Warnf("the content holds what JSON cannot express, so it has no hash") }
