package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// manyTools is an MCP server with 40 tools, which agents start.
func manyTools() {
	var tools []any
	for i := range 40 {
		tools = append(tools, map[string]any{"name": fmt.Sprintf("look_%02d", i),
			"description": strings.Repeat("Looks something up, as its manual says. ", 20), "inputSchema": map[string]any{
				"type": "object", "properties": map[string]any{"what": map[string]any{"type": "string"}}}})
	}
	in, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &asked) != nil || asked.ID == nil {
			continue // a notification
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": asked.ID}
		switch asked.Method {
		case "initialize":
			answer["result"] = map[string]any{"protocolVersion": asked.Params.ProtocolVersion,
				"capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "many", "version": "1"}}
		case "tools/list":
			answer["result"] = map[string]any{"tools": tools}
		case "ping":
			answer["result"] = map[string]any{}
		default:
			answer["error"] = map[string]any{"code": -32601, "message": "there is no such method"}
		}
		if out.Encode(answer) != nil {
			return
		}
	}
}
