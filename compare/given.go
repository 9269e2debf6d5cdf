package compare

// Given is what the user gives a campaign, read once before it starts: every process measures these bytes.
type Given struct {
	Documents map[string][]byte // by the schema of their cells, as catalogue.ReadFile names them
	Contexts  map[string][]byte // by URL; they are found before those that are built in

	// Engines are the words of commands of foreign engines, by exec:NAME; others are found by their names.
	Engines map[Engine][]string
}

// Source is one of the bytes that were given.
type Source struct {
	Name   string `json:"name"` // the schema of a document, the URL of a context
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}
