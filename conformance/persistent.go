package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// Persistent returns a command that runs another program once for all calls, or a few times beside each other: each call
// is a JSON object a line on its standard input, {"args":["select",…]}, and the answer a line on its standard output,
// {"out":"…","err":"…","exit":0}. It splits line as [Against] does and fails as it does. A process that takes longer than
// timeout for a call, ends, or prints something else has no answer and is replaced. End ends the processes.
func Persistent(line string, timeout time.Duration) (call Command, end func(), err error) {
	words, err := split(line)
	if err != nil {
		return nil, nil, err
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, nil, err
	}
	idle := make(chan *talker, 1024) // more than ever run at once
	call = func(ctx context.Context, args ...string) (Answer, error) {
		var t *talker
		select {
		case t = <-idle:
		default:
			if t, err = startTalker(program, words[1:]); err != nil {
				return Answer{}, err
			}
		}
		answer, err := t.ask(ctx, timeout, args)
		if err != nil {
			t.stop()
			return answer, err
		}
		idle <- t
		return answer, nil
	}
	return call, func() {
		close(idle)
		for t := range idle {
			t.stop()
		}
	}, nil
}

// talker is a running program that answers lines.
type talker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startTalker(program string, args []string) (*talker, error) {
	cmd := exec.Command(program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &talker{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

// ask writes one call and reads its answer.
func (t *talker) ask(ctx context.Context, timeout time.Duration, args []string) (a Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	said := make(chan error, 1)
	go func() {
		text, err := json.Marshal(map[string][]string{"args": args})
		if err == nil {
			_, err = t.in.Write(append(text, '\n'))
		}
		var reply struct {
			Out, Err string
			Exit     *int
		}
		var line []byte
		if err == nil {
			line, err = t.out.ReadBytes('\n')
		}
		if err == nil && (json.Unmarshal(line, &reply) != nil || reply.Exit == nil) {
			err = fmt.Errorf(`wants a line {"out":…,"err":…,"exit":…}, got: %s`, firstOf(line))
		}
		if err == nil {
			a = Answer{[]byte(reply.Out), []byte(reply.Err), *reply.Exit}
		}
		said <- err
	}()
	select {
	case err = <-said:
		if errors.Is(err, io.EOF) {
			err = errors.New("the program ended instead of answering a line of its standard input")
		}
	case <-ctx.Done():
		_ = t.cmd.Process.Kill() // the goroutine's read ends with it
		<-said
		a, err = Answer{}, context.Cause(ctx)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return a, err
}

// stop ends the program: by the end of its input, or after a second.
func (t *talker) stop() {
	_ = t.in.Close()
	kill := time.AfterFunc(time.Second, func() { _ = t.cmd.Process.Kill() })
	defer kill.Stop()
	_ = t.cmd.Wait()
}
