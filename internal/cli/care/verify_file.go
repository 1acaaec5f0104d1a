package care

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
)

// validated is the answer of pact verify --file FILE --json.
type validated struct {
	Valid     bool              `json:"valid"`
	Kind      intake.Kind       `json:"kind,omitempty"`
	Snapshots int               `json:"snapshots"`
	Findings  []inspect.Finding `json:"findings"`
}

// validate checks a file strictly.
func validate(ctx context.Context, a *command.App, flags *command.SourceFlags) error {
	v := &validated{Findings: []inspect.Finding{}}
	err := validateFile(ctx, a, flags, v)
	if !a.JSON {
		for _, f := range v.Findings {
			a.Printf("%s\n", command.FindingText(f))
		}
	}
	if err != nil {
		return err
	}
	v.Valid = true
	what := "valid, " + view.Plural(v.Snapshots, "snapshot")
	if len(v.Findings) > 0 {
		what += ", " + view.Plural(len(v.Findings), "finding")
	}
	return a.Answer(what, v)
}

func validateFile(ctx context.Context, a *command.App, flags *command.SourceFlags, v *validated) error {
	if flags.Edition != "" {
		if _, err := selector.ParseEdition(flags.Edition); err != nil {
			return err
		}
	}
	in, err := a.ReadFile(ctx, flags.File, true)
	if err != nil {
		return err
	}
	if v.Kind, err = in.Kind(); err != nil {
		return in.Located(err)
	}
	edition := selector.Edition(flags.Edition)
	switch v.Kind {
	case intake.Log:
		log, err := in.Log()
		if err == nil {
			err = log.Damage
		}
		if err != nil {
			return in.Located(err)
		}
		for _, s := range log.Sessions {
			v.Snapshots += len(s.Calls)
		}
		v.Findings = append(v.Findings, log.Findings...)
		return nil
	case intake.Snapshot:
		v.Snapshots = 1
		return validateSnapshot(in, edition, v)
	}
	findings, err := []inspect.Finding(nil), error(nil)
	v.Snapshots, findings, err = in.CheckHistory(ctx, archive.Options{Edition: edition, Strict: true})
	v.Findings = append(v.Findings, findings...)
	return err
}

// validateSnapshot reads a document strictly. If that fails, it reads it again
// leniently to find everything wrong with its shape.
func validateSnapshot(in *command.Input, edition selector.Edition, v *validated) error {
	d, err := document.Read(in.Data, document.Options{Edition: edition})
	if err == nil {
		v.Findings = append(v.Findings, d.Findings...)
		return nil
	}
	if d, lenient := document.Read(in.Data, document.Options{Edition: edition, Lenient: true}); lenient == nil {
		v.Findings = append(v.Findings, d.Findings...)
	}
	return command.InFile(err, in.Name, in.Data)
}

// replay imports an exported history into a new store, exports it again and compares the two.
func replay(ctx context.Context, a *command.App, file string) error {
	in, err := a.Read(ctx, file)
	if err != nil {
		return err
	}
	m := a.Meter("replaying")
	r, err := archive.RoundTrip(ctx, &metered{Reader: bytes.NewReader(in.Data), total: 2 * len(in.Data), m: m}, archive.Options{})
	m.End()
	if f := command.FactsOf(err); err != nil && f.Line > 0 {
		return command.InFile(err, in.Name, in.Line(f.Line))
	}
	if err != nil {
		return command.InFile(err, in.Name, in.Data)
	}
	a.Failed = !r.Same
	return a.Show(r, func() {
		a.Warn(r.Findings)
		drawReplay(a, r)
	})
}

// metered shows how much of an input has been read.
type metered struct {
	*bytes.Reader
	done, total int
	m           *screen.Meter
}

func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += n
	r.m.At(r.done, r.total)
	return n, err
}

func drawReplay(a *command.App, r *inspect.Replay) {
	snapshots := int(max(0, r.Last-r.First+1))
	if r.Same {
		a.Printf("%s: %s, %d bytes\n", a.Paint.Good("the same"), view.Plural(snapshots, "snapshot"), r.Bytes)
		return
	}
	d := r.Difference
	of := fmt.Sprintf("the %s of cycle %d", d.Kind, d.Cycle)
	if d.Kind == "head" {
		of = "the head"
	}
	a.Printf("%s at byte %d: line %d, %s, byte %d of the line\n", a.Paint.Bad("differs"), d.Byte, d.Line, of, d.LineByte)
	a.Printf("  file    %s\n  export  %s\n", restOfLine(d.Original), restOfLine(d.Export))
}

func restOfLine(text string) string {
	if text == "" {
		return "ends the line there"
	}
	return view.Visible(text)
}

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

func (h *hashFlags) given() bool { return h.digest || h.node != "" || h.receipt != "" }

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
		salt, err := hex.DecodeString(h.receipt)
		if err != nil || len(salt) != engine.SaltSize {
			return fault.New(fault.DocumentInvalid, "the receipt is not 64 hexadecimal digits",
				"give the receipt that the erasure returned")
		}
		mark, err := tree.NodeOf(n).Mark(ctx, salt)
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
