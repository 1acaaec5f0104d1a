package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Against returns a command that runs another program. It splits a line such as
// "python3 -m mypact" into words as a shell would, with quotes, but starts no
// shell. A call that takes longer than timeout has no answer. Against fails if the
// line cannot be split or names no program.
func Against(line string, timeout time.Duration) (Command, error) {
	words, err := split(line)
	if err != nil {
		return nil, err
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, args ...string) (Answer, error) {
		call, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		cmd := exec.CommandContext(call, program, append(words[1:len(words):len(words)], args...)...)
		cmd.WaitDelay = time.Second
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		answer := Answer{out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()}
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return answer, ctx.Err()
		case call.Err() != nil:
			return answer, fmt.Errorf("%s: no answer within %v", strings.Join(args, " "), timeout)
		case errors.As(err, &exit):
			if !exit.Exited() {
				return answer, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
			}
			return answer, nil
		}
		return answer, err
	}, nil
}

// split cuts a line into words. Inside single quotes every character stands for
// itself. Inside double quotes a backslash escapes a quote or a backslash; outside
// of quotes it escapes any character.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inside, quote := false, rune(0)
	end := func() {
		if inside {
			words = append(words, word.String())
		}
		word.Reset()
		inside = false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			word.WriteRune(c)
		case c == '\\' && next != 0 && (quote == 0 || next == '"' || next == '\\'):
			word.WriteRune(next)
			inside = true
			i++
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			end()
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	end()
	if len(words) == 0 {
		return nil, errors.New("there is no program in it")
	}
	return words, nil
}
