package intake

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/store"
)

// BenchmarkRecordRebuilt imports a session whose requests are rebuilt: a list of messages of 200
// questions and answers, each request with all that was said before.
func BenchmarkRecordRebuilt(b *testing.B) {
	var list []string
	for n := range 200 {
		list = append(list, fmt.Sprintf(`{"type":"human","data":{"content":"%d %s"}}`, n, strings.Repeat("question ", 100)),
			fmt.Sprintf(`{"type":"ai","data":{"content":"%d %s"}}`, n, strings.Repeat("answer ", 100)))
	}
	log, err := calllog.Read([]byte("[" + strings.Join(list, ",") + "]"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		sessions, err := Sessions(b.Context(), log, "run")
		if err != nil {
			b.Fatal(err)
		}
		if _, _, _, err := sessions[0].Record(b.Context(), pact.NewDB(store.NewMemory()), "", nil, func(int) {}); err != nil {
			b.Fatal(err)
		}
	}
}
