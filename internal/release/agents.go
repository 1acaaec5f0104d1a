package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
)

// about says in one place what every listing shows.
const about = "Get back the exact text of what left an agent's context, and see what a model was sent"

// bundle writes a bundle of MCP for a platform, which desktop programs install by a click: the binary, started with the
// tools for agents.
func bundle(dir, version, platform, binary string) (string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	node, _ := nodeName(platform)
	name := filepath.Base(binary)
	manifest, err := json.MarshalIndent(map[string]any{"manifest_version": "0.3", "name": "pactctx", "display_name": "PACT",
		"version": strings.TrimPrefix(version, "v"), "description": about, "license": "Apache-2.0",
		"author": map[string]any{"name": "The PACT authors", "url": "https://github.com/contexttree/pact"},
		"server": map[string]any{"type": "binary", "entry_point": "server/" + name, "mcp_config": map[string]any{
			"command": "${__dirname}/server/" + name, "args": []string{"mcp", "--db", "${user_config.db}"}}},
		"tools": []any{tool("recall", "the exact text of a block, by its id or a text in it"), tool("show", "the blocks of a context"),
			tool("changes", "what came and went between two calls"), tool("pin", "have policies leave a block alone")},
		"user_config": map[string]any{"db": map[string]any{"type": "file", "title": "Store", "required": true,
			"description": "The file in which pact records", "default": "${HOME}/pact.db"}},
		"compatibility": map[string]any{"platforms": []string{node}}}, "", "  ")
	if err != nil {
		return "", err
	}
	files, err := readAll(map[string]string{"server/" + name: binary, "LICENSE": "LICENSE",
		"THIRD_PARTY_NOTICES.txt": "THIRD_PARTY_NOTICES.txt"}, "server/"+name)
	if err != nil {
		return "", err
	}
	return zipFile(dir, "pactctx_"+version+"_"+system+"_"+processor+".mcpb", append(files, packedFile{"manifest.json", manifest, 0o644, 0}))
}

func tool(name, description string) map[string]any {
	return map[string]any{"name": name, "description": description}
}

// plugin writes a plugin for Claude Code: the hook that imports each turn and the tools for agents. It brings no
// binary, so pactctx has to be on the path.
func plugin(dir, version string) (string, error) {
	const db = "${HOME}/pact.db"
	hooks := map[string]any{}
	for _, event := range []string{"Stop", "SubagentStop", "PreCompact", "SessionEnd"} {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": `pactctx hook --db "` + db + `"`}}}}
	}
	var files []packedFile
	for name, v := range map[string]any{
		".claude-plugin/plugin.json": map[string]any{"name": "pactctx", "version": strings.TrimPrefix(version, "v"), "description": about,
			"author": map[string]any{"name": "The PACT authors"}, "license": "Apache-2.0", "repository": "https://github.com/contexttree/pact"},
		"hooks/hooks.json": map[string]any{"hooks": hooks},
		".mcp.json": map[string]any{"mcpServers": map[string]any{"pact": map[string]any{"command": "pactctx",
			"args": []string{"mcp", "--db", db}}}},
	} {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return "", err
		}
		files = append(files, packedFile{name, text, 0o644, 0})
	}
	return zipFile(dir, "pactctx_"+version+"_claude_plugin.zip", files)
}

func zipFile(dir, name string, files []packedFile) (string, error) {
	sortFiles(files)
	return written(dir, name, func(w io.Writer) error { return zipped(w, files) })
}
