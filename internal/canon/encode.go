package canon

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Encode returns the canonical form of a Go value: nil, booleans, strings,
// integers of every size, floats, json.Number, lists, maps by string, values of
// this package and whatever encoding/json can marshal. A nil list or map becomes
// the empty array or object; an absent Value inside a list or map becomes null.
// Encode reads back the text that encoding/json writes, so there a float without
// a fraction becomes an integer and bytes become base64. It refuses a list of
// bytes by itself, because the caller may mean text or base64, and strings that
// are not UTF-8. The code is E_DOCUMENT_INVALID, or E_LIMIT if values nest too
// deep.
func Encode(v any) (Value, error) {
	switch v := v.(type) {
	case Value:
		return v, v.CheckDepth()
	case Any:
		if v.Kind == KindAbsent {
			return "", nil
		}
	case string:
		return EncodeString(v)
	}
	dst, err := appendGo(nil, v, maxDepth)
	if err != nil {
		return "", err
	}
	return Value(dst), nil
}

// EncodeString is Encode for a string.
func EncodeString(s string) (Value, error) {
	if err := checkText(s); err != nil {
		return "", err
	}
	return String(s), nil
}

// maxBits is the size of the largest integer of maxNumber digits. Encode refuses
// larger integers before it converts them.
const maxBits = 14285

// appendGo appends v. depth is how many more containers may nest inside v.
func appendGo(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, Null...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		if err := checkText(v); err != nil {
			return nil, err
		}
		return AppendString(dst, v), nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Append(dst, v), nil
	case float32:
		return appendFloat(dst, float64(v)), nil
	case float64:
		return appendFloat(dst, v), nil
	case *big.Int:
		return appendBig(dst, v)
	case json.Number:
		literal, err := parseNumber(string(v))
		return append(dst, literal...), err
	case []byte:
		return nil, fault.New(fault.DocumentInvalid, "a slice of bytes has no form in JSON",
			"pass a string, or encode the bytes as text first")
	case []any:
		return appendList(dst, v, depth, appendGo)
	case []string:
		return appendList(dst, v, depth, func(dst []byte, s string, depth int) ([]byte, error) {
			return appendGo(dst, s, depth)
		})
	case map[string]any:
		return appendMap(dst, v, depth)
	case Value:
		return appendValue(dst, v, depth)
	case Any:
		return appendValue(dst, v.Value(), depth)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, fmt.Sprintf("a %T has no JSON form", v),
			"give numbers, strings, lists and objects with strings as keys")
	}
	parsed, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return appendValue(dst, parsed, depth)
}

func appendBig(dst []byte, n *big.Int) ([]byte, error) {
	if n == nil {
		return append(dst, Null...), nil
	}
	if n.BitLen() <= maxBits {
		start := len(dst)
		dst = n.Append(dst, 10)
		digits := len(dst) - start
		if n.Sign() < 0 {
			digits--
		}
		if digits <= maxNumber {
			return dst, nil
		}
	}
	return nil, fault.New(fault.Limit,
		"an integer has more than "+strconv.Itoa(maxNumber)+" digits", "write it as a string")
}

func appendList[T any](dst []byte, list []T, depth int, elem func([]byte, T, int) ([]byte, error)) ([]byte, error) {
	if depth == 0 {
		return nil, tooDeep(fault.NoOffset, "[", maxDepth)
	}
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = elem(dst, v, depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	if depth == 0 {
		return nil, tooDeep(fault.NoOffset, "{", maxDepth)
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if err := checkText(name); err != nil {
			return nil, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, name), ':')
		var err error
		if dst, err = appendGo(dst, m[name], depth-1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendValue appends v inside a Go value. It writes an absent value as null,
// because a gap would not be JSON.
func appendValue(dst []byte, v Value, depth int) ([]byte, error) {
	if v == "" {
		v = Null
	}
	if v.depth() > depth {
		return nil, tooDeep(fault.NoOffset, string(v[:1]), maxDepth)
	}
	return append(dst, v...), nil
}

func checkText(s string) error {
	i := badByte(s)
	if i < 0 {
		return nil
	}
	return fault.At(fault.DocumentInvalid, i, fmt.Sprintf("0x%02X", s[i]),
		"a string is not valid UTF-8", "convert the string to UTF-8")
}
