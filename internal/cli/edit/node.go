package edit

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/operations"
	"github.com/contexttree/pact/internal/view"
	"github.com/spf13/cobra"
)

// nodeFlags are the flags of add and update that describe a node.
type nodeFlags struct {
	content, contentFile, contentJSON           string
	role, kind, key, provenance, mime, encoding string
	ttl, cad, priority, offset                  int64
	tags, refs, data                            []string
	pinned                                      bool

	file *command.Input // the file of --content-file, once read
}

func newNodeFlags(a *command.App, cmd *cobra.Command) *nodeFlags {
	n := &nodeFlags{}
	f := cmd.Flags()
	f.StringVar(&n.content, "content", "", "the content, a `TEXT`")
	f.StringVar(&n.contentFile, "content-file", "", "the content, the text in `FILE`; - is standard input")
	f.StringVar(&n.contentJSON, "content-json", "", "the content, any `JSON`")
	cmd.MarkFlagsMutuallyExclusive("content", "content-file", "content-json")
	f.StringVar(&n.role, "role", "", "`ROLE`: user, assistant, tool, system, other or a name with a colon")
	f.StringVar(&n.kind, "kind", "", "`KIND` of content, such as text, call or result")
	f.StringVar(&n.key, "key", "", "`KEY` that versions of the same thing share")
	f.StringVar(&n.provenance, "provenance", "", "`WHO` made it")
	f.StringVar(&n.mime, "mime", "", "media `TYPE` of the content")
	f.StringVar(&n.encoding, "encoding", "", "`ENCODING` of the content, such as base64")
	f.Int64Var(&n.ttl, "ttl", 0, "expire after so many `CYCLES`; without it the node stays")
	f.Int64Var(&n.cad, "cad", 0, "in edition 1.0, have a new node of the key come after so many `CYCLES`")
	f.Int64Var(&n.priority, "priority", 0, "a `NUMBER`; nodes with a lower one are pruned first")
	f.Int64Var(&n.offset, "offset", 0, "`PLACE` relative to the core: below 0 before it, above 0 after it")
	f.StringArrayVar(&n.tags, "tag", nil, "a `TAG`; may be repeated")
	f.StringArrayVar(&n.refs, "ref", nil, "`ID` of a node that this one refers to; may be repeated")
	f.StringArrayVar(&n.data, "data", nil, "a custom attribute, `NAME=JSON`; may be repeated")
	f.BoolVar(&n.pinned, "pinned", false, "keep it from being pruned")
	a.CompleteValues(cmd, "role", "role", view.Roles...)
	a.CompleteValues(cmd, "kind", "kind", "text", "call", "result")
	a.CompleteValues(cmd, "key", "key")
	a.CompleteValues(cmd, "tag", "tags")
	return n
}

// read returns the content that the flags give, nil for none.
func (n *nodeFlags) read(ctx context.Context, a *command.App, cmd *cobra.Command) (any, error) {
	switch f := cmd.Flags(); {
	case f.Changed("content"):
		return text(n.content, "")
	case f.Changed("content-json"):
		v, err := canon.Parse([]byte(n.contentJSON))
		return v, command.InArgument(err, n.contentJSON)
	case f.Changed("content-file"):
		if n.file == nil { // read it once: standard input ends, and a repeated call needs the text again
			var err error
			if n.file, err = a.Read(ctx, n.contentFile); err != nil {
				return nil, err
			}
		}
		return text(string(n.file.Data), n.file.Name)
	}
	return nil, nil
}

func text(s, file string) (any, error) {
	if !utf8.ValidString(s) {
		return nil, &command.Located{Name: file, Err: fault.New(fault.DocumentInvalid, "the content is not valid UTF-8",
			"encode it, for example as base64, and say so with --encoding")}
	}
	return s, nil
}

// attributes reads --data.
func (n *nodeFlags) attributes(cmd *cobra.Command) (map[string]any, error) {
	if len(n.data) == 0 {
		return nil, nil
	}
	attributes := make(map[string]any)
	for _, pair := range n.data {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, command.Usage(cmd, "--data %s has no value: it is NAME=JSON", pair)
		}
		v, err := canon.Parse([]byte(value))
		if err != nil {
			f := *command.FactsOf(err)
			f.Remedy = "a text needs its quotes: --data '" + name + `="…"'`
			return nil, command.InArgument(&f, value)
		}
		attributes[name] = v
	}
	return attributes, nil
}

// spec copies the flags into the description of a new node.
func (n *nodeFlags) spec(ctx context.Context, a *command.App, cmd *cobra.Command, s *pact.Spec) error {
	command.Override(cmd, "role", &s.Role, n.role)
	command.Override(cmd, "kind", &s.Kind, n.kind)
	command.Override(cmd, "key", &s.Key, n.key)
	command.Override(cmd, "provenance", &s.Provenance, n.provenance)
	command.Override(cmd, "mime", &s.MIME, n.mime)
	command.Override(cmd, "encoding", &s.Encoding, n.encoding)
	command.Override(cmd, "priority", &s.Priority, n.priority)
	command.Override(cmd, "offset", &s.Offset, n.offset)
	command.Override(cmd, "pinned", &s.Pinned, n.pinned)
	command.Override(cmd, "ttl", &s.TTL, &n.ttl)
	command.Override(cmd, "cad", &s.Cad, &n.cad)
	s.Tags, s.Refs = append(s.Tags, n.tags...), append(s.Refs, n.refs...)
	content, err := n.read(ctx, a, cmd)
	if err != nil {
		return err
	}
	if content != nil {
		s.Content = content
	}
	attributes, err := n.attributes(cmd)
	if s.Attrs == nil {
		s.Attrs = attributes
	} else {
		maps.Copy(s.Attrs, attributes)
	}
	return err
}

// change changes the description of a node as the flags say, and takes the headers away that unset names.
func (n *nodeFlags) change(ctx context.Context, a *command.App, cmd *cobra.Command, s *pact.Spec, unset []string) error {
	if cmd.Flags().Changed("tag") {
		s.Tags = nil
	}
	if cmd.Flags().Changed("ref") {
		s.Refs = nil
	}
	err := n.spec(ctx, a, cmd, s)
	for _, name := range unset {
		err = cmp.Or(err, operations.Set(s, name, canon.Null))
	}
	return err
}

// check refuses flags of an update that change nothing, or that contradict each other.
func (n *nodeFlags) check(cmd *cobra.Command, unset []string) error {
	attributes, err := n.attributes(cmd)
	if err != nil {
		return err
	}
	for _, name := range unset {
		flag := name
		if name == "tags" || name == "refs" {
			flag = strings.TrimSuffix(name, "s")
		}
		if _, both := attributes[name]; both || cmd.Flags().Changed(flag) {
			return command.Usage(cmd, "%s is both set and unset", name)
		}
		if slices.Contains([]string{"priority", "offset", "content"}, name) {
			return command.Usage(cmd, "%s can be changed, but not unset", name)
		}
	}
	if len(unset) == 0 && !slices.ContainsFunc([]string{"content", "content-json", "content-file", "role", "kind", "key",
		"provenance", "mime", "encoding", "ttl", "cad", "priority", "offset", "pinned", "tag", "ref", "data"}, cmd.Flags().Changed) {
		return command.Usage(cmd, "update needs something to change")
	}
	return nil
}
