package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDistIsWhatTheSourceGives holds the committed files to the source, and to the vendored
// libraries: one cannot change without the other.
func TestDistIsWhatTheSourceGives(t *testing.T) {
	files, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("../dist", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("inspector/dist/%s is not what the source gives; make generate writes it", name)
		}
	}
	list, err := os.ReadDir("../dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if files[f.Name()] == nil {
			t.Errorf("the source does not give inspector/dist/%s", f.Name())
		}
	}
}

func TestTheSameSourceGivesTheSameBytes(t *testing.T) {
	first, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	again, err := bundle("..")
	if err != nil {
		t.Fatal(err)
	}
	for name := range first {
		if !bytes.Equal(first[name], again[name]) {
			t.Errorf("%s differs from one build to the next", name)
		}
	}
}
