package fleet

// ErrNoSpace is the error of a full server.
var ErrNoSpace = errNoSpace

// FillDisk has a server find its disk full.
func (o *ServerOptions) FillDisk() { o.free = func(string) (int64, error) { return 0, nil } }
