package canon

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

// rewritten returns the canonical form of a text that is one value.
func (p *parser[T]) rewritten() (dst []byte, err error) {
	err = p.single(func() (err error) {
		dst, err = p.rewrite(make([]byte, 0, len(p.text)))
		return err
	})
	if err != nil {
		return nil, err
	}
	return dst, nil
}

// rewrite appends the canonical form of the value at hand to dst and builds no
// tree, so a long array of small values takes no more memory than its bytes.
// Cost: O(size); to sort an object whose members are out of order, a copy of the
// object and four bytes a member.
func (p *parser[T]) rewrite(dst []byte) ([]byte, error) {
	switch c := p.peek(); {
	case c == '"':
		return p.rewriteString(dst)
	case c == '-' || isDigit(c):
		literal, err := p.number()
		return append(dst, literal...), err
	case c == '[':
		return p.rewriteElems(append(dst, c))
	case c == '{':
		return p.rewriteMembers(append(dst, c))
	}
	word, err := p.value()
	return append(dst, word.Text...), err
}

func (p *parser[T]) rewriteElems(dst []byte) ([]byte, error) {
	begin := len(dst)
	err := p.each(']', func() (err error) {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst, err = p.rewrite(dst)
		return err
	})
	return append(dst, ']'), err
}

func (p *parser[T]) rewriteMembers(dst []byte) ([]byte, error) {
	begin, last, sorted := len(dst), 0, true
	err := p.each('}', func() (err error) {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		at := len(dst)
		if dst, err = p.rewriteString(dst); err != nil {
			return err
		}
		sorted = sorted && (at == begin || compareNames(dst[last:], dst[at:]) < 0)
		last = at
		if err = p.colon(); err == nil {
			dst, err = p.rewrite(append(dst, ':'))
		}
		return err
	})
	if dst = append(dst, '}'); err != nil || sorted {
		return dst, err
	}
	return sortMembers(dst, begin)
}

// rewriteString appends the canonical form of the string at hand, where str would
// decode it.
func (p *parser[T]) rewriteString(dst []byte) ([]byte, error) {
	p.at++
	dst = append(dst, '"')
	for {
		run := p.at
		p.at = PlainEnd(p.text, p.at)
		dst = append(dst, p.text[run:p.at]...)
		switch c := p.peek(); {
		case p.at == len(p.text):
			return nil, p.endsInString()
		case c == '"':
			p.at++
			return append(dst, '"'), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return nil, err
			}
			dst = appendEscaped(dst, r)
		case c < ' ':
			return nil, p.controlInString(c)
		default:
			r, size := p.rune()
			if r == utf8.RuneError && size == 1 {
				return nil, p.notUTF8()
			}
			dst = appendEscaped(dst, r)
			p.at += size
		}
	}
}

// sortMembers sorts the members of the object at the end of dst, whose first
// member is at begin. Like arrange it keeps the last of equal names.
func sortMembers(dst []byte, begin int) ([]byte, error) {
	if len(dst)-begin > math.MaxUint32 {
		return nil, fault.New(fault.Limit, "an object has more than 4 GiB", "split it")
	}
	object := bytes.Clone(dst[begin:])
	var starts []uint32
	for i := 0; ; i++ {
		starts = append(starts, uint32(i))
		if i = memberEnd(object, i); object[i] == '}' {
			break
		}
	}
	slices.SortStableFunc(starts, func(a, b uint32) int { return compareNames(object[a:], object[b:]) })
	dst = dst[:begin]
	for i, at := range starts {
		if i+1 < len(starts) && compareNames(object[at:], object[starts[i+1]:]) == 0 {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = append(dst, object[at:memberEnd(object, int(at))]...)
	}
	return append(dst, '}'), nil
}

// memberEnd returns the index of the comma or brace after the member at index i.
func memberEnd(object []byte, i int) int {
	for depth := 0; ; i++ {
		switch object[i] {
		case '"':
			for i++; object[i] != '"'; i++ {
				if object[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case ',':
			if depth == 0 {
				return i
			}
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
}

// compareNames compares the canonical strings that a and b begin with by code
// points, the order of Python's sort_keys.
func compareNames[T string | []byte](a, b T) int {
	i, j := 1, 1
	for {
		if a[i] == '"' || b[j] == '"' {
			switch {
			case a[i] == b[j]:
				return 0
			case a[i] == '"':
				return -1
			}
			return 1
		}
		r, n := runeOf(a[i:])
		s, m := runeOf(b[j:])
		if r != s {
			return int(r) - int(s)
		}
		i, j = i+n, j+m
	}
}

// runeOf returns the code point that a piece of a canonical string stands for,
// and its length.
func runeOf[T string | []byte](s T) (rune, int) {
	if s[0] != '\\' {
		return rune(s[0]), 1
	}
	p := newParser(s[:min(len(s), len(`\ud83d\ude00`))], 0)
	r, _ := p.escape() // it cannot fail: the parser wrote this sequence
	return r, p.at
}
