package recall

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostError is how many bytes an error has at most, and what an answer repeats of a call.
const mostError = 1_000

// shortened returns the beginning of a text that is too long.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := fmt.Sprintf("… (%d bytes)", len(text))
	to := most - len(end)
	for to > 0 && !utf8.RuneStart(text[to]) {
		to--
	}
	return text[:to] + end
}

// short bounds the errors of all methods: those of the protocol's library repeat what was sent.
func short(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, shortError(err)
		}
		if r, is := result.(*mcp.CallToolResult); is && r.IsError {
			for _, c := range r.Content {
				if text, is := c.(*mcp.TextContent); is {
					text.Text = shortened(text.Text, mostError)
				}
			}
		}
		return result, nil
	}
}

// shortError bounds an error, and keeps its code.
func shortError(err error) error {
	if len(err.Error()) <= mostError {
		return err
	}
	said := &jsonrpc.Error{Code: jsonrpc.CodeInternalError}
	if of := (*jsonrpc.Error)(nil); errors.As(err, &of) {
		said.Code = of.Code
	}
	said.Message = shortened(err.Error(), mostError)
	return said
}
