package history

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// A request comes back as it was; cut anywhere it is refused.
func TestRequestsComeBack(t *testing.T) {
	for _, request := range []string{"", "{}", requestWords, requestWords[:700] + "\x00ü", strings.Repeat(`{"a":1}`, 1e5)} {
		packed, err := PackRequest(request)
		if got, failed := UnpackRequest(packed); got != request || err != nil || failed != nil {
			t.Errorf("%.40q comes back as %.40q, %v, %v", request, got, err, failed)
		}
		for cut := range min(len(packed), 200) {
			if _, err := UnpackRequest(packed[:cut]); fault.CodeOf(err) != fault.DocumentInvalid {
				t.Errorf("%d bytes of %.40q: %v", cut, request, err)
			}
		}
	}
}

// What another version of pact stored is refused with the reason and what to do; its first byte tells.
func TestARequestInAnotherFormIsRefused(t *testing.T) {
	packed, err := PackRequest("{}")
	if err != nil || packed[0] != 6 { // stores have it so
		t.Fatalf("%q, %v", packed, err)
	}
	for _, other := range []string{packed[1:], "\x05" + packed[1:], ""} {
		_, err := UnpackRequest(other)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.DocumentInvalid || !strings.Contains(e.Message, "another version") || e.Remedy == "" {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// A request of a long conversation has its names and its frame from the dictionary.
func TestASmallRequestTakesFewBytes(t *testing.T) {
	packed, err := PackRequest(`{"about":{"cached":21000,"finish":"tool_use","id":"m9001","model":"claude-sonnet-4-5-20250929"},` +
		`"api":"anthropic.messages","base":{"attempt":"attempt:9001-1","messages":18001},"frame":{"messages":[{"content":[{"text":"@",` +
		`"type":"text"},"@"],"role":"assistant"},{"content":[{"content":"@","tool_use_id":"toolu_9000","type":"tool_result"}],"role":` +
		`"user"}],"model":"claude-sonnet-4-5-20250929"},"parameters":{},"path":"/v1/messages"}`)
	if err != nil || len(packed) > 110 {
		t.Errorf("%d bytes, %v", len(packed), err)
	}
}
