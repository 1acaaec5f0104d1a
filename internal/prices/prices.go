package prices

import (
	_ "embed"
	"sync"

	"github.com/contexttree/pact/record"
)

// builtIn lists what four providers charged on the date in it. Each entry names the page where its prices were
// read, in the copy of a public archive; of OpenAI these are pages of others that quote it. A model or a
// window that no page confirmed is not in the list.
//
//go:embed prices.json
var builtIn []byte

// BuiltIn returns the prices that count where no file is given. They are dated, and grow old. Nobody changes them.
var BuiltIn = sync.OnceValue(func() *record.Prices {
	p, err := record.ReadPrices(builtIn)
	if err != nil {
		panic(err) // a test reads it
	}
	return p
})
