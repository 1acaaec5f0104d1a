package calllog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// Replay says that a session is a list of chat messages alone. Its calls are made up: each has the list of messages
// that the model was sent, [Session.Unsent] has all of them, and a policy may replay them.
type Replay struct {
	Shape  string    // of the file
	Fields canon.Any // an object: what the conversation says beside its messages; absent for none
}

// readMessages reads conversations: one whose messages are the values of the file, or one in each value.
func readMessages(list []record, found *findings) []Session {
	if len(list) == 0 || isMessage(list[0].fields()) {
		return conversationsOf([]*chat{{shape: ShapeOpenAI, values: list}}, found)
	}
	var all []*chat
	for _, e := range list {
		for _, one := range attemptsOf(e) {
			all = append(all, &chat{record: one})
		}
	}
	for i, c := range all {
		if err := c.open(); err != nil {
			found.refuse(c.locate(err, i, len(all)))
			return nil
		}
	}
	return conversationsOf(all, found)
}

// chat is a conversation of a file.
type chat struct {
	record
	shape  string
	values []record      // the messages, if each is a value of the file
	about  canon.Any     // what the conversation says beside its messages; of a run all of it, until it is read
	calls  [][]canon.Any // the messages that each call was sent
	final  []canon.Any   // all of them
	joined int           // messages of the assistant that follow another one: they are part of its answer
	steps  int           // steps of a run without a call to the model
	lost   int           // steps of a run with an answer that its messages lack
}

// open finds the messages of a conversation that is one value of the file.
func (c *chat) open() *fault.Error {
	v := c.value()
	if v.Kind == canon.KindArray {
		c.shape, c.final = ShapeOpenAI, v.Elems
		return nil
	}
	f := c.record.fields()
	list := ""
	switch c.shape = shapeOf(f); {
	case c.shape == ShapeSWESmith:
		c.about = v
		return nil
	case c.shape == ShapeTauBench:
		list = "traj"
	case c.shape == ShapeOpenAI && !isMessage(f):
		list = "messages"
	default:
		return &fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: c.line, Token: clipped(c.raw()),
			Message: "this is not a conversation, although the first entry of the file is one",
			Remedy:  "put either messages or conversations into one file"}
	}
	messages, _ := v.Get(list)
	c.final, c.about = messages.Elems, v.Without(list)
	return nil
}

// locate adds the number of the conversation to an error, if the file has several.
func (c *chat) locate(err *fault.Error, i, of int) *fault.Error {
	if of > 1 {
		err.Message = "conversation " + strconv.Itoa(i) + ": " + err.Message
		err.Line = max(err.Line, c.line)
	}
	return err
}

// conversationsOf makes a session of each conversation. It refuses a file of which nothing can be read.
func conversationsOf(all []*chat, found *findings) (made []Session) {
	for i, c := range all {
		if err := c.read(); err != nil {
			found.refuse(c.locate(err, i, len(all)))
			return nil
		}
	}
	for _, refuses := range []func(*chat) (*fault.Error, bool){strange, foreignPart, speechless} {
		var refused *fault.Error
		for i, c := range all {
			err, readable := refuses(c)
			if readable {
				refused = nil
				break
			}
			if err != nil && refused == nil {
				refused = c.locate(err, i, len(all))
			}
		}
		if refused != nil {
			found.refuse(refused)
			return nil
		}
	}
	for i, c := range all {
		s := Session{Name: strconv.Itoa(i), Exact: Rebuilt, API: provider.Chat, Unsent: c.request(c.final),
			Replay: &Replay{Shape: c.shape, Fields: c.about}}
		for n, sent := range c.calls {
			s.Calls = append(s.Calls, Call{ID: strconv.Itoa(n + 1), API: provider.Chat, Line: c.line, Request: c.request(sent),
				Path: provider.PathOf(provider.Chat, "")})
		}
		if tools, _ := c.about.Get("tools"); tools.Kind == canon.KindArray {
			s.Missing = lacksTools[1:]
		}
		of := ""
		if len(all) > 1 {
			of = "conversation " + s.Name + ": "
		}
		c.report(of, found)
		made = append(made, s)
	}
	return made
}

// request is the request of a call that was sent some messages.
func (c *chat) request(list []canon.Any) canon.Any {
	model, _ := c.about.Get("model")
	tools, _ := c.about.Get("tools")
	return canon.Fields("messages", canon.ArrayOf(list...), "model", model, "tools", tools)
}

// read reads the messages. Messages of the assistant that follow one another answer one call, which was sent the
// messages before them.
func (c *chat) read() *fault.Error {
	if c.shape == ShapeSWESmith {
		return c.run()
	}
	for _, e := range c.values {
		c.final = append(c.final, e.value())
	}
	list := c.final
	if err := c.noMessage(list); err != nil {
		return err
	}
	for i := range list {
		switch {
		case roleOf(list[i]) != "assistant":
		case i > 0 && roleOf(list[i-1]) == "assistant":
			c.joined++
		default:
			c.calls = append(c.calls, list[:i:i])
		}
	}
	return nil
}

func roleOf(v canon.Any) string {
	role, _ := v.Get("role")
	return role.Text
}

// noMessage returns the error for the first value of a list that is no message.
func (c *chat) noMessage(list []canon.Any) *fault.Error {
	for n, v := range list {
		what := "is not an object"
		if role, _ := v.Get("role"); role.Kind == canon.KindString {
			continue
		} else if v.Kind == canon.KindObject {
			what = "has no role that is a string"
		}
		return &fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: c.lineOf(n), Token: clipped(raw(v.Value())),
			Message: "message " + strconv.Itoa(n) + " " + what, Remedy: "messages count from 0"}
	}
	return nil
}

// chatRoles are the roles of chat completions, old and new ones, and of documents.
var chatRoles = []string{"system", "developer", "user", "assistant", "tool", "function", "other"}

// strange refuses a file without a call in which no message has a known role: its objects are about something else.
func strange(c *chat) (err *fault.Error, readable bool) {
	known := func(m canon.Any) bool { return slices.Contains(chatRoles, roleOf(m)) }
	if len(c.calls) > 0 || slices.ContainsFunc(c.final, known) {
		return nil, true
	}
	if len(c.final) == 0 {
		return nil, false
	}
	return &fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: c.lineOf(0), Token: clipped(raw(roleOf(c.final[0]))),
		Message: "message 0 has a role that no provider knows, and so has every other message",
		Remedy:  "known roles are " + strings.Join(chatRoles, ", ")}, false
}

// lineOf returns the line of a message, or where the conversation begins.
func (c *chat) lineOf(message int) int {
	if message < len(c.values) {
		return c.values[message].line
	}
	return c.line
}

// speechless refuses a file whose messages speak in another form.
func speechless(c *chat) (err *fault.Error, readable bool) {
	for _, m := range c.final {
		speaks, otherwise := speech(m)
		if speaks {
			return nil, true
		}
		if otherwise && err == nil {
			err = &fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: c.lineOf(0),
				Message: "no message has content or calls anything: the messages speak in a form that pact does not know",
				Remedy:  "give messages with content or tool_calls"}
		}
	}
	return err, false
}

// speech reports whether a message has one of the fields in which messages of OpenAI speak. otherwise reports
// whether it has a list or an object in another field.
func speech(m canon.Any) (speaks, otherwise bool) {
	for _, field := range m.Members {
		switch field.Name {
		case "content", "tool_calls", "function_call", "refusal", "audio":
			return true, false
		}
		otherwise = otherwise || len(field.Value.Elems)+len(field.Value.Members) > 0
	}
	return false, otherwise
}

// report adds what is odd about a conversation.
func (c *chat) report(of string, found *findings) {
	named := map[string]bool{}
	for n, m := range c.final {
		if role := roleOf(m); !slices.Contains(chatRoles, role) && !named[role] {
			named[role] = true
			found.note(c.lineOf(n), of+"message "+strconv.Itoa(n)+" has the role "+clipped(raw(canon.String(role)))+
				", which no provider knows; it counts as other")
		}
	}
	silent := func(m canon.Any) bool {
		_, otherwise := speech(m)
		return otherwise
	}
	if n := slices.IndexFunc(c.final, silent); n >= 0 {
		found.note(c.lineOf(n), of+"message "+strconv.Itoa(n)+" has no content and calls nothing; it is imported as an empty one, "+
			"with its other fields")
	}
	if c.joined > 0 {
		found.note(0, of+"messages of the assistant that no request separates from the one before are part of its answer: "+
			strconv.Itoa(c.joined))
	}
	if c.steps > 0 {
		found.note(0, of+"steps that sent nothing to the model are no calls: "+strconv.Itoa(c.steps))
	}
	if c.lost > 0 {
		found.note(0, of+"steps with an answer that the history lacks were left out: "+strconv.Itoa(c.lost))
		found.leaveOut(c.line)
	}
}

// clipped returns the beginning of a text, for an error.
func clipped(text raw) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// countMessages counts a chat message, or a conversation.
func countMessages(e record, b *sums.Book) {
	f := e.fields()
	list, shape := e.raw(), shapeOf(f)
	switch {
	case shape == ShapeSWESmith:
		countRun(e, b)
		return
	case shape == ShapeTauBench:
		list = f["traj"]
	case f["messages"].kind() == canon.KindArray:
		list = f["messages"]
	case f != nil:
		b.Message(e.value())
		return
	}
	b.Note("what a conversation says beside its messages")
	for _, m := range list.elems() {
		b.Message(m.value())
	}
}
