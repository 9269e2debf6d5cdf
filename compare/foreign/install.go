package foreign

// adapter returns the words that start an adapter, nil if there is none of the name.
func adapter(string) ([]string, error) { return nil, nil }
