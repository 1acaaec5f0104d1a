// Command build writes inspector/dist, the script, style and page that the program serves,
// from inspector/src. It runs without Node, and the same source always gives the same bytes.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	files, err := bundle("..")
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join("../dist", name), content, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// bundle returns the files of dist by name. The directory is that of the inspector.
func bundle(dir string) (map[string][]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	vendored := func(name string) string { return filepath.Join(dir, "vendor", name) }
	built := api.Build(api.BuildOptions{
		AbsWorkingDir: dir,
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.tsx", OutputPath: "inspector"},
			{InputPath: "src/run.ts", OutputPath: "run"},
			{InputPath: "src/style/index.css", OutputPath: "inspector"},
		},
		Alias: map[string]string{
			"preact":               vendored("preact/dist/preact.mjs"),
			"preact/hooks":         vendored("preact/hooks/dist/hooks.mjs"),
			"preact/jsx-runtime":   vendored("preact/jsx-runtime/dist/jsxRuntime.mjs"),
			"@preact/signals":      vendored("signals/dist/signals.module.js"),
			"@preact/signals-core": vendored("signals-core/dist/signals-core.module.js"),
		},
		Bundle: true, Format: api.FormatIIFE, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments:   api.LegalCommentsNone,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		TsconfigRaw:     `{}`, // the one beside leads to declarations, which only the checker of types reads
		Outdir:          "dist",
		LogLevel:        api.LogLevelSilent,
	})
	for _, message := range api.FormatMessages(built.Errors, api.FormatMessagesOptions{}) {
		err = errors.Join(err, errors.New(message))
	}
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range built.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	for _, name := range []string{"index.html", "icon.svg"} {
		if files[name], err = os.ReadFile(filepath.Join(dir, "src", name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
