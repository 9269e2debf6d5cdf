package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"canonscope/compare/measure"
)

// Status is what a server has under way.
type Status struct {
	Campaigns []Campaign `json:"campaigns"`
	Workers   []Info     `json:"workers"`
}

// Campaign is one that has batches or replies at the server.
type Campaign struct {
	ID          string `json:"campaign"`
	Environment string `json:"environment,omitempty"` // "" if no batch is left
	Left        int    `json:"left"`                  // batches that no worker has ended
	Answered    int    `json:"answered"`              // batches whose replies are at the server
}

// Status lists campaigns and workers.
func (c *Conn) Status(ctx context.Context) (*Status, error) {
	jobs, err := c.subjects(ctx, jobsStream, jobsSubject+">")
	if err != nil {
		return nil, err
	}
	results, err := c.subjects(ctx, resultsStream, resultsSubject+">")
	if err != nil {
		return nil, err
	}

	all := make(map[string]*Campaign)
	of := func(id string) *Campaign {
		if all[id] == nil {
			all[id] = &Campaign{ID: id}
		}
		return all[id]
	}
	for subject := range jobs {
		if parts := strings.Split(strings.TrimPrefix(subject, jobsSubject), "."); len(parts) == 4 {
			campaign := of(parts[2])
			campaign.Environment = parts[0]
			campaign.Left++
		}
	}
	for subject := range results {
		parts := strings.Split(strings.TrimPrefix(subject, resultsSubject), ".")
		if len(parts) == 3 && parts[1] == "batch" {
			of(parts[0]).Answered++
		}
	}

	s := &Status{Campaigns: []Campaign{}}
	for _, campaign := range all {
		s.Campaigns = append(s.Campaigns, *campaign)
	}
	slices.SortFunc(s.Campaigns, func(a, b Campaign) int { return strings.Compare(a.ID, b.ID) })
	s.Workers, err = c.Workers(ctx)
	return s, err
}

// Cancel ends a campaign: what is left of it is not done, and its submitter ends with what it has.
func (c *Conn) Cancel(ctx context.Context, campaign string) error {
	if !name.MatchString(campaign) {
		return fmt.Errorf("%q is not the id of a campaign; canonscope fleet status lists them", campaign)
	}
	s, err := c.Status(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(s.Campaigns, func(c Campaign) bool { return c.ID == campaign }) {
		return fmt.Errorf("the server has no campaign %s; canonscope fleet status lists them", campaign)
	}
	if err := c.forget(ctx, campaign); err != nil {
		return err
	}
	if err := c.first(ctx, resultsSubject+campaign+".cancelled", measure.Reply{}); err != nil {
		return err
	}
	return c.Publish(cancelSubject+campaign, nil)
}

// Workers asks all workers for their Info.
func (c *Conn) Workers(ctx context.Context) ([]Info, error) { return c.ask(ctx, pingSubject) }

// Drain has the workers of an environment end after the batch that each is doing, and returns them.
func (c *Conn) Drain(ctx context.Context, env string) ([]Info, error) {
	if err := CheckEnvironment(env); err != nil {
		return nil, err
	}
	return c.ask(ctx, drainSubject+env)
}

// Bounds of asking all workers.
const (
	askTime   = 2 * time.Second        // for the first answer
	moreTime  = 300 * time.Millisecond // for each of the others
	wholeTime = 10 * time.Second
	mostInfo  = 100_000
)

// ask collects the answers of all workers.
func (c *Conn) ask(ctx context.Context, subject string) ([]Info, error) {
	inbox := nats.NewInbox()
	sub, err := c.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.PublishRequest(subject, inbox, nil); err != nil {
		return nil, err
	}

	all := []Info{}
	ends := time.Now().Add(wholeTime) // whoever answers without end
	for wait := askTime; len(all) < mostInfo && time.Now().Before(ends); wait = moreTime {
		limited, cancel := context.WithTimeout(ctx, wait)
		msg, err := sub.NextMsgWithContext(limited)
		cancel()
		if err != nil || len(msg.Data) == 0 { // no more workers, or none
			break
		}
		if info, err := readInfo(msg.Data); err == nil {
			all = append(all, *info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(strings.Compare(a.Environment, b.Environment), strings.Compare(a.Worker, b.Worker))
	})
	return all, ctx.Err()
}
