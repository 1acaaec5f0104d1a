package record

import "github.com/contexttree/pact/internal/record/provider"

// mostKeys bounds how many keys a recorder remembers.
const mostKeys = 1 << 17

// together reports whether one answer had two calls, as far as this recorder saw it.
func (r *Recorder) together(a, b string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.issued[a] > 0 && r.issued[a] == r.issued[b]
}

// noteIssued notes the calls of an answer.
func (r *Recorder) noteIssued(name provider.API, a *provider.Answer) {
	if r.entry == nil || name != provider.Responses {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.issued) >= mostKeys {
		clear(r.issued)
	}
	r.answers++
	for _, p := range provider.AnswerParts(name, a.Content) {
		if p.Kind == "call" {
			r.issued[p.Call] = r.answers
		}
	}
}

// sentRaw reports whether a result was sent as it came; noteRaw notes it.
func (r *Recorder) sentRaw(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.raw[key]
}

func (r *Recorder) noteRaw(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.raw) >= mostKeys {
		clear(r.raw) // those that the model saw are told by their place
	}
	r.raw[key] = true
}
