package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
	"github.com/contexttree/pact/internal/tree"
)

// WasManaged returns how many results of tools a policy shaped in a recorded request, how many it asked the provider
// to clear, and how many bytes less the model read. would says that the recorder only observed and changed nothing.
func (b *Body) WasManaged() (shaped, cleared, saved int, would bool) {
	if b.managed == nil {
		return 0, 0, 0, false
	}
	return len(b.managed.Shaped), b.managed.Cleared, b.managed.Saved, b.managed.Would
}

// Asked returns the request that the agent asked for in place of the recorded one, byte for byte: the
// same bytes if no policy changed it. s is the store with the originals.
//
// E_CONFLICT if an original was erased or the bytes are no longer those that came,
// E_CONTEXT_NOT_FOUND and E_NODE_NOT_FOUND if the originals are not in the store. Cost: that of the
// request.
func Asked(ctx context.Context, s *pact.DB, sent *Body) (*Body, error) {
	asked := *sent
	if sent.managed == nil || sent.managed.Would {
		return &asked, nil
	}
	originals, err := pact.Open(ctx, s, sent.managed.In, nil)
	if err != nil {
		return nil, err
	}
	kept := originals.Working()
	text := withoutQuestion(sent)
	root, ok := splice.Parse(text)
	if !ok {
		return nil, notAsked(nil)
	}
	var edits splice.Edits
	if sent.managed.Cleared > 0 {
		provider.UndoAsk(&edits, root)
	}
	ids := sent.managed.Shaped
	for _, one := range provider.Results(sent.api, root, 0) {
		if len(ids) == 0 {
			break
		}
		n, err := tree.Of(kept).Node(ids[0])
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, fault.At(fault.NodeNotFound, fault.NoOffset, ids[0], "the original is not in "+sent.managed.In,
				"open the store that the request was recorded in")
		}
		if call, _ := n.Header(attrCall).Text(); call != one.Call {
			continue
		}
		content, err := one.Content.Canon()
		shaped, failed := contentOf(ctx, n)
		if err = errors.Join(err, failed); err != nil {
			return nil, err
		}
		if shaped != content.Value() && !provider.HasNote(one.Content, string(shaped)) {
			continue
		}
		original, err := originalOf(ctx, kept, ids[0])
		if err != nil {
			return nil, err
		}
		edits.Replace(one.Content, original)
		ids = ids[1:]
	}
	at := map[int]int{} // by message, how many blocks of thinking came back
	for _, g := range sent.managed.Gone {
		messages := root.Get(provider.ListOf(sent.api)).Elems
		original, err := originalOf(ctx, kept, g.ID)
		if err != nil {
			return nil, err
		}
		if g.Message >= len(messages) || g.At-at[g.Message] > len(messages[g.Message].Get("content").Elems) {
			return nil, notAsked(nil)
		}
		edits.Insert(messages[g.Message].Get("content"), g.At-at[g.Message], original)
		at[g.Message]++
	}
	asked.Bytes, asked.SHA256, asked.managed = edits.Apply(text), sent.managed.SHA256, nil
	if sum := sha256.Sum256(asked.Bytes); hex.EncodeToString(sum[:]) != asked.SHA256 && sent.Redacted == 0 {
		return nil, notAsked(nil)
	}
	return &asked, nil
}

// withoutQuestion returns the body of a managed request without the question about the cache.
func withoutQuestion(sent *Body) []byte {
	begin := bytes.IndexByte(sent.Bytes, '{') + 1
	return slices.Delete(slices.Clone(sent.Bytes), begin, min(begin+sent.managed.Question, len(sent.Bytes)))
}

// notAsked is the error for a request that the originals do not restore.
func notAsked(cause error) error {
	return fault.Wrap(fault.Conflict, cause, "the originals no longer give the request that the agent asked for",
		"an erasure may have taken one; the request that was sent is still there")
}

// originalOf returns the bytes that a client wrote for the part of which a block keeps the original, or the decision:
// JSON.
func originalOf(ctx context.Context, s *pact.Snapshot, id string) (_ []byte, err error) {
	n, err := tree.Of(s).Node(id)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, fault.At(fault.NodeNotFound, fault.NoOffset, id, "the original is not in this context",
			"open the store that the request was recorded in")
	}
	if raw, has := n.Header(attrRaw).Text(); has {
		return []byte(raw), nil
	}
	if (n.Has(attrSince) || n.Has(attrWhat)) && n.Kind == "result" && len(n.Refs) > 0 {
		return originalOf(ctx, s, n.Refs[0])
	}
	content, err := contentOf(ctx, n)
	return []byte(content), err
}
