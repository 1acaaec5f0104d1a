package cli

import (
	"context"
	"encoding/hex"
	"iter"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

func (a *app) hashCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hash NAME [@t] [--node ID] | hash --file NODE.json",
		Short: "Print the digest of a snapshot or the hash of a content",
		Long: `Print the digest of a snapshot, by default of the latest. With --node print the
content hash of one of its nodes; with --receipt also the mark that an erasure with
this receipt leaves of the node, which shows that a copy is what was erased.

With --file alone the file holds one node as a JSON object, and its content hash
(08 §2.1) is computed as the node stands there. Content that JSON cannot express has
no hash: an empty line is printed. With --file and --node the file is a document, a
history or a transcript.`,
		Example: `  pact hash chat
  pact hash chat @t-1 --node block:3-1
  pact hash --file backup.jsonl @c3 --node block:3-1 --receipt 5d0c…
  echo '{"content":"Hello","role":"user"}' | pact hash --file -`,
	}
	flags := a.sourceFlags(cmd)
	node := cmd.Flags().String("node", "", "the `ID` of a node")
	receipt := cmd.Flags().String("receipt", "", "with --node, the `RECEIPT` of an erasure")
	cmd.RunE = a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if *receipt != "" && *node == "" {
			return usage(cmd, "--receipt goes with --node")
		}
		if err := count(cmd, flags.file, args, "[@t]"); err != nil {
			return err
		}
		if flags.file != "" && *node == "" && len(args) == 0 {
			return a.hashNode(ctx, flags.file)
		}
		s, rest, err := a.source(ctx, cmd, flags, args)
		if err != nil {
			return err
		}
		defer s.close()
		snapshot, err := s.argument(ctx, rest)
		if err != nil {
			return err
		}
		if *node == "" {
			return a.answer(snapshot.Digest(), map[string]any{"cycle": snapshot.Cycle(), "digest": snapshot.Digest()})
		}
		n := snapshot.Tree().Node(*node)
		if n == nil {
			return tree.NoNode(*node, "in this snapshot")
		}
		if *receipt != "" {
			node, err := snapshot.Node(n.ID)
			if err != nil {
				return err
			}
			mark, err := pact.Mark(ctx, *receipt, node)
			if err != nil {
				return err
			}
			return a.answer(mark, map[string]any{"id": n.ID, "mark": mark})
		}
		if !n.HashOK {
			a.noHash()
		}
		return a.answer(n.ContentHash(), map[string]any{"id": n.ID, "content_hash": n.ContentHash()})
	})
	return cmd
}

// hashNode computes the content hash of the node in a file (08 §2.1).
func (a *app) hashNode(ctx context.Context, file string) error {
	in, err := a.read(ctx, file)
	if err != nil {
		return err
	}
	node, err := canon.ParseDocument(in.data)
	if err != nil {
		return inFile(err, in.name, in.data)
	}
	if node.Kind != canon.KindObject {
		return inFile(fault.New(fault.DocumentInvalid, "the node is not a JSON object",
			`write it as {"content":…,"kind":…,"role":…}`), in.name, nil)
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
	digest, ok := canon.ContentHash(member("content"), member("role"), member("kind"), attributes)
	hash := hex.EncodeToString(digest[:])
	if !ok {
		hash = ""
		a.noHash()
	}
	return a.answer(hash, map[string]any{"content_hash": hash})
}

func (a *app) noHash() { a.warnf("the content holds what JSON cannot express, so it has no hash") }

// answer prints one line for a person or an object for a program.
func (a *app) answer(line string, object any) error {
	if a.json {
		return a.printJSON(object)
	}
	a.printf("%s\n", line)
	return nil
}
