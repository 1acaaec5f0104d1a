package calllog

import (
	"testing"
	"time"
)

// A log that says no time has the one at which OpenAI says that it began the answer.
func TestTheTimeOfAnAnswerOfOpenAIIsTaken(t *testing.T) {
	const chat = `{"model":"m","messages":[{"role":"user","content":"q"}]}`
	for name, c := range map[string]struct {
		line string
		want int64
	}{
		"chat": {`{"request":` + chat + `,"response":{"id":"x","object":"chat.completion","created":1760000000,` +
			`"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}]}}`, 1760000000},
		"stream": {`{"request":` + chat + `,"response":"data: {\"object\":\"chat.completion.chunk\",\"created\":1760000001,` +
			`\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"}`, 1760000001},
		"response": {`{"request":{"model":"m","input":"q"},"response":{"id":"x","object":"response","created_at":1760000002,` +
			`"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}}`, 1760000002},
		"the log knows better": {`{"start_time":"2025-10-09T08:53:30Z","request":` + chat + `,"response":{"object":"chat.completion",` +
			`"created":1760000000,"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}]}}`, 1760000010},
		"no time": {`{"request":` + chat + `,"response":{"object":"chat.completion","choices":[{"index":0,` +
			`"message":{"role":"assistant","content":"a"}}]}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := Read([]byte(c.line))
			must(t, err)
			var got []int64
			for _, s := range log.Sessions {
				for _, call := range s.Calls {
					got = append(got, call.Started)
				}
			}
			want := c.want * int64(time.Second)
			if len(got) != 1 || got[0] != want {
				t.Errorf("began at %v, not at %d", got, want)
			}
		})
	}
}
