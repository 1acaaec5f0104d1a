package cli

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/spf13/cobra"
)

// helpWidth is how many columns the help takes, on a terminal and elsewhere.
const helpWidth = 80

// fitHelp has a command and those below it print help that fits into helpWidth
// columns.
func fitHelp(cmd *cobra.Command) {
	const slop = 5 // the flag parser makes a line that much longer if a word would stand alone
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages ",
		".FlagUsagesWrapped "+strconv.Itoa(helpWidth-slop)+" "))
	fitLong(cmd)
}

func fitLong(cmd *cobra.Command) {
	cmd.Long = folded(cmd.Long)
	for _, c := range cmd.Commands() {
		fitLong(c)
	}
}

// folded breaks the paragraphs of a text anew. Lines that begin with a blank are
// tables and examples, which it leaves as they are.
func folded(text string) string {
	var list []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			list = append(list, screen.WrapLine(paragraph, helpWidth)...)
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			list = append(list, line)
			continue
		}
		paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
	}
	flush()
	return strings.Join(list, "\n")
}
