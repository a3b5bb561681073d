using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Testing;

namespace QuickSilver.TestPrograms;

/// <summary>The part of the command line that Publisher and Subscriber share: which groups, which cluster, how it ends,
/// what it prints.</summary>
internal sealed class NodeArguments
{
    private readonly Option<string[]> _group = new("--group")
    {
        Description = "A group, by name; may be repeated. Without any group: \"greetings\".",
        HelpName = "NAME",
        DefaultValueFactory = _ => [],
    };

    private readonly Option<int> _groups = new Option<int>("--groups")
    {
        Description = "With --prefix P: the groups P0 ... P(N-1).",
        HelpName = "N",
    }.AtLeast(0);

    private readonly Option<string[]> _prefix = new("--prefix")
    {
        Description =
            "How the names of --groups begin; may be repeated, each then gives N groups. Default: \"group-\".",
        HelpName = "P",
        DefaultValueFactory = _ => [],
    };

    private readonly Option<long> _expect = new Option<long>("--expect")
    {
        Description = "End with 0 when so many messages have come in all, in order and whole; otherwise with another "
            + "code after --timeout.",
        HelpName = "COUNT",
    }.AtLeast(0);

    private readonly Option<double> _timeout = new Option<double>("--timeout")
    {
        Description = "End after so many seconds whatever happens. Default: 60 with --expect, else never.",
        HelpName = "SECONDS",
    }.AtLeast(0);

    private readonly Option<bool> _quiet = new("--quiet")
    { Description = "One line a second instead of one for each message." };

    private readonly Option<string?> _server = new("--server")
    {
        Description = "The membership server; without it, the programs of this machine find each other.",
        HelpName = "HOST:PORT",
    };

    private readonly Option<string?> _name = new("--name")
    {
        Description = "Name of this node. Default: host, process id and a number.",
        HelpName = "NODE",
    };

    private readonly Option<string> _cluster = new("--cluster")
    {
        Description = "Name of the cluster; others are not heard.",
        HelpName = "NAME",
        DefaultValueFactory = _ => "default",
    };

    private readonly Option<int> _port = new("--port")
    {
        Description = "Local port of the membership server, when there is no --server.",
        HelpName = "PORT",
        DefaultValueFactory = _ => new MembershipOptions().Port,
    };

    private readonly Option<string?> _keyFile = new("--key-file")
    {
        Description = "File with the key of the cluster.",
        HelpName = "FILE",
    };

    private readonly Option<bool> _insecure = new("--insecure")
    { Description = "No security: others may read and forge messages." };

    private readonly Option<string?> _interface = new("--interface")
    {
        Description = "Network interface, by name or address. Default: loopback; with --server the first with "
            + "multicast and a gateway.",
        HelpName = "NAME",
    };

    private readonly Option<TransportKind> _transport = new Option<TransportKind>("--transport")
    {
        Description = "How messages travel: multicast, unicast, or auto, which tries multicast first.",
        HelpName = "KIND",
        DefaultValueFactory = _ => TransportKind.Auto,
    }.BetweenProcesses();

    private readonly Option<int> _datagram = new Option<int>("--datagram")
    {
        Description =
            "The longest datagram to send. Default: 1372; over loopback up to 65493, as the receive buffer allows.",
        HelpName = "BYTES",
    }.AtLeast(0);

    private readonly Option<int> _pending = new Option<int>("--pending")
    {
        Description =
            "Most messages that may be sent and not yet held by everybody, for each region; sending waits beyond.",
        HelpName = "MESSAGES",
        DefaultValueFactory = _ => new PendingOptions().MaxMessagesPerRegion,
    }.AtLeast(1);

    private readonly Option<double> _drop = new Option<double>("--drop")
    {
        Description = "Fault injection: drop this share of the datagrams received, from 0 to 1.",
        HelpName = "SHARE",
    }.Share();

    private readonly Option<ulong> _seed = new("--seed")
    {
        Description = "Seed of --drop.",
        HelpName = "N",
        DefaultValueFactory = _ => 1,
    };

    private readonly Option<FileInfo?> _json = new("--json")
    {
        Description = "Write statistics and findings to this file at the end.",
        HelpName = "FILE",
    };

    private readonly Option<bool> _progressJson = new("--progress-json")
    {
        Description = "Progress as one JSON object a line, ten a second, and nothing else on standard output.",
    };

    private readonly Option<bool> _tied = new("--tied")
    { Description = "End when standard input closes: for programs that start this one." };

    /// <summary>Adds the options to a command.</summary>
    public void AddTo(Command command)
    {
        Option[] options =
        [
            _group, _groups, _prefix, _expect, _timeout, _quiet, _server, _name, _cluster, _port, _interface,
            _keyFile, _insecure, _transport,
            _datagram, _pending, _drop, _seed, _json, _progressJson, _tied,
        ];
        foreach (Option option in options) command.Options.Add(option);
        command.Validators.Add(result =>
        {
            if (result.GetValue(_prefix) is { Length: > 0 } && result.GetValue(_groups) == 0)
                result.AddError("--prefix needs --groups.");
        });
    }

    /// <summary>What was said.</summary>
    public NodeSetup Read(ParseResult parsed)
    {
        long expect = parsed.GetValue(_expect);
        double timeout = parsed.GetValue(_timeout);
        if (timeout == 0 && expect > 0) timeout = 60;
        return new NodeSetup
        {
            GroupNames = GroupNames(parsed),
            Options = NodeOptions(parsed),
            Expect = expect,
            Timeout = timeout == 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(timeout),
            Output = parsed.GetValue(_progressJson)
                ? OutputKind.Json : parsed.GetValue(_quiet) ? OutputKind.Quiet : OutputKind.Full,
            JsonPath = parsed.GetValue(_json)?.FullName,
            IsTied = parsed.GetValue(_tied),
        };
    }

    private List<string> GroupNames(ParseResult parsed)
    {
        List<string> names = [.. parsed.GetValue(_group) ?? []];
        string[] prefixes = parsed.GetValue(_prefix) is { Length: > 0 } given ? given : ["group-"];
        foreach (string prefix in prefixes)
        {
            for (int number = 0; number < parsed.GetValue(_groups); number++) names.Add($"{prefix}{number}");
        }
        if (names.Count == 0) names.Add("greetings");
        return [.. names.Distinct(StringComparer.Ordinal)];
    }

    private QuickSilverOptions NodeOptions(ParseResult parsed)
    {
        var options = new QuickSilverOptions
        {
            ClusterName = parsed.GetValue(_cluster)!,
            NodeName = parsed.GetValue(_name)
        };
        options.Transport.Interface = parsed.GetValue(_interface);
        options.Transport.Kind = parsed.GetValue(_transport);
        options.Pending.MaxMessagesPerRegion = parsed.GetValue(_pending);
        // A machine that keeps a process waiting makes it a slow member. A run that loses and repairs goes on with it.
        options.Pending.SlowMemberTimeout = Timeout.InfiniteTimeSpan;
        options.Transport.MaxDatagramBytes = parsed.GetValue(_datagram);
        options.Membership.Port = parsed.GetValue(_port);
        if (parsed.GetValue(_server) is { } server)
        {
            options.Membership.Mode = MembershipMode.Client;
            options.Membership.Servers.Add(server);
        }
        options.Security.KeyFile = parsed.GetValue(_keyFile);
        if (parsed.GetValue(_insecure)) options.Security.UseNone();
        double drop = parsed.GetValue(_drop);
        if (drop > 0) options.UseFaults(drop, parsed.GetValue(_seed));
        return options;
    }
}
