package history

import (
	"compress/flate"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
)

// MaxRequest bounds the stored part of a request, in bytes of JSON.
const MaxRequest = 256 << 20

// requestForm begins what PackRequest returns, and names its form: DEFLATE with the dictionary requestWords.
const requestForm = "\x06"

// requestWords is the preset dictionary of a request: what the small requests of a long conversation have in common.
// It never changes, because stored requests are read with it.
const requestWords = `"redacted":1,"same":"attempt:","compacted":true,"encoding":"gzip","managed":{,"error":{"message":"",` +
	`"type":"invalid_request_error"},"headers":{"anthropic-beta":"","anthropic-version":"2023-06-01"},` +
	`"path":"/v1beta/models/gemini-","api":"gemini.generate",` +
	`"frame":{"contents":[{"parts":[{"functionCall":{"args":"@","name":"@"}},{"text":"@"}],"role":"model"},` +
	`{"parts":[{"functionResponse":{"name":"@","response":"@"}}],"role":"user"}],"path":"/v1/responses",` +
	`"api":"openai.responses","frame":{"input":[{"content":[{"text":"@","type":"input_text"}],"role":"user",` +
	`"type":"message"},{"content":[{"text":"@","type":"output_text"}],"role":"assistant"},{"arguments":"@",` +
	`"call_id":"call_","name":"@","type":"function_call"},{"call_id":"call_","output":"@",` +
	`"type":"function_call_output"}],"stream":true,"tools":["@"],"path":"/v1/chat/completions",` +
	`"api":"openai.chat","finish":"stop","finish":"tool_calls","frame":{"messages":[{"content":"@",` +
	`"role":"system"},{"content":"@","role":"assistant","tool_calls":[{"function":{"arguments":"@","name":"@"},` +
	`"id":"call_","type":"function"}]},{"content":"@","role":"tool","tool_call_id":"call_"},{"content":"@",` +
	`"role":"user"}],"model":"gpt-"stream_options":{"include_usage":true},"parameters":{"max_tokens":"@",` +
	`"stream":true,"temperature":"@","tools":["@"]},"cache_control":{"type":"ephemeral"},"is_error":true,` +
	`"thinking":"@","signature":"@",{"about":{"cached":0,"finish":"end_turn","finish":"tool_use","first_ms":1,` +
	`"id":"msg_01","logged":{"requestId":"req_01"},"model":"claude-sonnet-4-5-2025","reasoning":1,"written":1},` +
	`"api":"anthropic.messages","base":{"attempt":"attempt:1-1","messages":1},"call":"",` +
	`"frame":{"messages":[{"content":[{"text":"@","type":"text"},"@"],"role":"assistant"},` +
	`{"content":[{"content":"@","tool_use_id":"toolu_01","type":"tool_result"}],"role":"user"},` +
	`{"content":[{"text":"@","type":"text"}],"role":"user"}],"model":"claude-opus-4-"},` +
	`"notes":{"escapes":"ascii"},"parameters":{},"path":"/v1/messages","sha256":"`

// PackRequest compresses the part of a request that Attempt.Request holds. That part is
// canonical JSON, so that an erasure finds texts in it. E_LIMIT if it is too long.
func PackRequest(request string) (string, error) {
	if len(request) > MaxRequest {
		return "", requestTooLong()
	}
	var packed strings.Builder
	packed.WriteString(requestForm)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&packed)
	_, err := io.WriteString(w, request)
	if err == nil {
		err = w.Close()
	}
	return packed.String(), err
}

// deflaters keeps the writers of PackRequest: each has tables of more than half a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(io.Discard, flate.DefaultCompression, []byte(requestWords))
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// UnpackRequest is the inverse of PackRequest. E_DOCUMENT_INVALID for a text that PackRequest
// did not return.
func UnpackRequest(packed string) (request string, err error) {
	err = ReadRequest(packed, func(r io.Reader) error {
		text, err := io.ReadAll(r)
		request = string(text)
		return err
	})
	if err != nil {
		return "", err
	}
	if len(request) > MaxRequest {
		return "", requestTooLong()
	}
	return request, nil
}

// ReadRequest lets a function read what PackRequest packed as far as it likes, up to one byte more than MaxRequest. An
// error of the function becomes E_DOCUMENT_INVALID, and so does a request in another form than that of PackRequest.
// Cost: what it reads.
func ReadRequest(packed string, read func(io.Reader) error) error {
	stream, ours := strings.CutPrefix(packed, requestForm)
	if !ours {
		return fault.New(fault.DocumentInvalid, "another version of pact wrote a stored request, in another form",
			"read it with that version, or record it again: import the log that it came from into a new store")
	}
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	err := r.(flate.Resetter).Reset(strings.NewReader(stream), []byte(requestWords))
	if err == nil {
		err = read(io.LimitReader(r, MaxRequest+1))
	}
	if err != nil {
		return fault.Wrap(fault.DocumentInvalid, err, "a stored request cannot be read",
			"restore the store from a backup or an export")
	}
	return nil
}

// inflaters keeps the readers of ReadRequest: each has 40 kB of tables, and a walk over a run reads a record a call.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(strings.NewReader("")) }}

// ErasedRequest is the member, with the value true, of what an erasure leaves of a request.
// Beside it stay the text of the member "api" and the numbers in the member "about", which
// count tokens and milliseconds; all else could hold or give away what goes.
const ErasedRequest = "erased"

// ErasedCall is the member with which a log is told that its call was erased: what [DB.Keyed] of package
// pact returns of the text of the member "call".
const ErasedCall = "erased_call"

func requestTooLong() error {
	return fault.New(fault.Limit, "the part of a request to store has more than "+strconv.Itoa(MaxRequest)+" bytes",
		"send less in one request")
}
