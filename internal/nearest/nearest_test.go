package nearest

import "testing"

// What is one letter away is held against all words that are.
func TestOneLetterAway(t *testing.T) {
	const letters = "abcd"
	var words []string
	for n := 0; n <= 4; n++ {
		for i := range 1 << (2 * n) {
			w := make([]byte, n)
			for k := range w {
				w[k] = letters[i>>(2*k)&3]
			}
			words = append(words, string(w))
		}
	}
	for _, b := range []string{"", "a", "ab", "aba", "abcd", "aabb"} {
		near := map[string]bool{}
		for i := range len(b) + 1 {
			for _, c := range letters {
				near[b[:i]+string(c)+b[i:]] = true
				if i < len(b) {
					near[b[:i]+string(c)+b[i+1:]] = true
				}
			}
			if i < len(b) {
				near[b[:i]+b[i+1:]] = true
			}
			if i+1 < len(b) {
				near[b[:i]+b[i+1:i+2]+b[i:i+1]+b[i+2:]] = true
			}
		}
		delete(near, b)
		for _, a := range words {
			if got := OneLetterAway(a, b); got != near[a] {
				t.Errorf("%q, %q: got %v, want %v", a, b, got, near[a])
			}
		}
	}
}
