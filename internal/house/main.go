package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	verbose := flag.Bool("v", false, "list the names, fields and pairs that are counted")
	flag.Parse()
	dir := "."
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	m, err := measure(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	m.print(os.Stdout, *verbose)
}

// print writes a line for each number; with lists, also a line for each name
// behind it.
func (m *measurement) print(w io.Writer, verbose bool) {
	for _, row := range []struct {
		what  string
		count int
		names []string
	}{
		{"files, without tests", m.files, nil},
		{"lines, without tests", m.lines, nil},
		{"exported names", len(m.exported), nil},
		{"exported names without a doc comment", len(m.undocumented), m.undocumented},
		{"exported methods", m.methods, nil},
		{"exported methods without a doc comment", len(m.undocumentedMethods), m.undocumentedMethods},
		{"exported struct fields", m.fields, nil},
		{"exported struct fields without a comment", len(m.uncommented), m.uncommented},
		{"uses from file to file", len(m.uses), m.uses},
		{"pairs of files that use each other", len(m.mutual), m.mutual},
	} {
		fmt.Fprintf(w, "%6d  %s\n", row.count, row.what)
		if verbose {
			for _, name := range row.names {
				fmt.Fprintf(w, "          %s\n", name)
			}
		}
	}
}
