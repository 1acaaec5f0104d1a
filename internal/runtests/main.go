package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	// The terminal sends an interrupt to the go command and the tests too. They
	// end by themselves, and this program still prints what they write.
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
