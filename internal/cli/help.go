package cli

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/spf13/cobra"
)

// helpWidth is how many columns the help takes, on a terminal and elsewhere.
const helpWidth = 80

// fitHelp makes a command and those below it print help that fits into helpWidth
// columns. It breaks a text when it prints it: every command line makes all commands.
func fitHelp(cmd *cobra.Command) {
	const slop = 5 // the flag parser makes a line that much longer if a word would stand alone
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages ",
		".FlagUsagesWrapped "+strconv.Itoa(helpWidth-slop)+" "))
	printed := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		cmd.Long = folded(cmd.Long)
		printed(cmd, args)
	})
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
