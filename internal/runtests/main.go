// Runtests runs go test with the arguments it is given, prints one line for each
// package as soon as that package is done, what failing tests wrote, and at the
// end which tests were left out and why. It fails if go test fails.
//
// The go command alone prints packages in the order of their names: a slow
// package holds back the results of all that follow it.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	// An interrupt reaches the go command and the tests from the terminal. They
	// end by themselves; what they write while they do is still printed.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(1)
	}
}

func run(args []string, out, errs io.Writer) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = errs
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := newReport(out)
	reading := r.read(events)
	if err := cmd.Wait(); err != nil {
		r.leftOut()
		return err
	}
	r.leftOut()
	return reading
}
