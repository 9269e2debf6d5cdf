package printable

import (
	"fmt"
	"io"
)

// Printer writes text for people to W, line by line and each through [Line], until there is an error.
type Printer struct {
	W   io.Writer
	Err error
}

// Line writes one line. The format has no line feed.
func (p *Printer) Line(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintln(p.W, Line(fmt.Sprintf(format, args...)))
	}
}
