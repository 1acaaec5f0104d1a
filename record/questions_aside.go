package record

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/record/provider"
)

// asideKinds are the kinds of questions that an agent asks outside a conversation: for a
// summary of it or a title, whether it may call at all, and anything else.
var asideKinds = []string{"summary", "title", "check", "aside"}

// asideName matches the name of a context that holds such a question.
var asideName = regexp.MustCompile(`^(.+)/(?:` + strings.Join(asideKinds, "|") + `)-[1-9][0-9]*$`)

// AsideOf returns the name of the context outside whose conversation a recorded context asks
// something, "" for any other name: chat/summary-3 belongs to chat.
func AsideOf(name string) string {
	if found := asideName.FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return ""
}

// asksSummary reports whether a recording has the name of a question for a summary of another one.
func (l *recording) asksSummary() bool {
	return l.beside != nil && strings.HasPrefix(l.name[strings.LastIndexByte(l.name, '/')+1:], "summary-")
}

// kindOfAside returns the kind of a question outside a conversation. repeats says that it repeats the
// conversation: without tools it then asks for a summary.
func kindOfAside(q *request, repeats bool) string {
	said := ""
	if n := len(q.conversation); n > 0 {
		said, _ = textOf(&q.conversation[n-1])
	}
	instructions := ""
	for i := range q.system {
		text, _ := textOf(&q.system[i])
		instructions += text + "\n"
	}
	bare := len(toolNames(q.system)) == 0
	says := func(text, word string) bool { return strings.Contains(strings.ToLower(text), word) }
	switch {
	case q.compaction:
		return "summary"
	case q.oneToken:
		return "check"
	case says(said, "summar"):
		return "summary"
	case says(said, "title") || bare && says(instructions, "title"): // those of the work may have rules about titles
		return "title"
	case says(instructions, "summar"), repeats && bare:
		return "summary"
	}
	return "aside"
}

// asksOneToken reports whether a request wants no more than one token, as agents do to see
// whether the provider answers.
func asksOneToken(r *provider.Request) bool {
	return slices.ContainsFunc([]string{"max_tokens", "max_completion_tokens", "max_output_tokens"}, func(name string) bool {
		limit, _ := r.Parameters.Get(name)
		return limit.Text == "1"
	})
}

// asksOnItsOwn reports whether a request that begins a recording is not the agent's work: the work
// has tools.
func asksOnItsOwn(q *request) bool {
	return q.group.agent && !q.group.sub && len(toolNames(q.system)) == 0
}

// mostQuoted is how many conversations are looked through for what a request quotes, and how many blocks of each, the
// first ones: an agent keeps the last messages and has what stands before them summed up.
const mostQuoted = 16

// summaryOf finds the conversation of which a request asks for a summary, as pi and Qwen Code do: under instructions of
// its own, without tools, with the beginning of the conversation as it was sent or with some of its words in a text.
// Nothing but what it says tells whose conversation that is.
func (r *Recorder) summaryOf(ctx context.Context, all []candidate, q *request) (choice, bool, error) {
	if q.group.agent || len(toolNames(q.system)) > 0 || !mentions(q.system, "summar") {
		return choice{}, false, nil
	}
	var best *candidate
	for i := range all {
		c := &all[i]
		if c.wasSent(q.system, q.conversation) {
			return choice{}, false, nil // it is the request before, again
		}
		if c.beside == nil && c.repeated > 0 && (best == nil || c.repeated > best.repeated) && hasOtherTools(c.system, q) {
			best = c
		}
	}
	if best != nil {
		return choice{recording: best.recording, fork: true, cycle: best.recording.committed(), aside: "summary",
			why: "it repeats the beginning of " + best.name + ", and its instructions ask for a summary"}, true, nil
	}
	if begun, _ := r.callThatBegan(q); begun != nil {
		return choice{}, false, nil
	}
	looked := 0
	for at := r.recordings.open.Front(); at != nil && looked < mostQuoted; at = at.Next() {
		l := at.Value.(*recording)
		if l.beside != nil || !hasOtherTools(l.listed.system, q) {
			continue
		}
		looked++
		if is, err := l.isQuoted(ctx, q.conversation); is || err != nil {
			return choice{recording: l, fork: true, aside: "summary",
				why: "it quotes " + l.name + ", and its instructions ask for a summary"}, is, err
		}
	}
	return choice{}, false, nil
}

// isQuoted reports whether the user says what stands in the last answer of a recording or in one of its first texts.
func (l *recording) isQuoted(ctx context.Context, conversation []block) (bool, error) {
	if quotes(conversation, l.said) {
		return true, nil
	}
	v, err := l.state(ctx)
	if err == nil {
		err = l.listed.whole()
	}
	for i := 0; err == nil && i < min(len(v.conversation), mostQuoted); i++ {
		var text string
		if text, err = l.textsOf(ctx, v.conversation[i:i+1]); quotes(conversation, text) {
			return true, nil
		}
	}
	return false, err
}

// repeatsAnswer reports whether some blocks have one of the last answer.
func (c *candidate) repeatsAnswer(fresh []block) bool {
	return slices.ContainsFunc(fresh, func(b block) bool {
		return slices.ContainsFunc(c.answer, func(a block) bool { return a.key == b.key })
	})
}

// compactionOf finds the conversation that a request has the provider compact: the one whose answer it names, else the
// one of which it repeats most.
func (r *Recorder) compactionOf(ctx context.Context, q *request) (choice, error) {
	if l := r.recordings.answers[q.previous]; l != nil && q.previous != "" {
		return choice{recording: l, fork: true, cycle: l.answers[q.previous], aside: "summary",
			why: "it has the provider compact " + l.name + ", whose answer it names"}, r.reopen(ctx, l)
	}
	of, others, err := r.candidatesOf(ctx, q)
	if err != nil {
		return choice{}, err
	}
	var best *candidate
	all := slices.Concat(of, others)
	for i := range all {
		c := &all[i]
		if c.beside != nil && c.wasSent(q.system, q.conversation) {
			return choice{recording: c.recording, why: "it is the request before, again"}, nil
		}
		if c.beside == nil && c.repeated > 0 && (best == nil || c.repeated > best.repeated) {
			best = c
		}
	}
	if best == nil {
		return choice{aside: "summary", why: "it has the provider compact a conversation that was not recorded"}, nil
	}
	return choice{recording: best.recording, fork: true, cycle: best.recording.committed(), aside: "summary",
		why: "it has the provider compact " + best.name}, nil
}

// compacted notes what a provider compacted a conversation to, so that the request which first has it goes on with that
// conversation.
func (k *recordingIndex) compacted(l *recording, answer []provider.Part) {
	if len(k.compactions) >= mostKeys {
		clear(k.compactions)
	}
	var keys keyer
	for i := range answer {
		if l.beside != nil && strings.HasPrefix(answer[i].Kind, "compaction") {
			k.compactions[blockOf(&answer[i], &keys).key] = l.beside
		}
	}
}

// afterCompaction finds the conversation that a provider compacted to what a request has.
func (r *Recorder) afterCompaction(q *request) (choice, bool) {
	for i := len(q.conversation) - 1; i >= 0 && len(r.recordings.compactions) > 0; i-- {
		key := q.conversation[i].key
		if l := r.recordings.compactions[key]; l != nil {
			delete(r.recordings.compactions, key)
			q.compacted = true
			return choice{recording: l, why: "the agent compacted the conversation: it has what the provider compacted it to"}, true
		}
	}
	return choice{}, false
}

// hasOtherTools reports whether a recording has tools, and other instructions than a request.
func hasOtherTools(system []block, q *request) bool {
	return len(toolNames(system)) > 0 && !sameSystem(false, system, q.system)
}

// mentions reports whether a text among blocks has a word, in any case.
func mentions(blocks []block, word string) bool {
	return slices.ContainsFunc(blocks, func(b block) bool {
		text, _ := textOf(&b)
		return strings.Contains(strings.ToLower(text), word)
	})
}

// nameOf returns the name of the recording that a choice begins.
func (r *Recorder) nameOf(c *choice) string {
	if c.aside == "" {
		return r.numbered(r.recordings.runs + 1)
	}
	of := r.options.Context // the work may come later
	if c.recording != nil {
		of = c.recording.name
	}
	if recording := AsideOf(of); recording != "" {
		of = recording
	}
	return of + "/" + c.aside + "-" + strconv.Itoa(r.recordings.asides[of+"/"+c.aside]+1)
}

// named counts the name of a recording that begins.
func (r *Recorder) named(l *recording) {
	if of := series(l.name); of != "" {
		r.recordings.asides[of]++
	} else {
		r.recordings.runs++
	}
}

// series returns the name of a question aside without its number, "" for any other name.
func series(name string) string {
	if AsideOf(name) == "" {
		return ""
	}
	return name[:strings.LastIndex(name, "-")]
}

// FoldAsides leaves questions aside and the originals of shaped results out of a list of contexts that has their
// conversation, and counts them by its name.
func FoldAsides(all []history.Info) (recordings []history.Info, asides map[string]int) {
	there := map[string]bool{}
	for _, i := range all {
		there[i.Name] = true
	}
	asides = map[string]int{}
	for _, i := range all {
		recording := AsideOf(i.Name)
		if base, keeps := strings.CutSuffix(i.Name, originalsOf("")); keeps {
			for recording = base; !there[recording] && strings.Contains(recording, "/"); { // a sub-agent may have no context
				recording = recording[:strings.LastIndex(recording, "/")]
			}
		}
		if there[recording] {
			asides[recording]++
		} else {
			recordings = append(recordings, i)
		}
	}
	return recordings, asides
}
