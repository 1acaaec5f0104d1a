package calllog

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// isHAR reports whether the first value of a file is an HTTP archive (HAR 1.2).
func isHAR(first raw) bool {
	return first.fields()["log"].fields()["entries"].kind() == canon.KindArray
}

// readHAR reads the calls to the four APIs among the exchanges of HTTP
// archives, one a line. Browsers, mitmproxy, Charles and Proxyman write them.
func readHAR(list []record, found *findings) []Session {
	session := Session{Exact: Wire}
	ids := callIDs{}
	var exchanges []raw
	for _, e := range list {
		exchanges = append(exchanges, e.fields()["log"].fields()["entries"].elems()...)
	}
	for _, e := range exchanges {
		f := e.fields()
		c := &logged{}
		found.records++
		if !c.request(f, 0) {
			found.left++
			found.add(0, "an exchange is no call to one of the four APIs, so it was left out")
			continue
		}
		response := f["response"].fields()
		status, _ := response["status"].value().Value().Int64()
		c.Status = int(status)
		if c.Answer = contentOf(response["content"].fields()); c.Answer == nil && c.Status > 0 {
			found.add(0, "the archive lacks the body of an answer")
		}
		if c.Status == 0 {
			c.Answer = canon.Fields("error", canon.Fields("message", cmp.Or(f.text("_error"), "no answer arrived"))).AppendTo(nil)
		}
		c.ID = f.text("_request_id", "_id")
		c.times(f)
		if !ids.name(&c.Call) {
			found.left++
			found.add(0, "the call "+c.ID+" is there twice; it was read once")
			continue
		}
		session.Calls = append(session.Calls, c.Call)
	}
	if len(session.Calls) == 0 {
		return nil
	}
	inOrder(session.Calls)
	return []Session{session}
}

// contentOf returns the body of an answer, nil if the archive lacks it.
func contentOf(f fields) []byte {
	text := f["text"].text()
	if text == "" {
		return nil
	}
	if strings.EqualFold(f.text("encoding"), "base64") {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil
		}
		return decoded
	}
	return []byte(text)
}

// times reads when a call began and ended, and when its first byte arrived: the
// archive says how long each phase took, -1 for one that there was not.
func (c *logged) times(f fields) {
	c.Started = timeOf(f["startedDateTime"].value())
	if c.Started == 0 {
		return
	}
	timings := f["timings"].fields()
	var waited, all int64
	for _, name := range []string{"blocked", "dns", "connect", "send", "wait"} {
		waited += milliseconds(timings[name].value())
	}
	if all = milliseconds(f["time"].value()); all == 0 {
		all = waited + milliseconds(timings["receive"].value())
	}
	if all > 0 {
		c.Ended = c.Started + all
	}
	if waited > 0 && c.Status >= http.StatusOK {
		c.FirstByte = c.Started + min(waited, all)
	}
}
