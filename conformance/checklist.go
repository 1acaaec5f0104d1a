package conformance

// Checklist is one list of the specification: annex 10, or the demands of a
// chapter.
type Checklist struct {
	ID    string `json:"id"`    // unique in the kit
	Title string `json:"title"` // for a reader
	Items []Item `json:"items"` // in the order of the specification
}

// Item is one demand of a checklist, in words of our own.
type Item struct {
	ID      string   `json:"id"`              // unique in the list
	Group   string   `json:"group,omitempty"` // the part of the list
	Level   string   `json:"level"`           // MUST, SHOULD or MAY
	Text    string   `json:"text"`            // the demand
	Sources []Source `json:"sources"`         // where the specification makes it
	Cases   []string `json:"cases"`           // ids of the cases that show it

	// Tests are tests of this implementation that hold what no command line can show, such as server.TestX.
	Tests []string `json:"tests,omitempty"`
	// Unshown says which part of the item no case shows, and why. It is not empty
	// if Cases is.
	Unshown string `json:"unshown,omitempty"`
}

// Checklists returns the checklists, annex 10 first. An error means that the kit
// itself is broken.
func Checklists() ([]Checklist, error) {
	var all []Checklist
	err := eachFile("checklists", func(_ string, data []byte) error {
		var c Checklist
		if err := strictly(data, &c); err != nil {
			return err
		}
		all = append(all, c)
		return nil
	})
	return all, err
}
