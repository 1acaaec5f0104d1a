package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestThePictureOfTheReadmeIsTheProgram: docs/terminal.svg is what the program prints
// today.
func TestThePictureOfTheReadmeIsTheProgram(t *testing.T) {
	t.Chdir(filepath.Join("..", "..")) // and back, after picture went elsewhere
	kept, err := os.ReadFile(filepath.Join("docs", "terminal.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var drawn bytes.Buffer
	if err := picture(t.Context(), &drawn, filepath.Join("examples", "conversations", "repair.jsonl")); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn.Bytes(), kept) {
		t.Error("docs/terminal.svg is not what pact prints: go run ./internal/picture > docs/terminal.svg")
	}
}

// TestDrawnTextKeepsPlaceAndStyle: the text of the terminal is in the image, each piece
// at its column and with its style, and escape sequences are not.
func TestDrawnTextKeepsPlaceAndStyle(t *testing.T) {
	var b bytes.Buffer
	shown := "ab \x1b[1;31mcd\x1b[0m <e>\n  \x1b[2mfaint\x1b[22m\x1b[K plain\n"
	if err := draw(&b, shown, widest(shown)); err != nil {
		t.Fatal(err)
	}
	type piece struct{ x, class, text string }
	var got []piece
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local != "text" {
				continue
			}
			p := piece{}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "x":
					p.x = a.Value
				case "class":
					p.class = a.Value
				}
			}
			got = append(got, p)
		case xml.CharData:
			if text := string(token); len(got) > 0 && strings.TrimSpace(text) != "" {
				got[len(got)-1].text += text
			}
		}
	}
	// A cell is 8.4 pixels wide, the margin 14.
	want := []piece{{"14.0", "", "ab "}, {"39.2", "b c31", "cd"}, {"56.0", "", " <e>"}, {"30.8", "f", "faint"},
		{"72.8", "", " plain"}}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("piece %d is %q, want %q", i, got[i], want[i])
		}
	}
}
