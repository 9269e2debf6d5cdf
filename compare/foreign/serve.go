package foreign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Doer does the operation of a task on one of its documents, and returns the output. The input is that of
// the request, or else that of the task; nil where the operation takes none.
type Doer func(document int, input []byte) ([]byte, error)

// Serve is a child in Go: it answers requests from in until bye or the end, and prepares each task with a
// function. An error that is a [*Problem] keeps its kind.
func Serve(in io.Reader, out io.Writer, hello Hello, prepare func(*Task) (Doer, error)) error {
	hello.Protocol = Protocol
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var task *Task
	var do Doer
	for {
		var r Request
		if err := requests.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}

		a := Answer{ID: r.ID}
		var err error
		switch {
		case r.Do == doHello:
			a.Hello = &hello
		case r.Do == doPrepare && r.Task != nil:
			task = r.Task
			do, err = prepare(task)
		case r.Do == doBye:
			return answers.Encode(a)
		case do == nil:
			err = errors.New("nothing is prepared")
		case r.Do == doGate:
			a.Output, err = task.do(do, r.Index, r.Input)
		case r.Do == doRun && r.Run != nil:
			a.Ran, err = task.run(do, r.Run)
		default:
			err = fmt.Errorf("unknown request %q", r.Do)
		}

		if err != nil && !errors.As(err, &a.Error) {
			a.Error = &Problem{Failed, err.Error()}
		}
		if err := answers.Encode(a); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
}

// do does the operation on a document.
func (t *Task) do(do Doer, document int, input []byte) ([]byte, error) {
	if document < 0 || document >= len(t.Documents) {
		return nil, fmt.Errorf("there is no document %d", document)
	}
	if input == nil && document < len(t.Inputs) {
		input = t.Inputs[document]
	}
	return do(document, input)
}

// run times operations. The CPU time is for the parent to read.
func (t *Task) run(do Doer, l *Lap) (*Ran, error) {
	if len(t.Documents) == 0 {
		return nil, errors.New("there are no documents")
	}
	ran := &Ran{Wall: make([]int64, 0, l.Count)}
	for i := range l.Warm + l.Count {
		start := time.Now()
		output, err := t.do(do, (l.First+i)%len(t.Documents), nil)
		took := time.Since(start)
		if err != nil {
			return nil, err
		}
		if i >= l.Warm {
			ran.Wall, ran.Output = append(ran.Wall, int64(took)), output
		}
	}
	return ran, nil
}
