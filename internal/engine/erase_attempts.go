package engine

import (
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
)

// erasedAttempt returns what an erasure leaves of an attempt, and whether that is less. sent says that
// the attempt sent erased text: it loses the hash of its thread, from which a short text could
// be guessed, the hash of its parameters, the request but for [history.ErasedRequest], and its error, which may
// quote the text.
// unknown says that nothing shows what the attempt sent: it loses the same, except an error
// without the texts. rests says that its request rests on one that goes: it loses the request and the hash of its
// parameters.
func (x *erasure) erasedAttempt(a history.Attempt, sent, unknown, rests bool) (history.Attempt, bool, error) {
	var err error
	f := x.finder
	left := a
	if sent || unknown {
		left.Thread = history.NoThread
	}
	if sent || unknown || rests || f.inRequest(a.Request) {
		if left.Request, err = x.erasedRequest(a.Request); err != nil {
			return left, false, err
		}
		left.Params = history.NoThread
	}
	if left.Error != "" && (sent || f.in(a.Error)) {
		left.Error = history.Blank
	}
	for _, text := range [...]*string{&left.Provider, &left.Model} {
		if f.in(*text) {
			*text = history.Blank
		}
	}
	changed := left.Params != a.Params || left.Thread != a.Thread || left.Request != a.Request || left.Error != a.Error ||
		left.Provider != a.Provider || left.Model != a.Model
	return left, changed, nil
}

// inAttempt reports whether the provider, the model or the error of an attempt contains one of
// the texts.
func (f *finder) inAttempt(a *history.Attempt) bool {
	return f.in(a.Error) || f.in(a.Provider) || f.in(a.Model) || f.inRequest(a.Request)
}

// inRequest reports whether a packed request contains one of the texts. It says yes for a
// request that it cannot read.
func (f *finder) inRequest(packed string) bool {
	if packed == "" || len(f.texts) == 0 {
		return false
	}
	request, err := history.UnpackRequest(packed)
	return err != nil || f.inValue(canon.Value(request))
}

// goneRequests has the places of the attempts of a branch whose requests go.
type goneRequests map[[2]int64]bool

func (g goneRequests) add(a *history.Attempt) { g[placeOf(a.ID)] = true }

// under reports whether a packed request leaves a part to one of those: its member "base" has the id of that "attempt".
// Its own hash is then one of a body with what goes.
func (g goneRequests) under(packed string) bool {
	if packed == "" || len(g) == 0 {
		return false
	}
	request, err := history.UnpackRequest(packed)
	if err != nil {
		return true
	}
	base, _ := canon.Value(request).Any().Get("base")
	id, _ := base.Get("attempt")
	return g[placeOf(id.Text)]
}

// placeOf returns the cycle and the number of an attempt, which stay when its context is forked or copied; zeros for no id.
func placeOf(id string) [2]int64 {
	cycle, number, _, _ := history.ParseAttemptID(id)
	return [2]int64{cycle, number}
}

// erasedRequest returns what an erasure leaves of a packed request, "" of none.
func (x *erasure) erasedRequest(packed string) (string, error) {
	if packed == "" {
		return "", nil
	}
	f := x.finder
	left := []canon.Member{{Name: history.ErasedRequest, Value: canon.Any{Kind: canon.KindBool, Text: string(canon.True)}}}
	if request, err := history.UnpackRequest(packed); err == nil {
		whole := canon.Value(request).Any()
		if api, _ := whole.Get("api"); api.Kind == canon.KindString && !f.inAny(api, f.in) {
			left = append(left, canon.Member{Name: "api", Value: api})
		}
		for _, name := range [...]string{"call", history.ErasedCall} {
			if call, _ := whole.Get(name); call.Kind == canon.KindString {
				text := call.Text
				if name == "call" && !x.DryRun {
					if text, err = x.e.Keyed(x.ctx, text); err != nil {
						return "", err
					}
				}
				left = append(left, canon.Member{Name: history.ErasedCall, Value: canon.Any{Kind: canon.KindString, Text: text}})
			}
		}
		about, _ := whole.Get("about")
		numbers := slices.DeleteFunc(slices.Clone(about.Members), func(m canon.Member) bool {
			return m.Value.Kind != canon.KindNumber || f.in(m.Name) || f.inAny(m.Value, f.in)
		})
		if len(numbers) > 0 {
			left = append(left, canon.Member{Name: "about", Value: canon.Object(numbers...)})
		}
	}
	return history.PackRequest(string(canon.Object(left...).Value()))
}
