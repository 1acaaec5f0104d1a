package record

import (
	"context"
	"encoding/hex"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
	"github.com/contexttree/pact/internal/tree"
)

// contents holds the parsed contents of blocks by their content hash, so that a
// block that many calls send is read and parsed once, and those of the last thread.
type contents struct {
	known map[tree.Digest]canon.Any
	of    *pact.Snapshot
	parts []canon.Any // of its blocks

	joiner  provider.Joiner
	written wire.Series
}

// thread returns the contents of the blocks of a thread, which are there until the next one, and how many of them are
// those of the last one. Cost: that of the others.
func (c *contents) thread(ctx context.Context, s *pact.Snapshot) (_ []canon.Any, same int, err error) {
	if c.of != nil {
		shared, err := pact.SharePrefix(ctx, c.of, s)
		if err != nil {
			return nil, 0, err
		}
		same = shared.Blocks
	}
	c.of, c.parts = nil, c.parts[:same]
	for b, err := range tree.Of(s).Blocks(same) {
		var content canon.Any
		if err == nil {
			content, err = c.content(ctx, b.Node())
		}
		if err != nil {
			return nil, 0, err
		}
		c.parts = append(c.parts, content)
	}
	c.of = s
	return c.parts, same, nil
}

// content returns the content of a block. JSON cannot express every content; a block
// without a hash is parsed each time.
func (c *contents) content(ctx context.Context, n *tree.Node) (canon.Any, error) {
	if v, ok := c.known[n.Hash]; ok && n.HashOK {
		return v, nil
	}
	content, err := contentOf(ctx, n)
	if err != nil {
		return canon.Any{}, err
	}
	v := content.Any()
	if n.HashOK {
		if c.known == nil {
			c.known = map[tree.Digest]canon.Any{}
		}
		c.known[n.Hash] = v
	}
	return v, nil
}

// body rebuilds the body of an attempt. It also returns what the body says,
// absent if the blocks do not tell: the attempt keeps the body raw, or keeps the
// spelling of some values, which the body then has in place of the values. Both
// are there until the next one of the same contents and records. Cost: that of
// what the last one does not begin with, of which the text and its hash are
// known, and what stands behind the messages.
func body(ctx context.Context, s *pact.Snapshot, a history.Attempt, k *storedRequest, known *contents, from *records) (*Body, canon.Any, error) {
	if k.Erased {
		return nil, canon.Any{}, erased(a.ID)
	}
	b, same := wire.Body{Notes: k.Notes}, 0
	var err error
	if k.Notes.Raw == nil {
		if b.Value, same, err = k.value(ctx, s, a, known, from); err != nil {
			known.joiner = provider.Joiner{} // the last request is not the one of these frames and contents
			return nil, canon.Any{}, err
		}
	}
	text, sum, err := known.written.Write(b, provider.ListOf(k.API), same)
	if err != nil {
		return nil, canon.Any{}, unrestored(s, a, err)
	}
	if hex.EncodeToString(sum[:]) != k.SHA256 {
		return nil, canon.Any{}, unrestored(s, a, nil)
	}
	said := b.Value
	if len(k.Notes.Spelled) > 0 {
		said = canon.Any{}
	}
	return &Body{Bytes: text, SHA256: k.SHA256, Attempt: a, Path: k.Path, Redacted: k.Redacted,
		Encoding: k.Encoding, managed: k.Managed, api: k.API}, said, nil
}

// erased returns the error for a request that was erased.
func erased(attempt string) error {
	return fault.At(fault.Conflict, fault.NoOffset, attempt, "the request of "+attempt+" was erased",
		"the log of the context says when and why")
}

// unrestored returns the error for a request that the snapshot does not restore. Only if its thread is not the one that
// was sent did an edit or an erasure change it.
func unrestored(s *pact.Snapshot, a history.Attempt, err error) error {
	message, remedy := "the snapshot is not what was sent", "an edit or an erasure changed it since"
	if tree.Of(s).ThreadDigest().String() == a.Thread {
		message = "the request of " + a.ID + " cannot be restored"
		remedy = "what is recorded of it beside its thread does not fit; a log can be imported again under another name"
	}
	return fault.Wrap(fault.Conflict, err, message, remedy)
}

// value rebuilds the value of the body, and says how many of its messages are those of the last one.
func (k *storedRequest) value(ctx context.Context, s *pact.Snapshot, a history.Attempt, known *contents,
	from *records) (value canon.Any, same int, err error) {
	r, ctx := provider.Request{API: k.API}, tree.Asking(ctx, tree.AskerOf(s))
	if r.Parameters, err = canon.ParseDocument(k.Parameters); err != nil {
		return canon.Any{}, 0, err
	}
	frames := 0
	if r.Frame, frames, err = from.frame(ctx, k); err != nil {
		return canon.Any{}, 0, err
	}
	parts, blocks, err := known.thread(ctx, s)
	if err != nil {
		return canon.Any{}, 0, err
	}
	if value, same, err = known.joiner.Join(&r, parts, frames, blocks); err != nil {
		return canon.Any{}, 0, unrestored(s, a, err)
	}
	return value, same, nil
}
