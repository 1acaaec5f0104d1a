package cli

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
)

// TestThePictureOfTheReadmeShowsWhatOpenPrints compares the text in docs/terminal.svg with what the
// program prints today. With UPDATE_PICTURE set it first has freeze draw the picture anew.
func TestThePictureOfTheReadmeShowsWhatOpenPrints(t *testing.T) {
	picture, err := filepath.Abs(filepath.Join("..", "..", "docs", "terminal.svg"))
	if err != nil {
		t.Fatal(err)
	}
	conversation, err := os.ReadFile(filepath.Join("..", "..", "examples", "conversations", "night-run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("night-run.jsonl", conversation, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_PICTURE") != "" {
		draw := exec.Command("go", "run", "github.com/charmbracelet/freeze@v0.2.2",
			"--language", "ansi", "--font.family", "monospace", "--output", picture)
		draw.Stdin = strings.NewReader("\x1b[2m$\x1b[0m \x1b[1mpact open night-run.jsonl\x1b[0m\n" + openNightRun(t, "always"))
		if said, err := draw.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimRight("$ pact open night-run.jsonl\n"+openNightRun(t, "never"), "\n"), "\n")
	got := linesOfPicture(t, drawn)
	if len(got) != len(want) {
		t.Fatalf("the picture has %d lines, the program prints %d: make generate draws it anew", len(got), len(want))
	}
	for i := range want {
		if strings.TrimRight(got[i], " ") != strings.TrimRight(want[i], " ") {
			t.Errorf("line %d is %q in the picture, and the program prints %q: make generate draws it anew", i+1, got[i], want[i])
		}
	}
}

// openNightRun returns what pact open prints for the conversation in the current directory.
func openNightRun(t *testing.T, color string) string {
	t.Helper()
	var out, problems bytes.Buffer
	for _, old := range []string{"pact.db", "pact.db-wal", "pact.db-shm"} {
		os.Remove(old)
	}
	code := Run(t.Context(), []string{"open", "night-run.jsonl", "--color", color, "--no-browser"},
		command.Streams{In: strings.NewReader(""), Out: &out, Err: &problems, Env: []string{"LANG=C.UTF-8", "TERM=xterm-256color"}})
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, problems.String())
	}
	return out.String()
}

// linesOfPicture returns the text of each text element of an SVG image.
func linesOfPicture(t *testing.T, image []byte) (lines []string) {
	t.Helper()
	for d, within := xml.NewDecoder(bytes.NewReader(image)), false; ; {
		token, err := d.Token()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				lines, within = append(lines, ""), true
			}
		case xml.EndElement:
			within = within && token.Name.Local != "text"
		case xml.CharData:
			if within {
				lines[len(lines)-1] += string(token)
			}
		}
	}
}
