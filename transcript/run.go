package transcript

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// maxRun is the largest size in bytes of the fields that Read keeps of a run of SWE-agent.
const maxRun = 64 << 10

// attemptsOf returns the runs of a file of SWE-agent: each attempt of a run that tried more than once, else
// the run itself. Beside the attempts the file repeats the one that was chosen.
func attemptsOf(e entry) []entry {
	attempts, _ := e.Get("attempts")
	var list []entry
	for _, v := range attempts.Elems {
		if shapeOf(kindsOf(v)) != ShapeSWESmith {
			return []entry{e}
		}
		list = append(list, entry{v, e.line})
	}
	if len(list) < 2 {
		return []entry{e}
	}
	return list
}

// runs puts the messages of a run together. Equal messages share one value.
type runs struct {
	*Conversation
	same map[canon.Value]*message
	line int
}

// run reads a run of SWE-agent, whose steps tell in one of three ways what the model was sent. From version 1.1 on
// a step has the query itself. Before, it had the messages after its call, including answer and observation,
// so a call was sent the list of the previous step. Older steps have neither: each answer of the history that is
// no demonstration was a call with all before it. Steps may rewrite earlier messages.
func run(e entry) (*Conversation, error) {
	trajectory, _ := e.Get("trajectory")
	r := runs{&Conversation{Shape: ShapeSWESmith, rest: kept(e)}, make(map[canon.Value]*message), e.line}
	history, _ := e.Get("history")
	has := func(name string) bool {
		return slices.ContainsFunc(trajectory.Elems, func(step canon.Any) bool {
			list, _ := step.Get(name)
			return list.Kind == canon.KindArray
		})
	}
	var err *fault.Error
	switch {
	case has("query"):
		err = r.queries(trajectory.Elems, history.Elems)
	case has("messages") || len(history.Elems) == 0:
		err = r.lists(trajectory.Elems)
	default:
		err = r.history(trajectory.Elems, history.Elems)
	}
	if err != nil {
		return nil, err
	}
	return r.Conversation, nil
}

// kept returns the fields of a run, of large ones the counts alone.
func kept(e entry) canon.Any {
	rest := e.without("trajectory", "history", "attempts")
	if len(rest.Value()) <= maxRun {
		return rest
	}
	info, _ := rest.Get("info")
	stats, _ := info.Get("model_stats")
	if stats.Kind != canon.KindObject {
		return canon.Any{}
	}
	return canon.Fields("info", canon.Fields("model_stats", stats))
}

// messages reads a list of messages of a step.
func (r *runs) messages(list []canon.Any) ([]*message, *fault.Error) {
	all := make([]*message, len(list))
	for n, v := range list {
		m, err := newMessage(entry{v, r.line}, n)
		if err != nil {
			return nil, err
		}
		key := v.Value()
		if known := r.same[key]; known != nil {
			m = known
		}
		r.same[key], all[n] = m, m
	}
	return all, nil
}

// lists reads steps with the messages after each.
func (r *runs) lists(steps []canon.Any) *fault.Error {
	for i, step := range steps {
		list, _ := step.Get("messages")
		if list.Kind != canon.KindArray {
			return &fault.Error{
				Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: r.line, Token: quote(step),
				Message: "step " + strconv.Itoa(i) + " of the trajectory has neither a query nor a list of messages",
				Remedy:  "give a run of SWE-agent with a query or messages in each step, or with its history",
			}
		}
		after, err := r.messages(list.Elems)
		if err != nil {
			return inStep(err, i)
		}
		if i == 0 {
			r.final = beforeAnswer(after)
		}
		r.calls = append(r.calls, r.final)
		r.final = after
	}
	return nil
}

// queries reads steps with what the model was sent. The answer to the last one stands in the history with what
// only the history has of it, such as the calls of tools.
func (r *runs) queries(steps, history []canon.Any) *fault.Error {
	last := -1
	for i, step := range steps {
		list, _ := step.Get("query")
		if first := list.Elems; len(first) == 0 || len(first) == 1 && len(first[0].Members) == 0 {
			r.steps++ // SWE-agent hands in by itself what there is when a run ends with an error
			continue
		}
		sent, err := r.messages(list.Elems)
		if err != nil {
			return inStep(err, i)
		}
		r.calls, r.final, last = append(r.calls, sent), sent, i
	}
	if last < 0 {
		return r.history(steps, history)
	}
	after, err := r.messages(afterLast(steps[last], history))
	if err != nil {
		return inStep(err, last)
	}
	r.final = append(slices.Clip(r.final), after...)
	return nil
}

// afterLast returns the messages that the last step added.
func afterLast(step canon.Any, history []canon.Any) []canon.Any {
	response, _ := step.Get("response")
	for i := len(history) - 1; i >= 0; i-- {
		if role, _ := history[i].Get("role"); role.Text != "assistant" {
			continue
		}
		if content, _ := history[i].Get("content"); response.Kind == canon.KindString && content.Text == response.Text {
			return history[i:]
		}
		break
	}
	var list []canon.Any
	if response.Kind == canon.KindString {
		list = append(list, canon.Fields("role", "assistant", "content", response))
	}
	if seen, _ := step.Get("observation"); seen.Kind == canon.KindString && seen.Text != "" {
		list = append(list, canon.Fields("role", "user", "content", seen))
	}
	return list
}

// history reads a run that has its messages in one list, which may lack the answer of the last step.
func (r *runs) history(steps, list []canon.Any) *fault.Error {
	said := map[string]bool{}
	for _, v := range list {
		if content, _ := v.Get("content"); content.Kind == canon.KindString {
			said[content.Text] = true
		}
	}
	for i, step := range steps {
		response, _ := step.Get("response")
		switch {
		case response.Text == "" || said[response.Text]:
		case i == len(steps)-1:
			list = append(slices.Clip(list), afterLast(step, nil)...)
		default:
			r.lost++
		}
	}
	all, err := r.messages(list)
	if err != nil {
		return err
	}
	r.final = all
	for i, m := range all {
		if demo, _ := m.Get("is_demo"); m.role == "assistant" && demo.Text != string(canon.True) {
			r.calls = append(r.calls, all[:i:i])
		}
	}
	return nil
}

// beforeAnswer returns the messages before the first assistant message.
func beforeAnswer(list []*message) []*message {
	i := slices.IndexFunc(list, func(m *message) bool { return m.role == "assistant" })
	if i < 0 {
		return list
	}
	return list[:i:i]
}

func inStep(err *fault.Error, i int) *fault.Error {
	err.Message = "step " + strconv.Itoa(i) + ": " + err.Message
	return err
}
