package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

const (
	lookEvery    = 250 * time.Millisecond // how often an event stream looks for what others wrote
	commentEvery = 15 * time.Second       // how often it shows that it is alive
	logPiece     = 500                    // log entries that are read at once
)

// The events that are no log entry. The event of a log entry has the kind of the entry:
// create, edit, commit, fork, aside or erase.
const (
	eventAttempt  = "attempt"  // an attempt began or ended
	eventGap      = "gap"      // the log has no entries between those sent and those to come
	eventReplaced = "replaced" // another line of history has the name of the context now
	eventDeleted  = "deleted"  // no context has the name any more; the stream ends
	eventRenamed  = "renamed"  // of the stream of all contexts: a context has another name
	eventFailed   = "failed"   // the store failed, or the token was revoked; the stream ends
)

// eventsPath is where a program follows a context.
const eventsPath = "/v1/events"

// gap says where a stream goes on.
type gap struct {
	After int64 `json:"after" doc:"Revision after which the stream goes on"`
}

// events adds the stream of what happens to a context.
func (s *Server) events() {
	type following struct {
		Context string `query:"context" doc:"Name of the context; without one, every context that the token opens"`
		Last    int64  `header:"Last-Event-ID" minimum:"-1" default:"-1" doc:"Revision of the last event of the context that the client has"`
	}
	add(s, operation{method: "GET", path: eventsPath, id: "events", writes: "text/event-stream", streams: true, named: true,
		places: s.streams, summary: "Follow the log and the attempts of a context as server-sent events"},
		func(ctx context.Context, in *following) (*empty, error) {
			select {
			case <-s.done:
				return nil, refuse(http.StatusServiceUnavailable, unready, "the server is stopping", "ask another one")
			default:
			}
			leave, err := s.shares.enter(exchangeOf(ctx).right)
			if err != nil {
				return nil, err
			}
			defer leave()
			if in.Context == "" {
				if in.Last >= 0 {
					return nil, fault.New(fault.DocumentInvalid, "the events of all contexts have no ids to go on after",
						"leave out Last-Event-ID and read the list of contexts again, or name a context")
				}
				return nil, s.followAll(ctx)
			}
			i, err := s.store.Find(ctx, in.Context)
			if err != nil {
				return nil, err
			}
			w := &follower{events: events{server: s, e: exchangeOf(ctx)}, name: in.Context, key: i.Key, sent: i.Revision,
				oldest: i.First}
			w.begin()
			switch {
			case in.Last > i.Revision:
				w.send(eventGap, 0, gap{i.Revision})
			case in.Last >= 0:
				w.sent = in.Last
			}
			w.follow(ctx, w.sendNew)
			return nil, nil
		})
}

// events writes one stream of events.
type events struct {
	server *Server
	e      *exchange
	err    error // why the client cannot be reached
}

// begin tells the client that it is connected, which it would learn of the first event otherwise.
func (f *events) begin() {
	h := f.e.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // else a proxy may hold events back
	f.write(":\n\n")
}

// follower writes the events of one context.
type follower struct {
	events
	name     string
	key      history.Key
	sent     int64                            // the revision up to which everything was sent
	oldest   int64                            // the oldest cycle that may have a running attempt
	attempts map[string]history.AttemptStatus // by id, as they were at the last look; nil before the first one
}

// follow calls look, which sends what is new and reports whether nothing more can come, until the
// client goes, the server stops or the token is revoked.
func (f *events) follow(ctx context.Context, look func(context.Context) (over bool)) {
	next, comment := time.NewTicker(lookEvery), time.NewTicker(commentEvery)
	defer next.Stop()
	defer comment.Stop()
	for {
		if err := f.server.stillValid(ctx, f.e.right); err != nil {
			f.fail(ctx, err)
			return
		}
		if over := look(ctx); over || f.err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-f.server.done:
			return
		case <-comment.C:
			f.write(":\n\n")
		case <-next.C:
		}
	}
}

// sendNew sends what is new, and reports whether nothing more can come.
func (f *follower) sendNew(ctx context.Context) (over bool) {
	i, err := f.server.store.Find(ctx, f.name)
	if fault.CodeOf(err) == fault.ContextNotFound {
		f.send(eventDeleted, 0, struct{}{})
		return true
	}
	if err == nil && i.Key != f.key {
		f.key, f.sent = i.Key, i.Origin.Revision
		f.send(eventReplaced, 0, gap{f.sent})
	}
	if err == nil {
		err = f.entries(ctx, f.key, &f.sent, i.Revision, func(e history.Entry) { f.send(string(e.Kind), e.Revision, e) })
	}
	if err == nil {
		err = f.attempted(ctx, i)
	}
	if fault.CodeOf(err) == fault.ContextNotFound {
		return false // it was deleted since Find; the next look says so
	}
	return f.fail(ctx, err)
}

// fail tells the client an error with which the stream ends, unless the next look may succeed.
func (f *events) fail(ctx context.Context, err error) (over bool) {
	if err == nil || ctx.Err() != nil || fault.CodeOf(err) == fault.Busy {
		return false
	}
	f.send(eventFailed, 0, failureOf(err))
	return true
}

// entries tells the log entries of a context that are new, and notes how far it has come.
func (f *events) entries(ctx context.Context, key history.Key, sent *int64, last int64, tell func(history.Entry)) error {
	for *sent < last && f.err == nil {
		end := min(last, *sent+logPiece)
		list, err := engine.Of(f.server.store).Log(ctx, key, *sent+1, end)
		if err != nil {
			return err
		}
		for _, e := range list {
			tell(e)
		}
		*sent = end
	}
	return nil
}

// attempted sends the attempts that began or ended. It also sends those that were running
// when the stream began.
func (f *follower) attempted(ctx context.Context, i history.Info) error {
	list, err := engine.Of(f.server.store).Attempts(ctx, f.key, f.oldest, i.Cycle+1)
	if err != nil {
		return err
	}
	now, oldest := make(map[string]history.AttemptStatus, len(list)), i.Cycle+1
	for _, a := range list {
		now[a.ID] = a.Status
		if a.Status == history.Running {
			oldest = min(oldest, a.Cycle)
		}
		if f.attempts[a.ID] != a.Status && (f.attempts != nil || a.Status == history.Running) {
			f.send(eventAttempt, 0, a)
		}
	}
	f.attempts, f.oldest = now, oldest
	return nil
}

// send sends one event. Its id is a revision, 0 for none: then the client keeps the id of
// the event before, from which it can resume.
func (f *events) send(kind string, id int64, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	line := ""
	if id > 0 {
		line = "id: " + strconv.FormatInt(id, 10) + "\n"
	}
	f.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", line, kind, text))
}

func (f *events) write(text string) {
	if f.err != nil {
		return
	}
	if _, f.err = f.e.Write([]byte(text)); f.err == nil {
		f.err = http.NewResponseController(f.e.ResponseWriter).Flush()
	}
}
