package simulate

import (
	_ "embed"

	"github.com/contexttree/pact/record"
)

// builtIn lists what two providers charged on the date in it:
// https://platform.claude.com/docs/en/about-claude/pricing and https://openai.com/api/pricing.
//
//go:embed prices.json
var builtIn []byte

// BuiltIn returns the prices that count where no file is given. They are dated, and grow old.
func BuiltIn() *record.Prices {
	p, err := record.ReadPrices(builtIn)
	if err != nil {
		panic(err) // a test reads it
	}
	return p
}
