package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/cli"
)

func main() {
	if err := picture(context.Background(), os.Stdout, "examples/conversations/repair.jsonl"); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// picture draws what pact open prints for a conversation. It works in a directory of
// its own, and leaves the process there.
func picture(ctx context.Context, w io.Writer, conversation string) error {
	data, err := os.ReadFile(conversation)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pact-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chdir(dir); err != nil {
		return err
	}
	name := filepath.Base(conversation)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return err
	}
	var out, problems bytes.Buffer
	env := []string{"LANG=C.UTF-8", "TERM=xterm-256color"}
	code := cli.Run(ctx, []string{"open", name, "--color", "always", "--no-browser"},
		cli.Streams{In: strings.NewReader(""), Out: &out, Err: &problems, Env: env})
	if code != 0 {
		return errors.New(problems.String())
	}
	shown := "\x1b[2m$\x1b[0m \x1b[1mpact open " + name + "\x1b[0m\n" + out.String()
	return draw(w, shown, widest(shown))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// widest returns the columns of the longest line.
func widest(shown string) int {
	columns := 0
	for line := range strings.Lines(shown) {
		columns = max(columns, utf8.RuneCountInString(strings.TrimRight(escapes.ReplaceAllString(line, ""), "\n")))
	}
	return columns
}
