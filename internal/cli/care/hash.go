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

func hashCommand(a *command.App) *cobra.Command {
	cmd := a.Command("hash")
	flags := a.SourceFlags(cmd)
	node := cmd.Flags().String("node", "", "the `ID` of a node")
	receipt := cmd.Flags().String("receipt", "", "with --node, the `RECEIPT` of an erasure")
	cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *receipt != "" && *node == "" {
			return command.Usage(cmd, "--receipt goes with --node")
		}
		if flags.File != "" && *node == "" && len(args) == 0 {
			return hashNode(ctx, a, flags)
		}
		s, rest, err := a.Source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.Close()
		snapshot, err := s.Argument(ctx, rest)
		if err != nil {
			return err
		}
		if *node == "" {
			return a.Answer(snapshot.Digest(), map[string]any{"cycle": snapshot.Cycle(), "digest": snapshot.Digest()})
		}
		n, err := snapshot.Node(*node)
		if err != nil {
			return err
		}
		if *receipt != "" {
			mark, err := pact.Mark(ctx, *receipt, n)
			if err != nil {
				return err
			}
			return a.Answer(mark, map[string]any{"id": n.ID, "mark": mark})
		}
		if n.ContentHash == "" {
			noHash(a)
		}
		return a.Answer(n.ContentHash, map[string]any{"id": n.ID, "content_hash": n.ContentHash})
	})
	return cmd
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
