package intake

import (
	"bytes"
	"context"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// memoryOfNode is how many bytes an import holds for a node or a message, measured with some room.
const memoryOfNode = 2 << 10

// memoryOfMessage is that of a message whose text stays in a file.
const memoryOfMessage = 256

// holdNodes holds, in the budget of ctx, the nodes that a snapshot document makes. It takes each object of
// the text for one. E_LIMIT if they are too many.
func holdNodes(ctx context.Context, data []byte) error {
	_, err := budget.Reserve(ctx, int64(bytes.Count(data, []byte("{")))*memoryOfNode)
	return err
}

// holdRequest holds the memory that recording a call takes: the values of its body, and a block for each object of
// its messages. An earlier call of the session may have held part of it.
func holdRequest(ctx context.Context, c *calllog.Call, held *int64) error {
	need := canon.Weight(c.Body) + int64(bytes.Count(c.Body, []byte("{")))*memoryOfNode
	for i := range c.Request.Members { // the calls of a rebuilt session share their messages: the list has been made
		need += int64(len(c.Request.Members[i].Value.Elems)) * memoryOfNode
	}
	each := int64(memoryOfNode)
	messages, inFile := c.InTexts()
	if inFile {
		each = memoryOfMessage
	}
	need += int64(messages) * each
	if need <= *held {
		return nil
	}
	_, err := budget.Reserve(ctx, need-*held)
	*held = need
	return err
}
