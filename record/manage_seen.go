package record

import (
	"crypto/sha256"

	"github.com/contexttree/pact/internal/record/provider"
)

// mostKeys bounds how many keys a recorder remembers.
const mostKeys = 1 << 17

// keyOfResult returns the key of a result. It remembers the keys of bytes that it has seen, because a request
// repeats nearly all results of the one before.
func (r *Recorder) keyOfResult(one *sentResult) (string, error) {
	hash := sha256.New()
	hash.Write([]byte(one.Call + "\n"))
	hash.Write(one.Content.Raw)
	raw := [sha256.Size]byte(hash.Sum(nil))
	r.mu.Lock()
	key, known := r.keys[raw]
	r.mu.Unlock()
	if known {
		return key, nil
	}
	said, _, err := one.said()
	if err != nil {
		return "", err
	}
	key = said.key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= mostKeys {
		clear(r.keys)
	}
	r.keys[raw] = key
	return key, nil
}

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
