// Command canonscope measures and explains the cost of canonicalizing W3C verifiable credentials.
//
// Each subcommand has a separate file with only its flags and printing, and is added in root.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"canonscope/canon"
	"canonscope/canon/printable"
	"canonscope/compare/fleet"
)

// Exit statuses of every subcommand.
const (
	statusDone  = 0 // done; the answer is yes
	statusNo    = 1 // the answer is no: a test failed, a proof does not verify, a gate refused
	statusUsage = 2 // usage or input error
	statusLimit = 3 // a limit was reached

	statusSignal = 128 // added to the number of the signal that ended the command, as shells do
)

// Time for an interrupted command to end. Some code ignores cancellation: json-gold, and reads from a
// terminal.
const (
	patience    = time.Second
	runPatience = 10 * time.Second // run ends its children and writes its results, in a fraction of this
)

// measuring names the commands that have runPatience.
var measuring = []string{"run", "scale", "study", "ab", "server", "worker"}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status. The first signal interrupts the command, which
// has its patience to end; a second one ends the process at once.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}

	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	wait := patience
	if cmd, _, err := root.Find(args); err == nil && slices.Contains(measuring, cmd.Name()) {
		wait = runPatience
	}

	done := make(chan error, 1)
	go func() { done <- out.check(root.ExecuteContext(ctx)) }()
	var err error
	var by os.Signal // what ended the command before its work was done
	ended := true
	select {
	case err = <-done:
	case s := <-signals:
		signal.Stop(signals)
		cancel()
		select {
		case err = <-done:
		case <-time.After(wait):
			err, ended = context.Canceled, false
		}
		if err != nil {
			by = s
		}
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
	}

	printErrors(stderr, err)
	if no := (&noError{}); err != nil && ended && !errors.As(err, &no) && out.bytes == 0 &&
		wantsJSON(root, args) {
		_ = printErrorJSON(out, "", err, false) // the error has already been printed
	}

	if s, ok := by.(syscall.Signal); ok {
		return statusSignal + int(s)
	}

	return status(err)
}

// output counts what is written and remembers the first error, so that commands need not check each line.
type output struct {
	io.Writer
	bytes int
	err   error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	o.bytes += n
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// check returns the error of a command, or else that of writing its answer.
func (o *output) check(err error) error {
	var no *noError
	if o.err != nil && (err == nil || errors.As(err, &no)) {
		return o.err
	}
	return err
}

// maxErrors is the number of errors that a command prints, plus one if that is the last.
const maxErrors = 20

// printErrors prints a line for each error, and its remedy.
func printErrors(w io.Writer, err error) {
	p := printable.Printer{W: w, Width: width(w)}
	all := parts(err)
	for i, e := range all {
		if left := len(all) - i; i == maxErrors && left > 1 {
			p.Line("canonscope: and %d more errors", left)
			return
		}
		if e.Error() == "" {
			continue
		}
		p.Line("canonscope: %s", shortLine(e))
		printRest(&p, e)
		if text := advice(e); text != "" {
			p.Line("  %s", text)
		}
	}
}

// printRest prints the losses of a document after the first, which the error has.
func printRest(p *printable.Printer, err error) {
	var loss *canon.LossError
	if !errors.As(err, &loss) {
		return
	}
	for _, l := range loss.Losses[1:] {
		p.Line("  at %s", lossText(l))
	}
}

// Bytes printed of an error, which may repeat long names of a document, and of such a name.
const (
	maxText = 2000
	maxName = 300
)

// shortLine is the text of an error as one line, bounded.
func shortLine(err error) string { return printable.Line(printable.Short(err.Error(), maxText)) }

// lossText describes a loss and its place in one line.
func lossText(l canon.Loss) string {
	return fmt.Sprintf("%q: %s", printable.Short(l.Pointer, maxName),
		printable.Line(printable.Short(l.Reason, maxName)))
}

// parts returns the errors joined in err, each of which gets a separate line.
func parts(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, parts(e)...)
	}
	return all
}

// noError is the answer no. A subcommand that has printed its answer returns one; an empty text prints
// nothing more.
type noError struct{ text string }

func (e *noError) Error() string { return e.text }

// status maps an error to the exit status of the command.
func status(err error) int {
	var no *noError
	var told *toldError
	var limit *canon.LimitError
	var late *fleet.PatienceError
	var unwritten *fleet.StorageError
	switch {
	case err == nil:
		return statusDone
	case errors.As(err, &told):
		return told.status
	case errors.As(err, &no):
		return statusNo
	case errors.As(err, &limit), errors.As(err, &late), errors.As(err, &unwritten),
		errors.Is(err, context.DeadlineExceeded):
		return statusLimit
	}
	return statusUsage
}
