package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"canonscope/canon/printable"
	"canonscope/compare"
	"canonscope/compare/fleet"
)

func newFleetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Measure on other machines: server, workers, what is under way",
		Long: `Workers on other machines do the campaigns of "canonscope run --fleet URL" and
"canonscope scale --fleet URL". They and the submitters meet at a NATS server
with JetStream: that of fleet server, or any other. Nothing of it runs in the
process that measures.

An environment is the name of machines that are alike. Blocks of exchanges that
are compared travel together to one machine, which gates them first and is kept
alone for them. A worker that dies or falls silent loses its block to another,
which does all of it anew. A block names cells; it carries no command and no
path.

A campaign is followed by the command that submits it. If that ends, what was
sent goes on, and "canonscope run --resume FOLDER" comes back to it.

--login is a file on both sides: for the server, on each line USER:PASSWORD or
the public NKey of a user; for others one line USER:PASSWORD, the seed of an
NKey, or credentials.`,
		Example: `  canonscope fleet server --dir hub
  canonscope fleet worker --server nats://127.0.0.1:4222 --env rack
  canonscope run --fleet nats://127.0.0.1:4222 --env rack simple-20
  canonscope fleet status --server nats://127.0.0.1:4222`,
	}
	cmd.AddCommand(newFleetServerCommand(), newFleetWorkerCommand(), newFleetStatusCommand(),
		newFleetCancelCommand(), newFleetDrainCommand())
	return cmd
}

// accessFlags are the flags that say how a server is reached; each begins with prefix, except the server.
func accessFlags(cmd *cobra.Command, a *fleet.Access, server, prefix string) {
	flags := cmd.Flags()
	flags.StringVar(&a.URL, server, "", "`URL` of the server, as nats://HOST:PORT or tls://HOST:PORT")
	flags.StringVar(&a.Login, prefix+"login", "",
		"`FILE` of the login at the server: USER:PASSWORD, the seed of an NKey, or credentials")
	flags.StringVar(&a.CA, prefix+"ca", "",
		"`FILE` of certificates that sign that of the server, beside those of the system")
	flags.StringVar(&a.Cert, prefix+"cert", "", "`FILE` with the certificate and key of this side, if the "+
		"server asks for them")
}

// reach connects to the server of a command.
func reach(cmd *cobra.Command, a *fleet.Access) (*fleet.Conn, error) {
	if a.URL == "" {
		return nil, fmt.Errorf("%s needs --server URL", words(cmd))
	}
	return fleet.Connect(cmd.Context(), *a, cmd.CommandPath())
}

// connected runs a command that has a connection to the server.
func connected(
	a *fleet.Access, run func(cmd *cobra.Command, conn *fleet.Conn, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		conn, err := reach(cmd, a)
		if err != nil {
			return err
		}
		defer conn.Close()
		return run(cmd, conn, args)
	}
}

func newFleetServerCommand() *cobra.Command {
	var o fleet.ServerOptions
	var store int64
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Serve the workers and submitters of a team, until Ctrl-C",
		Long: `Server keeps the batches of campaigns and their results in a folder, and each on
the disk before it is acknowledged: it may end at any time and start again. It
listens on a loopback address, and on others only with TLS and logins.

While the disk has less than 64 MB free, or --store is reached, it refuses more:
workers keep what they measured and try again. If a write fails all the same,
it ends with status 3, and can be started again when that is mended.`,
		Example: `  canonscope fleet server --dir /var/lib/canonscope
  canonscope fleet server --dir data --listen hub:4222 --cert server.pem \
    --login users`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Dir == "" {
				return errors.New("fleet server needs --dir DIR, a folder that nothing else uses")
			}
			if store < 0 {
				return fmt.Errorf("--store is %d; it must not be negative", store)
			}
			o.Store = store << 20
			o.Log = func(text string) { note(cmd, "%s", printable.Line(text)) }
			s, err := fleet.Serve(o)
			if err != nil {
				return err
			}
			defer s.Close()
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", s.URL()); err != nil {
				return err
			}
			return s.Wait(cmd.Context())
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&o.Dir, "dir", "", "folder `DIR` in which all is kept")
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:4222", "`HOST:PORT`; port 0 is any that is free")
	flags.Int64Var(&store, "store", 4096, "at most so many `MB` are kept; 0 for most of what is free")
	flags.StringVar(&o.Login, "login", "",
		"`FILE` of users: on each line USER:PASSWORD, or the public NKey of a user")
	flags.StringVar(&o.Operator, "operator", "",
		"`FILE` with the JWT of an operator, for users with credentials; needs --account")
	flags.StringSliceVar(&o.Accounts, "account", nil,
		"`FILE,...` with the JWT of the account of the users, and of that of the system")
	flags.StringVar(&o.Cert, "cert", "", "`FILE` with certificate and key: TLS")
	flags.StringVar(&o.CA, "ca", "", "`FILE` of certificates that sign those that users must have")
	return cmd
}

func newFleetWorkerCommand() *cobra.Command {
	var (
		access  fleet.Access
		engines engineFlag
		said    string
		w       = fleet.Worker{Runner: children}
	)
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Measure what campaigns ask for, until Ctrl-C or drained",
		Long: `Worker takes one batch at a time and has the machine to itself: other workers on
it wait. It does what names its environment, and this very binary, and names
foreign engines only from --engine of its command line. It needs no disk, except
for the lock of the machine, a file in the folder of temporary files.

All workers of an environment have one --lease, that of the last which started.`,
		Example: `  canonscope fleet worker --server nats://127.0.0.1:4222 --env rack
  canonscope fleet worker --server tls://hub:4222 --ca ca.pem --env phones \
    --login worker.login --engine exec:node`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := fleet.CheckEnvironment(w.Environment); err != nil {
				return fmt.Errorf("--env: %w", err)
			}
			if w.Lease < time.Second {
				return fmt.Errorf("--lease is %v; it must be at least 1s", w.Lease)
			}
			w.Engines = make(map[compare.Engine][]string)
			for _, name := range engines.names {
				e := compare.Engine(name)
				if !compare.Foreign(e) {
					return fmt.Errorf("--engine %s is built in; only foreign engines are named", name)
				}
				w.Engines[e] = engines.commands[e]
			}
			conn, err := reach(cmd, &access)
			for errors.Is(err, fleet.ErrNoServer) && cmd.Context().Err() == nil {
				if said == "" {
					said = err.Error()
					note(cmd, "%s; it is tried again", said)
				}
				time.Sleep(time.Second)
				conn, err = reach(cmd, &access)
			}
			if err != nil {
				return err
			}
			defer conn.Close()
			w.Conn, w.Log = conn, func(text string) { note(cmd, "%s", printable.Line(text)) }
			note(cmd, "worker %s of environment %s is ready", w.Name, w.Environment)
			return w.Run(cmd.Context())
		},
	}

	accessFlags(cmd, &access, "server", "")
	host, _ := os.Hostname()
	flags := cmd.Flags()
	flags.StringVar(&w.Environment, "env", "", "`NAME` of the environment: of machines that are alike")
	flags.StringVar(&w.Name, "name", fmt.Sprintf("%s-%d", host, os.Getpid()),
		"`NAME` of the worker in results")
	flags.Lookup("name").DefValue = "host and process"
	flags.DurationVar(&w.Lease, "lease", fleet.DefaultLease,
		"`TIME` of silence after which a batch goes to another worker")
	flags.Var(&engines, "engine", "foreign engines that may be run: exec:NAME, or exec:NAME=COMMAND")
	return cmd
}

func newFleetStatusCommand() *cobra.Command {
	var access fleet.Access
	var jsonText bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List what is under way, and the workers",
		Long: `Status lists the campaigns with batches or replies at the server, and the
workers that answer: how many batches each has done, how many came late because
another worker had done them, how many it refused, what it does now and its
trouble.`,
		Example: `  canonscope fleet status --server nats://127.0.0.1:4222
  canonscope fleet status --json --server tls://hub:4222 --ca ca.pem \
    --login ann.login`,
		Args: noArgs,
		RunE: connected(&access, func(cmd *cobra.Command, conn *fleet.Conn, _ []string) error {
			s, err := conn.Status(cmd.Context())
			if err != nil {
				return err
			}
			if jsonText {
				return printable.JSON(cmd.OutOrStdout(), s)
			}

			var text strings.Builder
			tw := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
			fmt.Fprintln(tw, "campaign\tenvironment\tbatches left\tanswered")
			for _, c := range s.Campaigns {
				fmt.Fprintf(tw, "%s\t%s\t%d\t%d\n", c.ID, c.Environment, c.Left, c.Answered)
			}
			fmt.Fprintln(tw, "\nworker\tenvironment\tbinary\tdone\tlate\trefused\tunder way")
			for _, w := range s.Workers {
				fmt.Fprintf(tw, "%s\t%s\t%.12s\t%d\t%d\t%d\t%s\n", w.Worker, w.Environment, w.Binary, w.Done,
					w.Late, w.Refused, strings.TrimSpace(w.Campaign+" "+w.Batch+" "+w.Trouble))
			}
			if err := tw.Flush(); err != nil {
				return err
			}
			return printBytes(cmd.OutOrStdout(), []byte(printable.Lines(text.String())))
		}),
	}
	accessFlags(cmd, &access, "server", "")
	cmd.Flags().BoolVar(&jsonText, "json", false, "print JSON")
	return cmd
}

func newFleetCancelCommand() *cobra.Command {
	var access fleet.Access
	cmd := &cobra.Command{
		Use:   "cancel CAMPAIGN",
		Short: "End a campaign: what is left of it is not measured",
		Long: `Cancel removes a campaign, by its id in fleet status, from the server. Workers
leave what they are doing of it, and its submitter ends with what it has.`,
		Example: `  canonscope fleet cancel 0123456789abcdef --server nats://127.0.0.1:4222`,
		Args:    oneArg,
		RunE: connected(&access, func(cmd *cobra.Command, conn *fleet.Conn, args []string) error {
			return conn.Cancel(cmd.Context(), args[0])
		}),
	}
	accessFlags(cmd, &access, "server", "")
	return cmd
}

func newFleetDrainCommand() *cobra.Command {
	var access fleet.Access
	cmd := &cobra.Command{
		Use:   "drain ENVIRONMENT",
		Short: "Have workers end after what they are doing",
		Long: `Drain has all workers of an environment end, each after the batch that it is
doing, and lists them. What is left waits for other workers.`,
		Example: `  canonscope fleet drain rack --server nats://127.0.0.1:4222`,
		Args:    oneArg,
		RunE: connected(&access, func(cmd *cobra.Command, conn *fleet.Conn, args []string) error {
			workers, err := conn.Drain(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for _, w := range workers {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), printable.Line(w.Worker)); err != nil {
					return err
				}
			}
			if len(workers) == 0 {
				return &noError{"environment " + args[0] + " has no worker"}
			}
			return nil
		}),
	}
	accessFlags(cmd, &access, "server", "")
	return cmd
}
