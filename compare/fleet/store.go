package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// first publishes a message unless its subject has one; then its error is errSecond.
func (c *Conn) first(ctx context.Context, subject string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.js.Publish(ctx, subject, text, jetstream.WithExpectLastSequencePerSubject(0))
	return explained(asSecond(err))
}

// errSecond is the error of a message whose subject has one.
var errSecond = errors.New("there is one already")

func asSecond(err error) error {
	if errors.Is(err, jetstream.ErrKeyExists) {
		return errSecond
	}
	return err
}

// errNoSpace is the error of a server that stores nothing more.
var errNoSpace = errors.New("the server has no space left: free its disk, raise its --store, or cancel " +
	"campaigns")

// explained turns the answers of a server that has reached a limit of space into errNoSpace.
func explained(err error) error {
	var answer *jetstream.APIError
	if errors.As(err, &answer) {
		switch answer.ErrorCode {
		case 10002, 10023, 10047: // of the account, of the server, for a stream that is made
			return errNoSpace
		}
	}
	return err
}

// receipt returns that of the reply to a batch, or else jetstream.ErrMsgNotFound.
func (c *Conn) receipt(ctx context.Context, subject string) (*receipt, error) {
	msg, err := c.streams[resultsStream].GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return nil, err
	}
	var r receipt
	return &r, json.Unmarshal(msg.Data, &r)
}

// put stores an object.
func (c *Conn) put(ctx context.Context, name string, b []byte) error {
	store, err := c.js.ObjectStore(ctx, objects)
	if err == nil {
		_, err = store.PutBytes(ctx, name, b)
	}
	return explained(err)
}

// objectTime is the limit of the time until an object is here: parts that were never sent do not come.
const objectTime = 10 * time.Minute

// object returns an object of so many bytes at most.
func (c *Conn) object(ctx context.Context, name string, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, objectTime)
	defer cancel()
	store, err := c.js.ObjectStore(ctx, objects)
	if err != nil {
		return nil, err
	}
	object, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()

	// The size that the object states is that of its sender.
	b, err := io.ReadAll(io.LimitReader(object, int64(most)+1))
	if err == nil && len(b) > most {
		err = fmt.Errorf("object %s has more than %d bytes", name, most)
	}
	return b, err
}

func (c *Conn) remove(ctx context.Context, name string) error {
	store, err := c.js.ObjectStore(ctx, objects)
	if err != nil {
		return err
	}
	return store.Delete(ctx, name)
}

// forget removes all that the server has of a campaign.
func (c *Conn) forget(ctx context.Context, campaign string) error {
	var all []error
	for stream, subject := range map[string]string{
		jobsStream: jobsSubject + "*.*." + campaign + ".>", resultsStream: resultsSubject + campaign + ".>",
	} {
		all = append(all, c.purge(ctx, stream, subject))
	}

	store, err := c.js.ObjectStore(ctx, objects)
	if err != nil {
		return errors.Join(append(all, err)...)
	}
	list, err := store.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		all = append(all, err)
	}
	for _, o := range list {
		if strings.HasPrefix(o.Name, campaign+"/") {
			all = append(all, store.Delete(ctx, o.Name))
		}
	}
	return errors.Join(all...)
}

// purge removes messages of a stream.
func (c *Conn) purge(ctx context.Context, stream, subject string) error {
	return c.streams[stream].Purge(ctx, jetstream.WithPurgeSubject(subject))
}

// subjects lists those of a stream that have a message.
func (c *Conn) subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	info, err := c.streams[stream].Info(ctx, jetstream.WithSubjectFilter(filter))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}
