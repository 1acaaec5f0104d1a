package calllog

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/sums"
)

// maxRun is the largest size in bytes of the fields that are kept of a run of SWE-agent.
const maxRun = 64 << 10

// attemptsOf returns the runs of a file of SWE-agent: each attempt of a run that tried more than once, else
// the run itself. Beside the attempts the file repeats the one that was chosen.
func attemptsOf(e record) []record {
	list := e.under(e.fields()["attempts"])
	isRun := func(e record) bool { return shapeOf(e.fields()) == ShapeSWESmith }
	if len(list) < 2 || slices.ContainsFunc(list, func(e record) bool { return !isRun(e) }) {
		return []record{e}
	}
	return list
}

// run reads a run of SWE-agent, whose steps tell in one of three ways what the model was sent. From version 1.1 on
// a step has the query itself. Before, it had the messages after its call, including answer and observation,
// so a call was sent the list of the previous step; a first step without an answer among its messages has its query
// there. Older steps have neither: each answer of the history that is
// no demonstration was a call with all before it. Steps may rewrite earlier messages.
func (c *chat) run() *fault.Error {
	run := c.about
	c.about = runFields(run)
	trajectory, _ := run.Get("trajectory")
	history, _ := run.Get("history")
	r := runs{c, make(map[canon.Value]canon.Any)}
	switch {
	case holdLists(trajectory.Elems, "query"):
		return r.queries("query", trajectory.Elems, history.Elems)
	case asksFirst(trajectory.Elems):
		return r.queries("messages", trajectory.Elems, history.Elems)
	case holdLists(trajectory.Elems, "messages") || len(history.Elems) == 0:
		return r.lists(trajectory.Elems)
	}
	return r.history(trajectory.Elems, history.Elems)
}

// holdLists reports whether a step has a list as a member.
func holdLists(steps []canon.Any, name string) bool {
	return slices.ContainsFunc(steps, func(step canon.Any) bool {
		list, _ := step.Get(name)
		return list.Kind == canon.KindArray
	})
}

// asksFirst reports whether the messages of the first step are what its call was sent: its response is not among them.
func asksFirst(steps []canon.Any) bool {
	if len(steps) == 0 {
		return false
	}
	list, _ := steps[0].Get("messages")
	response, _ := steps[0].Get("response")
	answered := func(m canon.Any) bool {
		demo, _ := m.Get("is_demo")
		return roleOf(m) == "assistant" && demo.Text != string(canon.True)
	}
	return len(list.Elems) > 0 && response.Text != "" && !slices.ContainsFunc(list.Elems, answered)
}

// runFields returns the fields of a run, of large ones the counts alone.
func runFields(run canon.Any) canon.Any {
	rest := run.Without("trajectory", "history", "attempts")
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

// runs puts the messages of a run together. Equal messages share one value.
type runs struct {
	*chat
	same map[canon.Value]canon.Any
}

// list reads a list of messages of a step.
func (r *runs) list(list []canon.Any) ([]canon.Any, *fault.Error) {
	if err := r.noMessage(list); err != nil {
		return nil, err
	}
	all := make([]canon.Any, len(list))
	for n, v := range list {
		key := v.Value()
		if known, is := r.same[key]; is {
			v = known
		}
		r.same[key], all[n] = v, v
	}
	return all, nil
}

// lists reads steps with the messages after each.
func (r *runs) lists(steps []canon.Any) *fault.Error {
	for i, step := range steps {
		list, _ := step.Get("messages")
		if list.Kind != canon.KindArray {
			return &fault.Error{
				Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: r.line, Token: clipped(raw(step.Value())),
				Message: "step " + strconv.Itoa(i) + " of the trajectory has neither a query nor a list of messages",
				Remedy:  "give a run of SWE-agent with a query or messages in each step, or with its history",
			}
		}
		after, err := r.list(list.Elems)
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
func (r *runs) queries(name string, steps, history []canon.Any) *fault.Error {
	last := -1
	for i, step := range steps {
		list, _ := step.Get(name)
		if sentNothing(list) {
			r.steps++ // SWE-agent hands in by itself what there is when a run ends with an error
			continue
		}
		sent, err := r.list(list.Elems)
		if err != nil {
			return inStep(err, i)
		}
		r.calls, r.final, last = append(r.calls, sent), sent, i
	}
	if last < 0 {
		return r.history(steps, history)
	}
	after, err := r.list(afterLast(steps[last], history))
	if err != nil {
		return inStep(err, last)
	}
	r.final = append(slices.Clip(r.final), after...)
	return nil
}

// sentNothing reports whether a step with a query is no call to the model.
func sentNothing(list canon.Any) bool {
	return len(list.Elems) == 0 || len(list.Elems) == 1 && len(list.Elems[0].Members) == 0
}

// afterLast returns the messages that the last step added.
func afterLast(step canon.Any, history []canon.Any) []canon.Any {
	response, _ := step.Get("response")
	for i := len(history) - 1; i >= 0; i-- {
		if roleOf(history[i]) != "assistant" {
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
	all, err := r.list(list)
	if err != nil {
		return err
	}
	r.final = all
	for i, m := range all {
		if demo, _ := m.Get("is_demo"); roleOf(m) == "assistant" && demo.Text != string(canon.True) {
			r.calls = append(r.calls, all[:i:i])
		}
	}
	return nil
}

// beforeAnswer returns the messages before the first assistant message.
func beforeAnswer(list []canon.Any) []canon.Any {
	i := slices.IndexFunc(list, func(m canon.Any) bool { return roleOf(m) == "assistant" })
	if i < 0 {
		return list
	}
	return list[:i:i]
}

func inStep(err *fault.Error, i int) *fault.Error {
	err.Message = "step " + strconv.Itoa(i) + ": " + err.Message
	return err
}

// totalOf notes the tokens and the money that a run counts for all its calls together.
func totalOf(run fields, b *sums.Book) {
	stats := run["info"].fields()["model_stats"].fields()
	t := sums.Total{In: stats.count("tokens_sent"), Out: stats.count("tokens_received")}
	if spent := stats["instance_cost"].value(); spent.Kind == canon.KindNumber {
		t.Dollars = spent.Text
	}
	if t != (sums.Total{}) {
		b.Total(t)
	}
}

// countRun counts a run of SWE-agent: the messages of its steps or, of older ones, of its history. What a step says
// of them in other words is a note.
func countRun(e record, b *sums.Book) {
	f := e.fields()
	b.Note("fields of a run")
	if list := e.under(f["attempts"]); len(list) > 1 && shapeOf(list[0].fields()) == ShapeSWESmith {
		b.Note("the attempt that was chosen")
		for _, one := range list {
			b.Record(one.line)
			countRun(one, b)
		}
		totalOf(f, b) // instead of those of the attempts
		return
	}
	totalOf(f, b)
	told, seen := false, map[string]bool{} // every step repeats the messages before it
	for _, step := range f["trajectory"].elems() {
		s := step.fields()
		b.Note("step")
		for _, m := range append(s["query"].elems(), s["messages"].elems()...) {
			if told = true; !seen[string(m)] && m.fields()["role"] != nil {
				seen[string(m)] = true
				b.Message(m.value())
			}
		}
		if !told {
			b.Message(canon.Fields("content", s["response"].value()))
		}
	}
	for _, m := range f["history"].elems() {
		if told {
			b.Note("message of the history, which the steps repeat")
			continue
		}
		b.Message(m.value())
	}
}
